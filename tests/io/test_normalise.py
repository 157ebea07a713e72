"""Units, axes, rigs and artificial poses are found, not asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io.normalise import UNITS, drop_artificial_pose, normalise_motion
from gambol.motion.motion import CYCLIC, Motion, Origin
from tests.motion.bodies import person, standing

MIXAMO = {"pelvis": "Hips", "spine": "Spine", "chest": "Spine2", "neck": "Neck", "head": "Head"} | {
    f"{side}_{part}": f"{side.title()}{name}"
    for side in ("left", "right")
    for part, name in {
        "collar": "Shoulder", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand", "thigh": "UpLeg",
        "shank": "Leg", "foot": "Foot", "toes": "ToeBase",
    }.items()
}  # fmt: skip

TO_FILE = {
    "y up, z forward": CYCLIC.T,
    "z up, x forward": np.eye(3),
    "z up, y backward": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).T,
    "y up, x forward": np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]).T,
    "y up, z backward": CYCLIC.T @ np.diag([-1.0, -1.0, 1.0]),
}


def as_in_file(axes: np.ndarray, unit: float) -> Motion:
    """A standing person as a file with other axes and units would have it."""
    motion = standing(person(MIXAMO))
    slides = np.array([d.kind == "slide" for d in motion.skeleton.dofs])
    if not np.isclose(np.linalg.det(axes), 1.0):
        axes = axes * np.linalg.det(axes)
    return replace(
        motion,
        skeleton=motion.skeleton.change_axes(axes, 1.0 / unit),
        q=np.where(slides, motion.q / unit, motion.q),
        origin=Origin(format="bvh", unit=float("nan"), axes=np.eye(3)),
    )


@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS.keys())
@pytest.mark.parametrize("axes", TO_FILE.values(), ids=TO_FILE.keys())
def test_any_unit_and_any_axes_give_the_same_motion(unit: float, axes: np.ndarray) -> None:
    expected = standing(person(MIXAMO)).placement.positions
    found = normalise_motion(as_in_file(axes, unit))
    assert found.origin.unit == unit
    np.testing.assert_allclose(found.placement.positions, expected, atol=1e-9)


def test_overrides_win() -> None:
    raw = as_in_file(CYCLIC.T, 0.01)
    assert normalise_motion(raw, scale=0.02).origin.unit == 0.02
    upside = normalise_motion(raw, up="-y")
    np.testing.assert_array_equal(upside.origin.axes[2], [0.0, -1.0, 0.0])
    with pytest.raises(InputError, match="unknown axis 'w'"):
        normalise_motion(raw, up="w")
    with pytest.raises(InputError, match="positive number of metres"):
        normalise_motion(raw, scale=-1.0)


@pytest.mark.parametrize("up", ["x", "-x", "y", "-y", "z", "-z", "+z"])
def test_any_axis_may_be_up(up: str) -> None:
    normalised = normalise_motion(as_in_file(CYCLIC.T, 0.01), up=up)
    assert np.linalg.det(normalised.origin.axes) == pytest.approx(1.0)


@pytest.mark.parametrize(("frame_time", "factor"), [(1e300, 1.0), (1e-320, 1.0), (0.01, 1e200)])
def test_implausible_numbers_are_refused(frame_time: float, factor: float) -> None:
    raw = as_in_file(CYCLIC.T, 0.01)
    skeleton = replace(raw.skeleton, offsets=raw.skeleton.offsets * factor)
    with pytest.raises(InputError, match=r"frame time .* outside|larger than"):
        normalise_motion(replace(raw, frame_time=frame_time, skeleton=skeleton))


def test_a_stated_unit_is_kept_unless_it_makes_no_person() -> None:
    raw = as_in_file(CYCLIC.T, 1.0)
    stated = replace(raw, origin=replace(raw.origin, unit=1.0))
    assert normalise_motion(stated).origin.unit == 1.0
    wrong = replace(as_in_file(CYCLIC.T, 0.01), origin=replace(raw.origin, unit=1.0))
    assert normalise_motion(wrong).origin.unit == 0.01


def test_a_cmu_clip_is_measured_and_loses_its_artificial_pose_and_no_more(cmu_clips: list[Path]) -> None:
    odd = [path for path in cmu_clips if path.stem == "07_12"]
    assert odd
    for path in [*cmu_clips[::5], *odd]:
        frames = int(next(line for line in path.open() if line.startswith("Frames")).split()[1])
        motion = load(path)
        artificial = 2 if path.stem == "07_12" else 1  # its first recorded frame is a pose of zeros
        assert len(motion) == frames - artificial, path.name
        assert motion.rig.kind == "CMU"
        np.testing.assert_allclose(motion.origin.unit, 0.056444, atol=1e-6)
        np.testing.assert_array_equal(motion.origin.axes, CYCLIC)
        assert len(drop_artificial_pose(motion)) == len(motion), path.name


def test_two_people_keep_their_common_frame(data: Path) -> None:
    """They shake hands: the right hands meet while the bodies stay apart."""
    one, other = (load(data / "cmu_bvh" / "two_person" / f"{n}_01.bvh") for n in (18, 19))
    hands = [m.placement.positions[:, m.rig.parts["right_hand"]] for m in (one, other)]
    hips = [m.placement.positions[:, 0] for m in (one, other)]
    assert np.linalg.norm(hands[0] - hands[1], axis=1).min() < 0.6
    assert np.linalg.norm(hips[0] - hips[1], axis=1).min() > 0.6


def test_a_lying_person_does_not_change_the_up_axis(data: Path) -> None:
    for path in sorted((data / "cmu_bvh" / "fall_stumble_slip").glob("*.bvh")):
        np.testing.assert_array_equal(load(path).origin.axes, CYCLIC)


def test_a_real_start_in_t_pose_is_kept() -> None:
    motion = normalise_motion(as_in_file(CYCLIC.T, 0.01))
    arms = [c for c, d in enumerate(motion.skeleton.dofs) if motion.skeleton.names[d.joint].endswith("Arm")]
    q = motion.q.copy()
    q[:, arms] *= np.linspace(0.0, 1.0, len(q))[:, None]
    assert len(drop_artificial_pose(replace(motion, q=q))) == len(q)


def test_a_person_in_no_known_unit_is_taken_as_an_adult() -> None:
    """388 units from head to foot are no person in metres, centimetres or inches."""
    raw = as_in_file(CYCLIC.T, 1.0 / 240.0)
    for stated in (1.0, float("nan")):
        found = normalise_motion(replace(raw, origin=replace(raw.origin, unit=stated)))
        height = float(np.ptp(found.placement.positions[0, :, 2]))
        assert 1.4 < height < 2.0
        assert any("not a person in any known unit" in note and "--scale" in note for note in found.notes)


def test_the_rest_pose_decides_not_the_first_frame() -> None:
    """The clip begins in a handstand-like pose: all joints are found as in the rest pose."""
    bare = {part: f"b{n}" for n, part in enumerate(MIXAMO)}
    motion = standing(person(bare))
    raw = replace(motion, origin=Origin(format="bvh", unit=1.0, axes=np.eye(3)))
    turned = raw.q.copy()
    turned[:, 4] = np.pi
    tumbling = normalise_motion(replace(raw, q=turned), up="z")
    assert tumbling.rig is not None
    assert {part: tumbling.skeleton.names[j] for part, j in tumbling.rig.parts.items()} == bare


def test_an_animal_keeps_the_usual_up_axis_and_says_what_it_is() -> None:
    from gambol.body.measure import require_rig
    from tests.motion.test_rig import COMMON, four_legs

    skeleton = four_legs(COMMON).change_axes(CYCLIC.T, 60.0)
    raw = Motion(skeleton, np.zeros((5, 3)), 1 / 30, origin=Origin(format="gltf", unit=1.0, axes=np.eye(3)))
    found = normalise_motion(raw)
    assert found.rig is None
    np.testing.assert_array_equal(found.origin.axes, CYCLIC)
    assert found.origin.unit == 0.01
    with pytest.raises(InputError, match="not a person: four legs; info, view"):
        require_rig(found)
