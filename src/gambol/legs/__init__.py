"""Inverse kinematics of legs on characters and rigs, and feet that stay in place while they are in contact."""
