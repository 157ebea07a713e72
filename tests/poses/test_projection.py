"""Poses nearest to given ones: targets in place, limits kept, coordinates that no target needs left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.human import make_human
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.poses.projection import NEAR, project_poses
from gambol.poses.targets import BodyTarget, aim_point, measure_targets


@pytest.fixture(scope="module")
def man() -> Character:
    return make_human(make_average_build(1.75), 80.0)


def place_feet(man: Character, shift: Array) -> tuple[Array, list[BodyTarget]]:
    """Three poses with bent legs, and feet that should be a shift (m) from where they are in the first."""
    skeleton = man.skeleton
    q = np.zeros((3, len(skeleton.dofs)))
    for side in ("left", "right"):
        for part, angle in (("thigh", -0.5), ("shank", 1.0), ("foot", -0.5)):
            q[:, skeleton.columns(skeleton.index(f"{side}_{part}"))[0]] = angle
    positions = place(skeleton, q).positions[0]
    feet = [skeleton.index(f"{side}_foot") for side in ("left", "right")]
    return q, [aim_point(foot, np.zeros(3), positions[foot] + shift) for foot in feet]


def test_feet_come_to_their_places_and_arms_stay(man: Character) -> None:
    q, targets = place_feet(man, np.array([0.05, -0.02, 0.03]))
    found = project_poses(man.skeleton, targets, q)
    assert np.abs(measure_targets(man.skeleton, targets, found)[0]).max() < NEAR
    np.testing.assert_allclose(found, found[:1].repeat(3, axis=0), atol=1e-12)
    arms = [n for n, dof in enumerate(man.skeleton.dofs) if "arm" in man.skeleton.names[dof.joint]]
    np.testing.assert_array_equal(found[:, arms], q[:, arms])
    np.testing.assert_array_equal(project_poses(man.skeleton, targets, found), found)
    exact = project_poses(man.skeleton, targets, q, 1e-10)
    assert np.abs(measure_targets(man.skeleton, targets, exact)[0]).max() < 1e-10


def test_poses_stay_within_limits(man: Character) -> None:
    """Knees that must not bend further: the rest of the body brings the feet up."""
    knees = [man.skeleton.columns(man.skeleton.index(f"{side}_shank"))[0] for side in ("left", "right")]
    dofs = tuple(replace(d, upper=1.0) if n in knees else d for n, d in enumerate(man.skeleton.dofs))
    skeleton = replace(man.skeleton, dofs=dofs)
    q, targets = place_feet(man, np.array([0.0, 0.0, 0.1]))
    assert (project_poses(man.skeleton, targets, q)[:, knees] > 1.01).all()
    found = project_poses(skeleton, targets, q)
    assert (found[:, knees] <= 1.0).all()
    assert np.abs(measure_targets(skeleton, targets, found)[0]).max() < NEAR


def test_without_targets_poses_stay(man: Character) -> None:
    q, _ = place_feet(man, np.zeros(3))
    np.testing.assert_array_equal(project_poses(man.skeleton, [], q), q)


def test_a_short_way_is_the_shortest_with_a_root_that_hardly_tilts(man: Character) -> None:
    """Of coordinates scaled by their freedom, the change has no part that moves no target."""
    q, targets = place_feet(man, np.array([1e-3, 0.0, 5e-4]))
    change = project_poses(man.skeleton, targets, q[:1])[0] - q[0]
    freedom = np.array([0.1 if dof.joint == 0 and dof.kind == "turn" else 1.0 for dof in man.skeleton.dofs])
    jacobian = measure_targets(man.skeleton, targets, q[:1])[1][0]
    scaled = change / np.sqrt(freedom)
    rows = jacobian * np.sqrt(freedom)
    across = scaled - np.linalg.lstsq(rows.T, scaled)[0] @ rows
    assert np.linalg.norm(across) < 0.01 * np.linalg.norm(scaled)
