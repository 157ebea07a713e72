"""Translate clips, and measure how far their feet slide or sink."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.contacts.timeline import Contacts
from gambol.contacts.views import find_ground_heights
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point


def translate(motion: Motion, offsets: np.ndarray) -> Motion:
    """Translate the root by offsets (frames, 3) in metres."""
    q = motion.q.copy()
    for column in motion.skeleton.columns(0, "slide"):
        q[:, column] += offsets @ np.array(motion.skeleton.dofs[column].axis)
    return replace(motion, q=q)


def measure_slide(motion: Motion, reference: Motion) -> float:
    """Return the mean distance (mm) that heels and balls move during the contacts of a reference motion."""
    points = {p.name: track_point(motion, p) for p in find_foot_points(motion)}
    contacts = [c for c in find_foot_contacts(reference).items if not c.part.endswith("toe")]
    inner = [points[c.part][c.first + 4 : c.last - 4] for c in contacts if c.last - c.first > 15]
    return 1000.0 * float(np.mean([np.linalg.norm(np.ptp(path[:, :2], axis=0)) for path in inner]))


def measure_sinking(motion: Motion, before: Motion, plan: Contacts) -> float:
    """Return the largest distance (mm) by which toe tips are deeper below the floor than before."""
    found = []
    for point in (p for p in find_foot_points(motion) if p.name.endswith("toe")):
        contacts = [r for r in plan.items if r.body == point.name.replace("toe", "foot")]
        was, now = (
            find_ground_heights(path, contacts, plan.floor) - path[:, 2]
            for path in (track_point(before, point), track_point(motion, point))
        )
        found.append(np.max(now - np.maximum(was, 0.0)))
    return 1000.0 * float(max(found))
