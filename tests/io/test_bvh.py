"""BVH: every dialect we have met, round trips on real files, and hostile input."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import save
from gambol.io.bvh.read import read_bvh
from gambol.io.bvh.write import format_bvh
from gambol.motion.kinematics import place
from gambol.motion.motion import Motion
from tests.motion.bodies import random_skeleton

SMALL = """HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Knee
  {
    OFFSET 0 -10 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 -8 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0083333
0 90 0 10 20 30 40 50 60
1 91 1 11 21 31 41 51 61
2 92 2 12 22 32 42 52 62
"""


def write(folder: Path, text: str | bytes, name: str = "clip.bvh") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_positions_by_hand(tmp_path: Path) -> None:
    """Channel orders are intrinsic; the root's position channels are where it is."""
    motion = read_bvh(write(tmp_path, SMALL))[0]
    hips, knee, end = place(motion.skeleton, motion.q).positions[1]
    turned = Rotation.from_euler("ZYX", [11, 21, 31], degrees=True)
    below = turned * Rotation.from_euler("YXZ", [41, 51, 61], degrees=True)
    np.testing.assert_allclose(hips, [1, 91, 1], atol=1e-12)
    np.testing.assert_allclose(knee, hips + turned.apply([0, -10, 0]), atol=1e-12)
    np.testing.assert_allclose(end, knee + below.apply([0, -8, 0]), atol=1e-12)
    assert motion.frame_time == 0.0083333


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace(" ", "\t"),
        lambda t: t.replace("1 91 1 11", "1.0E+00 9.1e1 10e-1 +11."),
        lambda t: t.replace("\n{", " {").replace("Knee\n  {", "Knee {"),
        lambda t: t.replace("rotation", "ROTATION").replace("MOTION", "Motion"),
        lambda t: t.replace("Frame Time: 0.0083333\n", "Frame Time:\t.0083333 \n"),
        lambda t: t.replace("31 41 51", "31\n41 51").replace("30 40", "30\n40").replace("32 42", "32\n42"),
        lambda t: t + "\n\n",
        lambda t: "\n" + t,
        lambda t: "\ufeff" + t,
        lambda t: t.replace("\n", "\r"),
    ],
)
def test_dialects_read_the_same(tmp_path: Path, change) -> None:
    expected = read_bvh(write(tmp_path, SMALL))[0]
    motion = read_bvh(write(tmp_path, change(SMALL), "other.bvh"))[0]
    np.testing.assert_array_equal(motion.q, expected.q)
    assert motion.skeleton.names == expected.skeleton.names
    assert motion.frame_time == expected.frame_time


def test_position_channels_on_a_joint_replace_its_offset(tmp_path: Path) -> None:
    text = SMALL.replace("CHANNELS 3 Y", "CHANNELS 6 Xposition Yposition Zposition Y")
    rows = [f"0 90 0 0 0 0 {n} -10 0 0 0 0" for n in range(3)]
    motion = read_bvh(write(tmp_path, text[: text.index("0 90 0")] + "\n".join(rows) + "\n"))[0]
    np.testing.assert_allclose(place(motion.skeleton, motion.q).positions[2, 1], [2, 80, 0])


def test_position_channels_near_zero_add_to_the_offset(tmp_path: Path) -> None:
    text = SMALL.replace("CHANNELS 3 Y", "CHANNELS 6 Xposition Yposition Zposition Y")
    rows = [f"0 90 0 0 0 0 0.0{n} 0 0 0 0 0" for n in range(3)]
    motion = read_bvh(write(tmp_path, text[: text.index("0 90 0")] + "\n".join(rows) + "\n"))[0]
    np.testing.assert_allclose(place(motion.skeleton, motion.q).positions[2, 1], [0.02, 80, 0])


def test_several_roots_are_several_characters(tmp_path: Path) -> None:
    head, tail = SMALL[: SMALL.index("MOTION")], SMALL[SMALL.index("MOTION") :]
    second = head.replace("HIERARCHY\n", "").replace("Hips", "Hips2").replace("Knee", "Knee2")
    rows = "\n".join(" ".join([line] * 2) for line in tail.splitlines()[3:])
    motions = read_bvh(write(tmp_path, head + second + "\n".join(tail.splitlines()[:3]) + "\n" + rows + "\n"))
    assert [m.skeleton.names[0] for m in motions] == ["Hips", "Hips2"]
    np.testing.assert_array_equal(motions[0].q, motions[1].q)


def test_real_clips_round_trip_exactly(cmu_clips: list[Path], tmp_path: Path) -> None:
    """Hierarchy, channels and frame time: the second reading equals the first to the last bit."""
    for path in cmu_clips[::12]:
        first = load(path)
        save(first, tmp_path / "again.bvh")
        again = load(tmp_path / "again.bvh")
        assert again.skeleton.names == first.skeleton.names
        assert again.skeleton.dofs == first.skeleton.dofs
        assert again.frame_time == first.frame_time == 0.0083333
        np.testing.assert_array_equal(again.skeleton.offsets, first.skeleton.offsets)
        np.testing.assert_array_equal(again.q, first.q)


@pytest.mark.parametrize("seed", range(8))
def test_any_skeleton_can_be_written(tmp_path: Path, seed: int) -> None:
    """Rest orientations and slanted axes become three rotations; joint positions stay the same."""
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng)
    q = 0.4 * np.cumsum(rng.normal(size=(20, len(skeleton.dofs))), axis=0)
    motion = Motion(skeleton, q, 1 / 30)
    back = read_bvh(write(tmp_path, format_bvh(motion)))[0]
    places = {n: i for i, n in enumerate(back.skeleton.names)}
    ours = motion.placement.positions[:, :, [1, 2, 0]] * 100  # z up metres to y up centimetres
    theirs = place(back.skeleton, back.q).positions[:, [places[n] for n in skeleton.names]]
    np.testing.assert_allclose(theirs, ours, atol=1e-5)


BROKEN = {
    "no motion": (SMALL[: SMALL.index("MOTION")], "no MOTION"),
    "truncated row": (SMALL[:-9], "8 values|values, but the hierarchy|ends after"),
    "missing rows": (SMALL.replace("Frames: 3", "Frames: 30"), "30 frames are declared"),
    "a thousand million frames": (SMALL.replace("Frames: 3", "Frames: 1000000000"), "declared"),
    "wrong width": (SMALL.replace("1 91 1 11", "1 91 1 11 5"), "line 20: 10 values, but"),
    "word in a row": (SMALL.replace("91", "x91"), "line 20"),
    "not a number": (SMALL.replace("91", "NaN"), "line 20: .*finite"),
    "no frames": (SMALL.replace("Frames: 3", "Frames: 0"), "number of frames is 0"),
    "zero time": (SMALL.replace("0.0083333", "0"), "frame time is 0"),
    "negative time": (SMALL.replace("0.0083333", "-1"), "frame time is -1"),
    "unknown channel": (SMALL.replace("Yrotation Xrotation Z", "Yrotation Wrotation Z"), "unknown channel 'wrotation'"),
    "wrong channel count": (SMALL.replace("CHANNELS 3", "CHANNELS 4"), "line 9"),
    "no offset": (SMALL.replace("    OFFSET 0 -10 0\n", ""), "'Knee' has no OFFSET"),
    "infinite offset": (SMALL.replace("OFFSET 0 -10 0", "OFFSET 0 inf 0"), "line 8"),
    "unclosed": (SMALL.replace("}\nMOTION", "MOTION"), "no closing brace"),
    "nonsense": (SMALL.replace("JOINT Knee", "BANANA Knee"), "line 6: 'BANANA"),
    "binary": (bytes(range(256)) * 40, "not a BVH"),
    "deep": ("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
             + "JOINT b\n{\nOFFSET 0 0 0\n" * 100_000 + "MOTION\nFrames: 1\nFrame Time: 1\n0", "more than"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_raise_errors_with_line_numbers(tmp_path: Path, case: str) -> None:
    text, message = BROKEN[case]
    with pytest.raises(InputError, match=message) as caught:
        read_bvh(write(tmp_path, text))
    assert str(caught.value).startswith("clip.bvh")
    assert "\n" not in str(caught.value)


@given(data=st.data())
def test_damaged_files_give_a_motion_or_one_clear_error(tmp_path_factory, data) -> None:
    raw = bytearray(SMALL.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        kind = data.draw(st.sampled_from(["flip", "cut", "repeat", "word"]))
        at = data.draw(st.integers(0, max(0, len(raw) - 1)))
        if kind == "flip" and raw:
            raw[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del raw[at : at + data.draw(st.integers(1, 80))]
        elif kind == "repeat":
            raw[at:at] = raw[at : at + 40] * data.draw(st.integers(1, 5))
        else:
            raw[at:at] = data.draw(
                st.sampled_from([b" nan ", b" 1e999 ", b"{", b"}", b" -1 ", b"\x00", b"\nJOINT x\n{"])
            )
    path = write(tmp_path_factory.mktemp("damaged"), bytes(raw))
    try:
        motion = load(path)
    except InputError as error:
        assert "\n" not in str(error)
    else:
        assert np.isfinite(motion.placement.positions).all()
