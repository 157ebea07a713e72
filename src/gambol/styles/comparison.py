"""`compare_styles`: how two styles differ, joint by joint."""

from __future__ import annotations

import numpy as np

from gambol.body.build import make_average_build
from gambol.body.human import make_human
from gambol.clips.result import Result
from gambol.errors import InputError
from gambol.io.models import as_model
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from gambol.styles.style import DETERMINED, PhysicalStyle, StyleSource, name_joints

_HEIGHT, _MASS = 1.75, 75.0
"""Of the body that shows the rest pose of a style (m, kg)."""
_APART = 1.0
"""Metres between two."""


def compare_styles(one: StyleSource, two: StyleSource) -> Result:
    """Compare two styles, joint by joint: figures are ratios of costs, and changes of rest angles in degrees.

    Only what the clips of both determine is compared. The motions are single poses: both at rest, on an average body.

    >>> gb.compare_styles("tired.json", "happy.json").figures  # doctest: +SKIP
    """
    a, b = (as_model(style, PhysicalStyle) for style in (one, two))
    if a.joints != b.joints:
        raise InputError(f"'{a.name}' and '{b.name}' have different joints", fix="compare styles of people")
    figures: dict[str, float] = {}
    errors = np.hypot(a.uncertainty, b.uncertainty)
    for row, joint in enumerate(a.joints):
        label = joint.replace(" ", "_")
        if errors[row, 0] < DETERMINED:
            figures[f"{label}_cost_ratio"] = float(b.values[row, 0] / a.values[row, 0])
        if errors[row, -1] < 0.2 * DETERMINED:
            figures[f"{label}_rest_change_deg"] = float(np.degrees(b.values[row, -1] - a.values[row, -1]))
    lacking = "the clips do not determine the numbers of both well enough to compare them"
    return Result(
        motions=Ensemble((_pose_at_rest(a, 0.0), _pose_at_rest(b, _APART)), f"{a.name} and {b.name}"),
        figures=figures,
        notes=() if figures else (lacking,),
    )


def _pose_at_rest(style: PhysicalStyle, left: float) -> Motion:
    """Return one frame of an average body with the rest angles of a style, on the ground."""
    skeleton = make_human(make_average_build(_HEIGHT), _MASS).skeleton
    angles = dict(zip(style.joints, style.values[:, -1], strict=True))
    root = [0.0, left, 0.0, 0.0, 0.0, 0.0]
    pose = Motion(skeleton, np.array([[*root, *(angles.get(name, 0.0) for name in name_joints(skeleton))]]), 1.0)
    lowest = float(pose.placement.positions[..., 2].min())
    return Motion(skeleton, pose.q - lowest * np.eye(len(skeleton.dofs))[2], 1.0, style.name)
