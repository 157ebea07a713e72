"""Contraction analysis (M17 section 2.5): bounds on how fast the solutions of a network of dynamics come together."""
