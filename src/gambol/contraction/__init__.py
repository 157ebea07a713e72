"""Contraction analysis (M17 section 2.5): bounds on how fast the solutions of coupled systems converge."""
