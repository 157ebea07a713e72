"""Motions solved as one problem over space and time (L05): sketches, repairs, and the poses that they start from."""

from __future__ import annotations

from gambol.spacetime.poses import open_poses
from gambol.spacetime.sketch import Carried, Key, Sketch, Wanted, read_sketch
from gambol.spacetime.sketching import realise

__all__ = ["Carried", "Key", "Sketch", "Wanted", "open_poses", "read_sketch", "realise"]
