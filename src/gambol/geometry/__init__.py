"""Rotations and the arithmetic of curves. Knows arrays, not bodies."""
