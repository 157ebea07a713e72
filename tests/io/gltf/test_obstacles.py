"""Poles and walls of a scene survive a glTF file; what is not theirs is refused or left alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io import read_motions, samples, save
from gambol.motion.ensemble import Ensemble

RAMPS = np.array([[0.0, 0.0, -0.1, 4.0, 1.0, 0.6, 1.5]])
POLES, WALLS = np.array([[1.0, -2.5, 0.2]]), np.array([[0.0, 0.6, 0.0, 8.0], [0.25, -8.0, 0.0, -0.6]])


@pytest.fixture
def scene() -> Ensemble:
    walk = samples.walk()[:3]
    return Ensemble((replace(walk, name="anna"), replace(walk, name="ben")), "door", POLES, WALLS, RAMPS)


def test_obstacles_are_read_as_they_were_written_and_stay_when_the_file_is_written_again(
    scene: Ensemble, tmp_path: Path
) -> None:
    save(scene, tmp_path / "door.glb")
    back = read_motions(tmp_path / "door.glb")
    save(replace(back, walls=back.walls + 1.0), tmp_path / "again.gltf")  # onto the scene of the first file
    again = read_motions(tmp_path / "again.gltf")
    for found, walls in ((back, WALLS), (again, WALLS + 1.0)):
        assert [motion.name for motion in found] == ["anna", "ben"]
        assert np.array_equal(found.poles, POLES)
        assert np.array_equal(found.walls, walls)
        assert np.array_equal(found.ramps, RAMPS)
    save(back[0], tmp_path / "one.gltf")
    assert read_motions(tmp_path / "one.gltf").has_obstacles, "what is in the file stays"
    save(samples.walk(), tmp_path / "alone.glb")
    assert not read_motions(tmp_path / "alone.glb").has_obstacles


@pytest.mark.parametrize(
    ("extras", "says"),
    [
        ({"gambol": 5}, "'gambol' is not an object"),
        ({"gambol": {"walls": 5}}, "'walls' is not a list"),
        ({"gambol": {"walls": [[0.0, 1.0, 2.0]]}}, "'walls' is not a list of 4 numbers"),
        ({"gambol": {"ramps": [[0.0] * 6]}}, "'ramps' is not a list of 7 numbers"),
        ({"gambol": {"poles": [[0.0, "1", 2.0]]}}, "'poles' is not a list of 3 numbers"),
        ({"gambol": {"walls": [[0.0, 0.0, 1e9, 0.0]]}}, "larger than 10000 m"),
        ("by somebody else", None),
        ({"gambol": {}, "owner": "somebody"}, None),
    ],
)
def test_damaged_obstacles_are_refused(scene: Ensemble, tmp_path: Path, extras: Any, says: str | None) -> None:
    path = tmp_path / "door.gltf"
    save(scene, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "extras": extras}))
    if says is None:
        assert not read_motions(path).has_obstacles
    else:
        with pytest.raises(InputError, match=says):
            read_motions(path)
