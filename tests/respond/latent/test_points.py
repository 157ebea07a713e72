"""Body points against forward kinematics, the centre of mass against Pinocchio."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.body.tripod import make_tripod
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.skeleton import Dof
from gambol.respond.latent.points import FOOT_ENDS, find_body_points
from gambol.stages.feet import find_foot_points, track_point


def test_points_are_centres_of_mass_and_ends_of_feet(walk: Fit) -> None:
    points = find_body_points(walk.character)
    positions, centres = points.locate(walk.motion.q[:7])
    assert len(points) == 20
    assert points.names[points.feet[3]] == "right_ball"
    tracks = {point.name: track_point(walk.motion, point)[:7] for point in find_foot_points(walk.motion)}
    for index, name in zip(points.feet, FOOT_ENDS, strict=True):
        assert positions[:, index] == pytest.approx(tracks[name], abs=1e-12)
    np.testing.assert_allclose(centres, Dynamics(walk.character).center_of_mass(walk.motion.q[:7]), atol=1e-12)
    # Without the feet, the mean of the points weighted by mass is the centre of mass of the rest.
    legless = [n for n, name in enumerate(points.names) if name not in FOOT_ENDS]
    masses = np.array([walk.character.masses[points.joints[n]] for n in legless])
    feet = [walk.character.body(f"{side}_foot") for side in ("left", "right")]
    placed = place(walk.character.skeleton, walk.motion.q[:7])
    moments = Dynamics(walk.character).center_of_mass(walk.motion.q[:7]) * walk.character.mass
    for foot in feet:
        centre = placed.positions[:, foot] + quat.rotate(placed.rotations[:, foot], walk.character.centers[foot])
        moments = moments - walk.character.masses[foot] * centre
    np.testing.assert_allclose(np.einsum("p,fpx->fx", masses, positions[:, legless]), moments, atol=1e-10)


def test_a_body_without_feet_or_with_other_root_axes_is_refused(walk: Fit) -> None:
    with pytest.raises(InputError, match="heels"):
        find_body_points(make_tripod())
    skeleton = walk.character.skeleton
    dofs = list(skeleton.dofs)
    dofs[3] = Dof(0, "turn", (1.0, 0.0, 0.0))
    tilted = replace(walk.character, skeleton=replace(skeleton, dofs=tuple(dofs)))
    with pytest.raises(InputError, match="vertical"):
        find_body_points(tilted)
