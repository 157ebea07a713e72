"""Take the drift out of a fitted clip: feet that skate or sway stay in place, and stances that float are on one floor.

Only the body's path changes; angles of joints are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.contacts.contact import BodyPoint, is_foot
from gambol.contacts.timeline import Contacts
from gambol.fit.contacts import find_contact_points
from gambol.fit.rig import Fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import lengths
from gambol.stages.drift import find_rise, find_slide, translate_root
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.stance_network import find_likely_contacts
from gambol.stages.sway import find_sway
from gambol.stages.treadmill import find_treadmill


def remove_drift(fitted: Fit) -> tuple[Fit, tuple[str, ...]]:
    """Return the fit without drift, and notes on what was found."""
    feet = [point for point in find_contact_points(fitted) if is_foot(point.name)]
    likely = find_likely_contacts(fitted.motion, feet)
    notes: list[str] = []
    for remove in (_remove_slide, _remove_sway, _remove_rise):
        fitted, found = remove(fitted, feet, likely)
        notes += found
    return fitted, tuple(notes)


def _remove_slide(fitted: Fit, feet: Sequence[BodyPoint], likely: Contacts) -> tuple[Fit, list[str]]:
    slide = find_slide(fitted.motion, feet, likely)
    if slide is None:
        return fitted, []
    if find_treadmill(fitted.source) is not None:
        return fitted, [f"the body moves in place, its feet at up to {slide.fastest:.2f} m/s: they are not set down"]
    before = _measure_path(fitted)
    fitted = _translate(fitted, -np.column_stack((slide.offsets, np.zeros(len(slide.offsets)))))
    note = (
        f"feet slid at up to {slide.fastest:.2f} m/s in {slide.slid} of {slide.stances} stances: "
        f"the path is {_measure_path(fitted):.2f} m long instead of {before:.2f} m"
    )
    return fitted, [note]


def _remove_sway(fitted: Fit, feet: Sequence[BodyPoint], likely: Contacts) -> tuple[Fit, list[str]]:
    sway = find_sway(fitted.motion, feet, likely)
    if sway is None or find_treadmill(fitted.source) is not None:
        return fitted, []
    farthest = 100.0 * float(lengths(sway).max())
    fitted = _translate(fitted, -np.column_stack((sway, np.zeros(len(sway)))))
    return fitted, [f"the path swayed by up to {farthest:.1f} cm, and feet in contact with it: steadied"]


def _remove_rise(fitted: Fit, feet: Sequence[BodyPoint], likely: Contacts) -> tuple[Fit, list[str]]:
    rise = find_rise(fitted.motion, feet)
    if rise is None:
        return fitted, []
    floor = rise + _find_level(fitted, rise)
    low, high = floor.min(), floor.max()
    # Feet that pass the ground of the file, height 0, are set on it.
    fitted = _translate(fitted, np.outer(-floor if low < 0.0 < high else -rise, (0.0, 0.0, 1.0)))
    return fitted, [f"the feet stood at heights of {100.0 * low:.0f} to {100.0 * high:.0f} cm: set on one floor"]


def _translate(fitted: Fit, offsets: Array) -> Fit:
    """Translate character and rig by offsets (frames, 3) in metres."""
    moved = translate_root(fitted.motion, offsets)
    return replace(fitted, motion=moved, source=map_to_rig(fitted, moved.q))


def _find_level(fitted: Fit, rise: Array) -> float:
    """Return the height (m) of the soles in stance, less an error of height (frames,)."""
    soles = [track_point(fitted.motion, point)[:, 2] for point in find_foot_points(fitted.motion)]
    return float(np.median(np.min(soles, axis=0) - rise))


def _measure_path(fitted: Fit) -> float:
    """Return the horizontal distance (m) that the body travels."""
    path = fitted.motion.placement.positions[:, 0, :2]
    return float(np.linalg.norm(path[-1] - path[0]))
