"""Clips whose feet slide or sink, and by how much."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.legs.foot_contacts import find_ground_heights
from gambol.motion.motion import Motion
from gambol.spacetime.contact_plan import ContactPlan
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point


def moved(motion: Motion, way: np.ndarray) -> Motion:
    q = motion.q.copy()
    for column in motion.skeleton.columns(0, "slide"):
        q[:, column] += way @ np.array(motion.skeleton.dofs[column].axis)
    return replace(motion, q=q)


def slid(motion: Motion, like: Motion) -> float:
    """Millimetres that heels and balls move while they rest in another motion, on the average."""
    points = {p.name: track_point(motion, p) for p in find_foot_points(motion)}
    rests = [c for c in find_foot_contacts(like).items if not c.name.endswith("toe")]
    inner = [points[c.name][c.first + 4 : c.last - 4] for c in rests if c.last - c.first > 15]
    return 1000.0 * float(np.mean([np.linalg.norm(np.ptp(way[:, :2], axis=0)) for way in inner]))


def deepest(motion: Motion, before: Motion, stands: ContactPlan) -> float:
    """Millimetres that tips of toes are deeper below the floor than before, at most."""
    found = []
    for point in (p for p in find_foot_points(motion) if p.name.endswith("toe")):
        rests = [r for r in stands.foot_contacts if r.point.body == point.name.replace("toe", "foot")]
        was, now = (
            find_ground_heights(way, rests, stands.floor) - way[:, 2]
            for way in (track_point(before, point), track_point(motion, point))
        )
        found.append(np.max(now - np.maximum(was, 0.0)))
    return 1000.0 * float(max(found))
