"""The built-in motions keep the laws that a person's motion keeps."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.motion import Motion

HEIGHT = 1.75
SOLE = -0.039 * HEIGHT
"""The sole's height seen from the ankle of a flat foot."""
BALL_HEIGHT = 0.02
ON_FLOOR = 2e-6
"""Metres from its planted height within which a point counts as planted: the rounding of the files."""

SEGMENTS = (
    ("Hips", "Spine", 0.112, 0.1),
    ("Spine", "Chest", 0.163, 0.5),
    ("Chest", "Neck", 0.160, 0.5),
    ("Neck", "Head_end", 0.069, 0.55),
    *(
        (side + a, side + b, share, fraction)
        for side in ("Left", "Right")
        for a, b, share, fraction in (
            ("Arm", "ForeArm", 0.027, 0.577),
            ("ForeArm", "Hand", 0.016, 0.457),
            ("Hand", "Hand_end", 0.006, 0.4),
            ("UpLeg", "Leg", 0.142, 0.41),
            ("Leg", "Foot", 0.043, 0.446),
            ("Foot", "ToeBase", 0.014, 0.44),
        )
    ),
)
"""Start joint, end joint, mass fraction, centre of mass as a fraction of the length: de Leva (1996), men, rounded."""

SIDES = ("Left", "Right")


def at(motion: Motion, joint: str) -> Array:
    return motion.placement.positions[:, motion.skeleton.index(joint)]


def on_foot(motion: Motion, joint: str, offset: tuple[float, float, float]) -> Array:
    return at(motion, joint) + quat.rotate(motion.placement.rotations[:, motion.skeleton.index(joint)], offset)


def heel(motion: Motion, side: str) -> Array:
    return on_foot(motion, f"{side}Foot", (-0.05, 0.0, SOLE))


def soles(motion: Motion) -> Array:
    """Points under both feet, (points, frames, 3): heels, balls, tips of the toes."""
    ahead = 0.7 * 0.152 * HEIGHT - 0.05
    return np.stack(
        [
            point
            for side in SIDES
            for point in (
                heel(motion, side),
                on_foot(motion, f"{side}Foot", (ahead, 0.0, SOLE)),
                on_foot(motion, f"{side}ToeBase", (0.3 * 0.152 * HEIGHT, 0.0, -BALL_HEIGHT)),
            )
        ]
    )


def center_of_mass(motion: Motion) -> Array:
    parts = [s * ((1.0 - f) * at(motion, a) + f * at(motion, b)) for a, b, s, f in SEGMENTS]
    return sum(parts) / sum(s for _, _, s, _ in SEGMENTS)


def in_flight(motion: Motion) -> Array:
    """Frames whose neighbours are in the air as well."""
    up = soles(motion)[..., 2].min(axis=0) > 0.003
    return np.flatnonzero(up[:-2] & up[1:-1] & up[2:]) + 1


@pytest.fixture(scope="module", params=samples.names())
def motion(request: pytest.FixtureRequest) -> Motion:
    return samples.by_name(request.param)


def test_motions_are_found_by_name_and_unknown_names_list_them() -> None:
    assert samples.names() == ("stand", "walk", "run", "jump")
    assert samples.jump().name == "jump"
    with pytest.raises(InputError, match="stand, walk, run, jump"):
        samples.by_name("swim")


def test_figure_is_an_adult_in_metres_at_60_hertz(motion: Motion) -> None:
    bones = dict(zip(motion.skeleton.names, np.linalg.norm(motion.skeleton.offsets, axis=1), strict=True))
    assert bones["LeftLeg"] == pytest.approx(0.245 * HEIGHT, abs=1e-6)
    assert bones["RightForeArm"] == pytest.approx(0.186 * HEIGHT, abs=1e-6)
    assert motion.frame_time == pytest.approx(1.0 / 60.0, abs=1e-9)
    assert at(motion, "Head_end")[:, 2].max() < 2.2


@pytest.mark.parametrize(("name", "least"), [("stand", 1.0), ("walk", 0.45), ("run", 0.22), ("jump", 0.75)])
def test_planted_points_do_not_slide(name: str, least: float) -> None:
    motion = samples.by_name(name)
    for side in SIDES:
        for point, height in ((heel(motion, side), 0.0), (at(motion, f"{side}ToeBase"), BALL_HEIGHT)):
            planted = np.abs(point[:, 2] - height) < ON_FLOOR
            both = planted[1:] & planted[:-1]
            speed = np.linalg.norm(np.diff(point, axis=0), axis=1)[both] / motion.frame_time
            assert speed.max() < 1e-3
        assert planted.mean() >= least


def test_nothing_goes_through_the_floor(motion: Motion) -> None:
    assert soles(motion)[..., 2].min() > -1e-3
    assert motion.placement.positions[..., 2].min() > 0.0


def test_knees_are_hinges_that_never_bend_backwards(motion: Motion) -> None:
    for side in SIDES:
        columns = motion.skeleton.columns(motion.skeleton.index(f"{side}Leg"), "turn")
        about_x, flexion, about_z = np.degrees(motion.q[:, columns]).T
        assert np.abs([about_x, about_z]).max() < 1e-3
        assert flexion.min() > 1.0
        assert flexion.max() < 125.0


def test_no_joint_snaps(motion: Motion) -> None:
    turns = [d.kind == "turn" for d in motion.skeleton.dofs]
    acceleration = np.diff(motion.q[:, turns], 2, axis=0) / motion.frame_time**2
    assert np.abs(acceleration).max() < 800.0


@pytest.mark.parametrize(("name", "least"), [("run", 16), ("jump", 22)])
def test_flight_is_free_fall(name: str, least: int) -> None:
    motion = samples.by_name(name)
    frames = in_flight(motion)
    assert len(frames) >= least
    acceleration = np.diff(center_of_mass(motion), 2, axis=0)[frames - 1] / motion.frame_time**2
    np.testing.assert_allclose(acceleration, np.tile([0.0, 0.0, -9.81], (len(frames), 1)), atol=0.3)


def test_standing_and_walking_never_leave_the_floor() -> None:
    for motion in (samples.stand(), samples.walk()):
        assert len(in_flight(motion)) == 0


@pytest.mark.parametrize(("name", "cycle", "stride"), [("walk", 64, 1.35 * 64 / 60), ("run", 42, 3.2 * 42 / 60)])
def test_gait_repeats_every_cycle_and_mirrors_every_half(name: str, cycle: int, stride: float) -> None:
    motion = samples.by_name(name)
    places = motion.placement.positions
    np.testing.assert_allclose(places[cycle:], places[:-cycle] + [stride, 0.0, 0.0], atol=1e-5)

    other = [_other_side(joint) for joint in motion.skeleton.names]
    mirrored = places[:, [motion.skeleton.index(joint) for joint in other]] * [1.0, -1.0, 1.0]
    half = cycle // 2
    np.testing.assert_allclose(places[half:], mirrored[:-half] + [0.5 * stride, 0.0, 0.0], atol=1e-5)


def test_jump_begins_and_ends_at_rest_further_on() -> None:
    jump = samples.jump()
    joints = [jump.skeleton.index(j) for j in ("Hips", "Head", "LeftFoot", "RightHand")]
    moved = jump.placement.positions[-1] - jump.placement.positions[0]
    np.testing.assert_allclose(moved[joints], np.tile([1.45, 0.0, 0.0], (4, 1)), atol=0.02)
    speed = np.diff(jump.placement.positions, axis=0) / jump.frame_time
    assert np.abs(speed[[0, -1]]).max() < 0.01


def _other_side(joint: str) -> str:
    if joint.startswith("Left"):
        return joint.replace("Left", "Right", 1)
    return joint.replace("Right", "Left", 1) if joint.startswith("Right") else joint
