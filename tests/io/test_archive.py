"""Archives hold no folders of the machine on which they were written: files by name and content."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gambol.errors import InputError
from gambol.io.archive import is_changed, read_archive, write_archive
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from tests.motion.bodies import person, standing

KINDS = (Motion, Origin, Skeleton, Dof, Rig)


def write(path: Path, clip: Path) -> None:
    motion = replace(standing(person())[:2], origin=Origin(str(clip), "gltf"))
    write_archive(path, "thing", 1, {"motions": [motion], "about": {"who": motion}})


def read(path: Path) -> list[Origin]:
    values = read_archive(path, "thing", 1, KINDS)
    return [motion.origin for motion in (*values["motions"], values["about"]["who"])]


def test_a_clip_is_found_beside_the_file_by_name_and_content(tmp_path: Path) -> None:
    clip = tmp_path / "secret folder" / "walk.glb"
    clip.parent.mkdir()
    clip.write_bytes(b"walk")
    write(tmp_path / "model.npz", clip)
    assert b"secret folder" not in (tmp_path / "model.npz").read_bytes()
    assert {origin.file for origin in read(tmp_path / "model.npz")} == {"walk.glb"}
    clip.rename(tmp_path / "walk.glb")
    first, second = read(tmp_path / "model.npz")
    assert first.file == second.file == str(tmp_path / "walk.glb")
    assert not is_changed(first.file, first.digest)
    Path(first.file).write_bytes(b"run")
    assert is_changed(first.file, first.digest)
    write_archive(tmp_path / "again.npz", "thing", 1, {"motions": [], "about": {"who": standing(person())[:2]}})
    assert read(tmp_path / "again.npz")[0].digest == "", "of no file"


@pytest.mark.parametrize("name", ["a" * 5000, "\0", "..", "", "/"])
def test_names_that_no_file_can_have_are_not_looked_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.npz"
    motion = replace(standing(person())[:2], origin=Origin(name))
    write_archive(path, "thing", 1, {"motions": [motion], "about": {"who": motion}})
    assert not Path(read(path)[0].file).is_absolute()


def test_numbers_whose_products_overflow_are_refused(tmp_path: Path) -> None:
    write_archive(tmp_path / "model.npz", "thing", 1, {"size": 1e200})
    with pytest.raises(InputError, match="too large"):
        read_archive(tmp_path / "model.npz", "thing", 1)
