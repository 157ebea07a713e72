"""Clips whose feet slide or sink, and by how much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.legs.rests import ground_under
from gambol.motion.motion import Motion
from gambol.spacetime.stances import Footing
from gambol.stages.contacts import foot_contacts
from gambol.stages.feet import foot_points, track


def moved(motion: Motion, way: np.ndarray) -> Motion:
    q = motion.q.copy()
    for column in motion.skeleton.columns(0, "slide"):
        q[:, column] += way @ np.array(motion.skeleton.dofs[column].axis)
    return replace(motion, q=q)


def slid(motion: Motion, like: Motion) -> float:
    """Millimetres that heels and balls move while they rest in another motion, on the average."""
    points = {p.name: track(motion, p) for p in foot_points(motion)}
    rests = [c for c in foot_contacts(like).items if not c.name.endswith("toe")]
    inner = [points[c.name][c.first + 4 : c.last - 4] for c in rests if c.last - c.first > 15]
    return 1000.0 * float(np.mean([np.linalg.norm(np.ptp(way[:, :2], axis=0)) for way in inner]))


def deepest(motion: Motion, before: Motion, stands: Footing) -> float:
    """Millimetres that tips of toes are deeper below the floor than before, at most."""
    found = []
    for point in (p for p in foot_points(motion) if p.name.endswith("toe")):
        rests = [r for r in stands.rests if r.point.body == point.name.replace("toe", "foot")]
        was, now = (
            ground_under(way, rests, stands.floor) - way[:, 2] for way in (track(before, point), track(motion, point))
        )
        found.append(np.max(now - np.maximum(was, 0.0)))
    return 1000.0 * float(max(found))
