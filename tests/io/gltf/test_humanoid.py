"""VRM files name their bones themselves: that map counts, whatever the nodes are called."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.clips.retarget import retarget_to_rig
from gambol.errors import InputError
from gambol.fit.load import find_files, load
from gambol.io.gltf.pack import build_glb
from gambol.io.gltf.write import to_glb

BONES = {
    "pelvis": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head",
    "collar": "Shoulder", "upper_arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand",
    "thigh": "UpperLeg", "shank": "LowerLeg", "foot": "Foot", "toes": "Toes",
}  # fmt: skip
WALK = load("walk")[:40]


def bone(part: str) -> str:
    side, _, base = part.partition("_")
    return side + BONES[base] if side in ("left", "right") else BONES[part]


def write_vrm(path: Path, kind: str, animated: bool = True, leave_out: str = "") -> Path:
    """The walk as VRM whose nodes have the names of the other side."""
    path.write_bytes(to_glb([WALK]))

    def make_vrm(document: dict[str, Any]) -> None:
        for node in document["nodes"]:
            node["name"] = node["name"].replace("Left", "?").replace("Right", "Left").replace("?", "Right")
        assert WALK.rig is not None
        bones = {bone(part): joint for part, joint in WALK.rig.parts.items() if part != leave_out}
        listed: Any = {name: {"node": node} for name, node in bones.items()}
        if kind == "VRM":
            listed = [{"bone": name, "node": node} for name, node in bones.items()]
        document["extensions"] = {kind: {"humanoid": {"humanBones": listed}}}
        if not animated:
            del document["animations"]

    return change(path, make_vrm)


def change(path: Path, edit: Callable[[dict[str, Any]], None]) -> Path:
    """Change the JSON of a GLB in place."""
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<I", raw, 12)
    document = json.loads(raw[20 : 20 + length])
    edit(document)
    path.write_bytes(build_glb(document, raw[28 + length :]))
    return path


@pytest.mark.parametrize(
    ("kind", "said", "name"),
    [
        ("VRM", "VRM 0.x", "hero.vrm"),
        ("VRMC_vrm", "VRM 1.0", "hero.vrm"),
        ("VRMC_vrm_animation", "VRM animation", "walk.vrma"),
    ],
)
def test_the_map_of_the_file_is_the_rig(tmp_path: Path, kind: str, said: str, name: str) -> None:
    motion = load(write_vrm(tmp_path / name, kind))
    assert WALK.rig is not None
    assert motion.rig is not None
    assert (motion.rig.kind, dict(motion.rig.parts)) == (said, dict(WALK.rig.parts))
    assert find_files([tmp_path]) == [tmp_path / name]


def test_upper_chest_is_the_chest(tmp_path: Path) -> None:
    def raise_chest(document: dict[str, Any]) -> None:
        bones = document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]
        bones["upperChest"], bones["chest"] = bones["chest"], bones["spine"]

    rig = load(change(write_vrm(tmp_path / "hero.vrm", "VRMC_vrm"), raise_chest)).rig
    assert WALK.rig is not None
    assert rig is not None
    assert rig.parts["chest"] == WALK.rig.parts["chest"]


def test_an_incomplete_map_is_noted_and_names_decide(tmp_path: Path) -> None:
    motion = load(write_vrm(tmp_path / "hero.vrm", "VRMC_vrm", leave_out="head"))
    assert motion.rig is not None
    assert not motion.rig.kind.startswith("VRM ")
    assert any("VRM 1.0 bone map lacks head" in note for note in motion.notes)


@pytest.mark.parametrize("node", [10**6, -1, "hips", None])
def test_a_bone_without_a_node_is_an_error(tmp_path: Path, node: Any) -> None:
    def misplace(document: dict[str, Any]) -> None:
        document["extensions"]["VRMC_vrm"]["humanoid"]["humanBones"]["hips"]["node"] = node

    path = change(write_vrm(tmp_path / "hero.vrm", "VRMC_vrm"), misplace)
    with pytest.raises(InputError, match=r"hero\.vrm: "):
        load(path)


def test_a_still_avatar_is_a_target_but_not_a_clip(gambol, tmp_path: Path) -> None:
    path = write_vrm(tmp_path / "hero.vrm", "VRM", animated=False)
    with pytest.raises(InputError, match="no animation of a skeleton"):
        load(path)
    code, said, _ = gambol("info", path)
    assert code == 0
    assert "its rest pose was read" in said
    moved = retarget_to_rig(WALK, path).motion
    assert (len(moved), moved.name) == (40, WALK.name)
    same = retarget_to_rig(WALK, WALK).motion
    np.testing.assert_allclose(moved.placement.positions, same.placement.positions, atol=0.03)
