"""Poses solved for targets: one description of targets, and solvers of frames apart, together and in real time."""
