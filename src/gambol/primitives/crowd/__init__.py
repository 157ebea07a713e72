"""Crowds: scenes of walkers, marches with coupled control, and a dance (M17 sections 2.4 and 2.5)."""
