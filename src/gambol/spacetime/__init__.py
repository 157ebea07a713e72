"""Motions solved as one optimisation over all frames (L05): sketches, repairs, edits and families of edits."""

from __future__ import annotations

from gambol.spacetime.poses import open_poses
from gambol.spacetime.sketch import Key, Sketch, SupportSpec, WantedPose, read_sketch
from gambol.spacetime.sketch_verb import solve_sketch

__all__ = ["Key", "Sketch", "SupportSpec", "WantedPose", "open_poses", "read_sketch", "solve_sketch"]
