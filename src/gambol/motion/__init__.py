"""Frozen data: skeletons, motions, recordings, rigs and the shapes that show them."""
