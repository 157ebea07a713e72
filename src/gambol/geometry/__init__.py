"""Rotations, vectors and filters on plain arrays."""
