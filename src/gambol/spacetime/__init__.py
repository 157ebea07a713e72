"""Motions solved as one problem over space and time (L05): sketches, repairs, and the poses that they start from."""

from __future__ import annotations

from gambol.spacetime.poses import open_poses
from gambol.spacetime.sketch import SupportSpec, Key, Sketch, WantedPose, read_sketch
from gambol.spacetime.sketch_verb import solve_sketch

__all__ = ["Carried", "Key", "Sketch", "Wanted", "open_poses", "read_sketch", "realise"]
