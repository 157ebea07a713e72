"""A root that stays where it is, above a pelvis that travels: the body is the same, and so are its strides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.features.layout import layout_of
from gambol.features.strides import find_strides
from gambol.io import samples
from gambol.motion.gather import gather_at_root
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton

_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add_still_root(motion: Motion) -> Motion:
    """Put a joint at the origin above the pelvis, and one beside it, below the new root, that follows a hand."""
    old, count = motion.skeleton, len(motion)
    hand = motion.placement.positions[:, motion.rig.parts["left_hand"]]  # type: ignore[union-attr]
    last = len(old.names) + 1
    skeleton = Skeleton(
        ("root", *old.names, "beside"),
        (-1, *(parent + 1 for parent in old.parents), 0),
        np.vstack((np.zeros(3), old.offsets, np.zeros(3))),
        (
            *(Dof(0, kind, axis) for kind in ("slide", "turn") for axis in _AXES),  # type: ignore[arg-type]
            *(replace(dof, joint=dof.joint + 1) for dof in old.dofs),
            *(Dof(last, "slide", axis) for axis in _AXES),
        ),
        np.vstack(([1.0, 0.0, 0.0, 0.0], old.rests, [1.0, 0.0, 0.0, 0.0])),
        frozenset(end + 1 for end in old.ends),
    )
    rig = replace(motion.rig, parts={part: joint + 1 for part, joint in motion.rig.parts.items()})  # type: ignore
    return replace(motion, skeleton=skeleton, q=np.hstack((np.zeros((count, 6)), motion.q, hand)), rig=rig)


def test_the_root_carries_the_body_and_what_is_beside_it() -> None:
    walk = add_still_root(samples.by_name("walk"))
    gathered = gather_at_root(walk)
    assert np.ptp(walk.placement.positions[:, 0], axis=0).max() == 0.0
    assert gathered.placement.positions[:, 1:] == pytest.approx(walk.placement.positions[:, 1:], abs=1e-9)
    assert np.ptp(gathered.placement.positions[:, 0, 0]) > 3.0
    below = gathered.skeleton.columns(1)
    assert np.ptp(gathered.q[:, below], axis=0).max() < 1e-12


def test_a_pelvis_that_is_the_root_is_left_alone() -> None:
    walk = samples.by_name("walk")
    assert gather_at_root(walk) is walk


def test_strides_are_those_of_the_body() -> None:
    walk = samples.by_name("walk")
    rooted = add_still_root(walk)
    own, found = find_strides(walk), find_strides(rooted)
    assert [stride.period for stride in found] == [stride.period for stride in own]
    assert found[0].root[:, 1:].mean(axis=0) == pytest.approx(own[0].root[:, 1:].mean(axis=0), abs=1e-3)
    again = layout_of(rooted, found).motion(found[0].rotations, np.zeros((65, 3)), 0.01, "again")
    spans = np.ptp(again.placement.positions[:, 1], axis=0)
    assert spans.max() < 0.2  # no travel is left in the pelvis below a root that stays
