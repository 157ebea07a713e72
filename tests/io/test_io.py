"""Choosing readers and writers, and never losing a file."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import load_recording, save
from gambol.io.output import atomic_write
from gambol.io.tables import tabulate_joints, tabulate_plates
from gambol.motion.recording import ForcePlate, Markers, Recording, Table
from tests.io.test_bvh import SMALL
from tests.motion.bodies import person, standing


@pytest.fixture
def motion():
    return standing(person())


def test_content_decides_where_the_extension_does_not(tmp_path: Path, motion) -> None:
    for suffix in (".bvh", ".glb"):
        save(motion, tmp_path / f"clip{suffix}")
        (tmp_path / f"clip{suffix}").rename(tmp_path / "clip.data")
        np.testing.assert_allclose(
            load(tmp_path / "clip.data").placement.positions, motion.placement.positions, atol=1e-5
        )


def test_recordings_and_motions_point_to_each_other(tmp_path: Path) -> None:
    table = tmp_path / "force.sto"
    table.write_text("force\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\ntime\tx\n0\t1\n1\t2\n")
    with pytest.raises(InputError, match="load_recording"):
        load(table)
    clip = tmp_path / "clip.bvh"
    clip.write_text(SMALL)
    with pytest.raises(InputError, match=r"gambol\.load"):
        load_recording(clip)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("walk.fbx", b"Kaydara FBX Binary  \x00", "Blender"),
        ("walk.bvh", b"Kaydara FBX Binary  \x00", "Blender"),
        ("body.asf", b":version 1.10", r"\.amc"),
        ("empty.bvh", b"", "empty"),
        ("blank.bvh", b" \n\n ", "empty"),
        ("notes.txt", b"hello", "unknown file format"),
        ("blob.bvh", bytes(range(256)), "not a BVH"),
    ],
)
def test_unreadable_files_raise_errors_with_a_fix(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(path)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    (tmp_path / "other.bvh").write_text(SMALL)
    with pytest.raises(InputError, match=r"no such file; files in that folder: other\.bvh"):
        load(tmp_path / "walk.bvh")
    with pytest.raises(InputError, match="folder"):
        load(tmp_path)


def test_one_frame_is_a_pose(tmp_path: Path) -> None:
    path = tmp_path / "pose.bvh"
    path.write_text(SMALL[: SMALL.index("1 91")].replace("Frames: 3", "Frames: 1"))
    pose = load(path)
    assert len(pose) == 2
    assert (pose.q[0] == pose.q[1]).all()
    assert "a single pose: read as two frames" in pose.notes


def test_frame_rate_can_be_corrected(tmp_path: Path) -> None:
    path = tmp_path / "clip.bvh"
    path.write_text(SMALL)
    assert load(path, fps=60).frame_time == 1 / 60
    for wrong in (0.0, -5.0, float("nan"), float("inf")):
        with pytest.raises(InputError, match="frames per second"):
            load(path, fps=wrong)


def test_several_characters_become_numbered_files(tmp_path: Path, motion) -> None:
    files = save([motion, motion], tmp_path / "pair.bvh")
    assert [f.name for f in files] == ["pair_1.bvh", "pair_2.bvh"]
    assert all(f.exists() for f in files)


def test_unknown_extensions_are_refused_with_the_known_ones(tmp_path: Path, motion) -> None:
    with pytest.raises(InputError, match=r"choose one of \.bvh"):
        save(motion, tmp_path / "walk.xyz")
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "kept.txt"
    path.write_text("before")
    with pytest.raises(FileNotFoundError), atomic_write(path) as temporary:
        temporary.write_bytes((tmp_path / "half.txt").read_bytes())
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_unwritable_places_are_named_before_any_work(tmp_path: Path, motion) -> None:
    with pytest.raises(InputError, match="does not exist"):
        save(motion, tmp_path / "nowhere" / "walk.bvh")
    (tmp_path / "folder.bvh").mkdir()
    with pytest.raises(InputError, match="folder"):
        save(motion, tmp_path / "folder.bvh")
    if os.geteuid() != 0:  # root may write anywhere
        (tmp_path / "locked").mkdir(mode=0o500)
        with pytest.raises(InputError, match="permission"):
            save(motion, tmp_path / "locked" / "walk.bvh")


def test_joint_angles_as_columns(tmp_path: Path, motion) -> None:
    """CSV and STO hold the coordinates in metres and degrees, and read back to the same numbers."""
    save(motion, tmp_path / "walk.sto")
    table = load_recording(tmp_path / "walk.sto")
    slides = np.array([d.kind == "slide" for d in motion.skeleton.dofs])
    np.testing.assert_allclose(np.where(slides, table.values, np.radians(table.values)), motion.q, atol=1e-12)
    np.testing.assert_allclose(table.times, motion.times, atol=1e-12)
    save(motion, tmp_path / "walk.csv")
    lines = [line for line in (tmp_path / "walk.csv").read_text().splitlines() if not line.startswith("#")]
    assert lines[0].split(",")[:4] == ["time", "pelvis_tx", "pelvis_ty", "pelvis_tz"]
    assert len(lines) == len(motion) + 1


def test_columns_have_the_signs_of_the_world_whatever_the_file_faces(tmp_path: Path, motion) -> None:
    """The same walk on a rig that faces the other way: the same numbers in the same columns."""
    back = np.diag([-1.0, -1.0, 1.0])
    slides = np.array([d.kind == "slide" for d in motion.skeleton.dofs])
    turned = replace(motion, skeleton=motion.skeleton.change_axes(back))
    again = replace(turned, skeleton=turned.skeleton.change_axes(back.T))
    table, other = tabulate_joints(motion), tabulate_joints(again)
    np.testing.assert_allclose(table.values, other.values)
    flipped = tabulate_joints(turned)
    x, y = (table.labels.index(f"pelvis_t{axis}") for axis in "xy")
    np.testing.assert_allclose(flipped.values[:, [x, y]], -table.values[:, [x, y]])
    assert slides.sum() == 3


def test_plates_are_written_as_opensim_has_them() -> None:
    """x forward, y up, z to the right."""
    force = np.tile([10.0, 20.0, 700.0], (4, 1))
    plate = ForcePlate(np.zeros((4, 3)), force, np.zeros((4, 3)), np.full(4, 3.0), 0.01)
    empty = Markers((), np.zeros((4, 0, 3)), 0.01)
    table = tabulate_plates(Recording(empty, (plate,), Table((), np.zeros((4, 0)), np.arange(4) * 0.01)))
    assert [table[f"ground_force_1_v{axis}"][0] for axis in "xyz"] == [10.0, 700.0, -20.0]
    assert table["ground_torque_1_y"][0] == 3.0
