"""Contraction of any system over a box: rigorous bounds, metrics that are searched for, walkers past obstacles."""
