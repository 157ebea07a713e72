"""Knees and elbows that bend as no person's do, and limbs inside other parts, are seen when and where they are."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.vectors import cross, unit_vectors
from gambol.judge.capsules import wrap_body
from gambol.judge.finding import Finding
from gambol.judge.limbs import ELBOW_SIDEWAYS, FEET_CROSSING, KNEE_BACKWARD, LIMB_THROUGH_LIMB, find_limb_faults
from gambol.judge.seen import see_person
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.judge.damages import Damaged, flip_knee, push_arm_into_trunk
from tests.judge.bodies import bump, person, turn
from tests.judge.test_stances import BUILT_IN, clip


def found(motion: Motion) -> list[Finding]:
    return [one for one in find_limb_faults(see_person(motion)) if one.severity > 1.0]


def damage(make: partial[Damaged | None], seed: int) -> Damaged:
    damaged = make(clip("walk"), np.random.default_rng(seed))
    assert damaged is not None
    return damaged


@pytest.mark.parametrize("name", BUILT_IN)
def test_sound_clips_have_no_faults_of_limbs(name: str) -> None:
    assert found(clip(name)) == []
    assert found(reflect_motion(clip(name))) == []


@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_knee_that_is_flipped_is_seen_on_its_leg(seed: int, backward: bool) -> None:
    damaged = damage(partial(flip_knee, backward=backward), seed)
    knees = [one for one in found(damaged.motion) if one.kind.name.startswith("knee")]
    assert {one.limbs for one in knees} == {damaged.limbs}
    assert any(one.start <= damaged.end and damaged.start <= one.end for one in knees)
    if backward:
        assert KNEE_BACKWARD in {one.kind for one in knees}


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("degrees", [30.0, -45.0])
def test_an_elbow_that_bends_sideways_is_seen_by_its_angle(side: str, degrees: float) -> None:
    """The forearm turns about the axis across both the hinge and itself."""
    walk = person("walk")
    shoulder, elbow, wrist = (walk.places[f"{side}_{part}"] for part in ("upper_arm", "forearm", "hand"))
    hinge = unit_vectors(cross(elbow - shoulder, wrist - elbow))
    about = unit_vectors(cross(hinge, wrist - elbow))
    turned = quat.from_axis_angle(about, np.radians(degrees) * bump(walk, 1.5, 0.5))
    bent = turn(walk, turned, elbow, [f"{side}_forearm", f"{side}_hand"])
    (one,) = [one for one in find_limb_faults(bent) if one.kind.name == ELBOW_SIDEWAYS.name and one.severity > 1.0]
    assert (one.part, one.value) == (f"{side}_elbow", pytest.approx(abs(degrees), rel=0.15))
    assert 1.5 < one.start < one.end < 2.0


@pytest.mark.parametrize("seed", range(3))
def test_an_arm_in_the_trunk_is_seen(seed: int) -> None:
    damaged = damage(partial(push_arm_into_trunk), seed)
    (one,) = [one for one in found(damaged.motion) if one.kind.name == LIMB_THROUGH_LIMB.name]
    assert one.limbs == damaged.limbs
    assert "trunk" in one.part
    assert one.start <= damaged.end
    assert damaged.start <= one.end


def test_legs_that_pass_through_each_other_cross() -> None:
    """Thighs turn inward together until the feet have changed sides, and back."""
    stand = clip("stand")
    assert stand.rig is not None
    q, turned = stand.q.copy(), np.radians(25.0) * np.sin(np.linspace(0.0, np.pi, len(stand))) ** 2
    for side, sign in (("left", 1.0), ("right", -1.0)):
        columns = [n for n, dof in enumerate(stand.skeleton.dofs) if dof.joint == stand.rig.parts[f"{side}_thigh"]]
        leftward = {n: _move_left(stand, n, f"{side}_foot") for n in columns}
        column = max(columns, key=lambda n: abs(leftward[n]))
        q[:, column] -= sign * np.sign(leftward[column]) * turned
    kinds = {one.kind.name for one in found(replace(stand, q=q))}
    assert FEET_CROSSING.name in kinds


def _move_left(motion: Motion, column: int, part: str) -> float:
    """How far (m) a part moves to the left per radian of a coordinate, in the first frame."""
    assert motion.rig is not None
    parts, q = motion.rig.parts, np.repeat(motion.q[:1], 2, axis=0)
    q[1, column] += 1e-3
    placed = replace(motion, q=q).placement.positions
    left = placed[0, parts["left_thigh"]] - placed[0, parts["right_thigh"]]
    return float((placed[1] - placed[0])[parts[part]] @ left / np.linalg.norm(left) / 1e-3)


def test_a_trunk_without_a_joint_is_between_hips_and_shoulders() -> None:
    walk = person("walk")
    short = replace(walk, places={part: path for part, path in walk.places.items() if part not in ("chest", "spine")})
    hips, shoulders = (
        0.5 * (walk.places[f"left_{end}"] + walk.places[f"right_{end}"]) for end in ("thigh", "upper_arm")
    )
    body = wrap_body(short)
    lower, upper = (body.ends[:, n] for n, part in enumerate(body.parts) if part == "trunk")
    middle = 0.5 * (hips + shoulders)
    np.testing.assert_allclose(lower, np.stack((hips, middle), axis=1))
    np.testing.assert_allclose(upper, np.stack((middle, shoulders), axis=1))
