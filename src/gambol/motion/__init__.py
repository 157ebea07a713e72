"""Immutable data: skeletons, motions, recordings, rigs, contacts, and the figure that displays them."""
