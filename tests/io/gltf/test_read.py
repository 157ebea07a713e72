"""glTF as other programs write it: small documents made by hand, with positions worked out beside them."""

from __future__ import annotations

import base64
import copy
import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.io.gltf import read as gltf_read
from gambol.io.gltf.onto import write_onto
from gambol.io.gltf.pack import build_glb
from tests.waiting import must_end

KINDS = {"u1": 5121, "i1": 5120, "<i2": 5122, "<u2": 5123, "<f4": 5126}
QUARTER = [0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5)]
"""A quarter turn about z, as glTF writes it: (x, y, z, w)."""
STAY = [0.0, 0.0, 0.0, 1.0]


class Document:
    """A glTF document put together by hand."""

    def __init__(self, nodes: list[dict[str, Any]], joints: list[int] | None = None) -> None:
        self.data = b""
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "nodes": copy.deepcopy(nodes)}
        if joints is not None:
            self.json["skins"] = [{"joints": joints}]

    def array(self, values: Any, kind: str = "<f4", normalized: bool = False) -> int:
        rows = np.array(values, dtype=kind)
        rows = rows.reshape(len(rows), -1)
        self.data += b"\0" * (-len(self.data) % 4)
        views = self.json.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": rows.nbytes})
        self.data += rows.tobytes()
        entry = {
            "bufferView": len(views) - 1,
            "componentType": KINDS[kind],
            "count": len(rows),
            "type": {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[rows.shape[1]],
        }
        if normalized:
            entry["normalized"] = True
        self.json.setdefault("accessors", []).append(entry)
        return len(self.json["accessors"]) - 1

    def animate(
        self,
        node: int,
        path: str,
        times: Any,
        values: Any,
        how: str = "LINEAR",
        clip: int = 0,
        **storage: Any,
    ) -> Document:
        clips = self.json.setdefault("animations", [])
        while len(clips) <= clip:
            clips.append({"name": f"clip {len(clips)}", "samplers": [], "channels": []})
        sampler = {"input": self.array(times), "output": self.array(values, **storage), "interpolation": how}
        clips[clip]["samplers"].append(sampler)
        target = {"node": node, "path": path}
        clips[clip]["channels"].append({"sampler": len(clips[clip]["samplers"]) - 1, "target": target})
        return self

    def glb(self) -> bytes:
        document = {**self.json, "buffers": [{"byteLength": len(self.data)}]}
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        data = self.data + b"\0" * (-len(self.data) % 4)
        head = struct.pack("<4s2I", b"glTF", 2, 28 + len(text) + len(data))
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data

    def save(self, folder: Path) -> Path:
        path = folder / "hand made.glb"
        path.write_bytes(self.glb())
        return path

    def read(self, folder: Path) -> Any:
        [motion] = gltf_read.read_gltf(self.save(folder))
        return motion


def limb(**root: Any) -> list[dict[str, Any]]:
    """Two bones of length 1 along x, and the tip."""
    return [
        {"name": "upper", "children": [1], **root},
        {"name": "lower", "translation": [1, 0, 0], "children": [2]},
        {"name": "tip", "translation": [1, 0, 0]},
    ]


def position(motion: Any, name: str, seconds: float) -> Any:
    frame = round(seconds / motion.frame_time)
    return motion.placement.positions[frame, motion.skeleton.index(name)]


def bent() -> Document:
    """The lower bone turns by a quarter about z within a second, 20 frames a second."""
    times = np.linspace(0.0, 1.0, 21)
    half = times * np.pi / 4
    turns = np.stack((0 * half, 0 * half, np.sin(half), np.cos(half)), axis=1)
    return Document(limb(), [0, 1, 2]).animate(1, "rotation", times, turns)


def test_linear(tmp_path: Path) -> None:
    motion = bent().read(tmp_path)
    assert motion.frame_time == 1 / 20
    assert len(motion) == 21
    assert motion.skeleton.names == ("upper", "lower", "tip")
    assert motion.skeleton.ends == {2}
    assert motion.notes == ()
    for seconds in (0.0, 0.35, 1.0):
        angle = seconds * np.pi / 2
        np.testing.assert_allclose(position(motion, "tip", seconds), [1 + np.cos(angle), np.sin(angle), 0], atol=1e-6)


def test_root_has_slides_and_still_joints_have_turns(tmp_path: Path) -> None:
    motion = bent().read(tmp_path)
    kinds = [(dof.joint, dof.kind) for dof in motion.skeleton.dofs]
    assert kinds == [(0, "slide")] * 3 + [(0, "turn")] * 3 + [(1, "turn")] * 3


def test_step_holds_until_the_key(tmp_path: Path) -> None:
    document = Document(limb(), [0, 1, 2])
    document.animate(1, "rotation", [0.0, 0.1, 0.2, 0.3], [STAY, QUARTER, STAY, QUARTER], "STEP")
    document.animate(0, "translation", np.arange(13) / 40, np.zeros((13, 3)))
    motion = document.read(tmp_path)
    assert motion.frame_time == 1 / 40
    bends = np.abs(motion.placement.positions[:, 2, 1]) > 0.5
    assert bends.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1]


def test_cubic_spline(tmp_path: Path) -> None:
    """A Hermite cubic with these tangents is t -> t**2 (3 - 2t) + t (1 - t)**2, by hand."""
    keys = [[[0, 0, 0], [0, 0, 0], [1, 0, 0]], [[0, 0, 0], [1, 0, 0], [0, 0, 0]]]
    document = Document(limb(), [0, 1, 2]).animate(
        0, "translation", [0.0, 1.0], np.array(keys).reshape(-1, 3), "CUBICSPLINE"
    )
    motion = document.read(tmp_path)
    t = np.linspace(0.0, 1.0, 31)
    np.testing.assert_allclose(motion.q[:, 0], t**2 * (3 - 2 * t) + t * (1 - t) ** 2, atol=1e-6)
    assert "resampled to 30" in motion.notes[0]


def test_cubic_spline_rotations_have_unit_length(tmp_path: Path) -> None:
    zero = [0, 0, 0, 0]
    values = [zero, STAY, zero, zero, QUARTER, zero]
    motion = Document(limb(), [0, 1, 2]).animate(1, "rotation", [0, 1], values, "CUBICSPLINE").read(tmp_path)
    np.testing.assert_allclose(position(motion, "tip", 0.5), [1 + np.sqrt(0.5), np.sqrt(0.5), 0], atol=1e-6)
    reach = np.linalg.norm(motion.placement.positions[:, 2] - [1, 0, 0], axis=1)
    np.testing.assert_allclose(reach, 1.0, atol=1e-9)


@pytest.mark.parametrize(("kind", "most", "atol"), [("<i2", 32767, 1e-4), ("i1", 127, 2e-2)])
def test_normalised_integers(tmp_path: Path, kind: str, most: int, atol: float) -> None:
    turns = np.round(np.array([STAY, QUARTER]) * most)
    document = Document(limb(), [0, 1, 2])
    document.animate(1, "rotation", [0.0, 0.1], turns, kind=kind, normalized=True)
    np.testing.assert_allclose(position(document.read(tmp_path), "tip", 0.1), [1, 1, 0], atol=atol)


def test_linear_rotation_takes_the_shorter_arc(tmp_path: Path) -> None:
    """Keys 1 s apart, the second with its sign reversed: halfway is an eighth of a turn."""
    document = Document(limb(), [0, 1, 2])
    document.animate(1, "rotation", [0.0, 1.0], [STAY, (-np.array(QUARTER)).tolist()])
    motion = document.read(tmp_path)
    np.testing.assert_allclose(position(motion, "tip", 0.5), [1 + np.sqrt(0.5), np.sqrt(0.5), 0], atol=1e-6)


ARMATURE = {
    "name": "Armature",
    "rotation": [-np.sqrt(0.5), 0, 0, np.sqrt(0.5)],
    "scale": [0.01] * 3,
    "translation": [0, 0.5, 0],
}


def armature(**changes: Any) -> Document:
    """Mixamo in Blender: centimetres, z up, below an object that turns and scales them."""
    nodes = [
        {**ARMATURE, **changes, "children": [1, 4]},
        {"name": "Hips", "translation": [0, 0, 100], "children": [2]},
        {"name": "Spine", "translation": [0, 0, 50], "children": [3]},
        {"name": "Head", "translation": [0, 0, 30]},
        {"name": "Body", "mesh": 0, "skin": 0},
    ]
    document = Document(nodes, [1, 2, 3])
    document.animate(1, "translation", np.arange(4) / 30, [[0, 0, 100], [0, -10, 100], [0, -20, 100], [0, -30, 90]])
    return document.animate(2, "rotation", np.arange(4) / 30, [STAY, STAY, STAY, [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]])


@pytest.mark.parametrize("form", ["parts", "matrix"])
def test_armature_is_folded_into_the_root(tmp_path: Path, form: str) -> None:
    if form == "matrix":
        turn = np.eye(4)
        turn[:3, :3] = 0.01 * Rotation.from_euler("x", -90, degrees=True).as_matrix()
        turn[:3, 3] = [0, 0.5, 0]
        document = armature(matrix=turn.T.ravel().tolist())
        for part in ("rotation", "scale", "translation"):
            del document.json["nodes"][0][part]
    else:
        document = armature()
    motion = document.read(tmp_path)
    assert motion.skeleton.names == ("Hips", "Spine", "Head")
    np.testing.assert_allclose(position(motion, "Hips", 0.0), [0, 1.5, 0], atol=1e-6)
    np.testing.assert_allclose(position(motion, "Head", 0.0), [0, 2.3, 0], atol=1e-6)
    np.testing.assert_allclose(position(motion, "Hips", 0.1), [0, 1.4, 0.3], atol=1e-6)
    np.testing.assert_allclose(position(motion, "Spine", 0.1), [0, 1.9, 0.3], atol=1e-6)
    np.testing.assert_allclose(position(motion, "Head", 0.1), [0, 1.9, 0.6], atol=1e-6)
    assert motion.notes == ()


def test_moving_armature_moves_the_root(tmp_path: Path) -> None:
    document = armature()
    document.animate(0, "translation", np.arange(4) / 30, [[0, 0.5, 0], [1, 0.5, 0], [2, 0.5, 0], [3, 0.5, 0]])
    np.testing.assert_allclose(position(document.read(tmp_path), "Head", 0.1), [3, 1.9, 0.6], atol=1e-6)


def test_animated_scale_is_ignored_with_a_note(tmp_path: Path) -> None:
    steady = armature().animate(2, "scale", [0.0, 0.1], [[1, 1, 1], [1, 1, 1]])
    assert steady.read(tmp_path).notes == ()
    growing = armature().animate(2, "scale", [0.0, 0.1], [[1, 1, 1], [2, 2, 2]])
    motion = growing.read(tmp_path)
    np.testing.assert_allclose(position(motion, "Head", 0.1), [0, 1.9, 0.6], atol=1e-6)
    assert motion.notes == ("the scale of 'Spine' is animated, which was ignored",)


def test_scale_of_joints_is_folded_into_offsets(tmp_path: Path) -> None:
    document = bent()
    document.json["nodes"][1]["scale"] = [3, 3, 3]
    motion = document.read(tmp_path)
    np.testing.assert_allclose(position(motion, "tip", 1.0), [1, 3, 0], atol=1e-6)


def test_file_without_skin(tmp_path: Path) -> None:
    document = bent()
    del document.json["skins"]
    document.json["nodes"] += [{"name": "Camera", "camera": 0}, {"name": "Top", "children": [0, 3]}]
    motion = document.read(tmp_path)
    assert motion.skeleton.names == ("lower", "tip")
    np.testing.assert_allclose(position(motion, "tip", 1.0), [1, 1, 0], atol=1e-6)


def test_irregular_keys_are_resampled(tmp_path: Path) -> None:
    times = [0.0, 0.031, 0.083, 0.1111, 0.2]
    document = Document(limb(), [0, 1, 2])
    document.animate(0, "translation", times, [[t, 0, 0] for t in times])
    motion = document.read(tmp_path)
    assert motion.frame_time == 1 / 30
    assert motion.notes == ("keys are not evenly spaced in time: resampled to 30 frames per second",)
    np.testing.assert_allclose(motion.q[:, 0], motion.times, atol=1e-6)


@pytest.mark.parametrize("rate", [24, 30, 30 / 1.001, 59.94005994, 120])
def test_frame_rate_is_found_through_gaps(tmp_path: Path, rate: float) -> None:
    """Exporters drop keys on straight stretches, and may begin at frame 1; times are float32."""
    frames = np.array([1, 2, 3, 7, 8, 20, 41, 300])
    document = Document(limb(), [0, 1, 2])
    document.animate(0, "translation", frames / rate, [[f, 0, 0] for f in frames])
    motion = document.read(tmp_path)
    assert motion.frame_time == pytest.approx(1 / rate, rel=1e-9)
    assert len(motion) == 300
    np.testing.assert_allclose(motion.q[:, 0], np.arange(300) + 1, rtol=1e-5)


def test_longest_animation_is_taken(tmp_path: Path) -> None:
    document = bent()
    document.animate(1, "rotation", [0.0, 0.5], [STAY, STAY], clip=1)
    assert document.read(tmp_path).notes == ("read animation 'clip 0', the longest; others, for --animation: clip 1",)


def test_an_animation_is_chosen_by_name(tmp_path: Path) -> None:
    document = bent()
    document.animate(1, "rotation", [0.0, 0.5], [STAY, STAY], clip=1)
    document.read(tmp_path)
    [path] = tmp_path.glob("*.gl*")
    [chosen] = gltf_read.read_gltf(path, "clip 1")
    assert chosen.origin.animation == "clip 1"
    assert chosen.duration == pytest.approx(0.5)
    assert not any("the longest" in note for note in chosen.notes)
    with pytest.raises(InputError, match=r"no animation 'clip 2'.*clip 0, clip 1"):
        gltf_read.read_gltf(path, "clip 2")


def many_animations(folder: Path) -> Path:
    """A file with 'Walk 0' to 'Walk 11' of 0.5 s and 'Nap' of 1 s."""
    document = bent()
    for clip in range(1, 13):
        document.animate(1, "rotation", [0.0, 0.5], [STAY, QUARTER], clip=clip)
    for clip, entry in enumerate(document.json["animations"]):
        entry["name"] = f"Walk {clip - 1}" if clip else "Nap"
    return document.save(folder)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("walk 1", r"nearest: Walk 1, .*\(.gambol info. lists all 13\)"),
        ("xyz", r"animations: Nap, Walk 0, Walk 1 and 10"),
    ],
)
def test_an_unknown_name_is_answered_by_the_nearest(tmp_path: Path, name: str, says: str) -> None:
    with pytest.raises(InputError, match=rf"no animation '{name}'; {says}"):
        gltf_read.read_gltf(many_animations(tmp_path), name)


def test_durations_are_listed_in_the_order_of_the_file(tmp_path: Path) -> None:
    durations = gltf_read.list_durations(many_animations(tmp_path))
    assert [name for name, _ in durations] == ["Nap", *(f"Walk {n}" for n in range(12))]
    np.testing.assert_allclose([length for _, length in durations], [1.0, *[0.5] * 12], atol=1e-6)


def two_figures() -> Document:
    nodes = [*limb(), *limb(translation=[0, 0, 5])]
    nodes[3]["children"], nodes[4]["children"] = [4], [5]
    return Document(nodes)


def test_skins_of_two_figures_are_two_motions(tmp_path: Path) -> None:
    """Each with an animation of its own, as Blender writes the actions of two armatures."""
    document = two_figures()
    document.json["skins"] = [{"joints": [0, 1, 2]}, {"joints": [4, 3, 5]}]
    document.animate(1, "rotation", [0.0, 0.1], [STAY, QUARTER])
    document.animate(4, "rotation", [0.0, 0.1, 0.2], [STAY, STAY, QUARTER], clip=1)
    first, second = gltf_read.read_gltf(document.save(tmp_path))
    assert first.skeleton.names == second.skeleton.names == ("upper", "lower", "tip")
    np.testing.assert_allclose(position(first, "tip", 0.1), [1, 1, 0], atol=1e-6)
    np.testing.assert_allclose(position(second, "tip", 0.2), [1, 1, 5], atol=1e-6)


def test_skins_on_one_skeleton_are_one_motion(tmp_path: Path) -> None:
    document = bent()
    document.json["skins"] = [{"joints": [0, 1]}, {"joints": [1, 2]}, {"joints": [2]}]
    assert document.read(tmp_path).skeleton.names == ("upper", "lower", "tip")


def test_several_roots_hang_on_their_common_node(tmp_path: Path) -> None:
    document = two_figures()
    document.json["nodes"].append({"name": "Armature", "children": [0, 3], "translation": [0, 1, 0]})
    document.json["skins"] = [{"joints": [0, 1, 2, 3, 4, 5]}]
    document.animate(4, "rotation", [0.0, 0.1], [STAY, QUARTER])
    motion = document.read(tmp_path)
    assert motion.skeleton.names == ("Armature", "upper", "lower", "tip", "upper_2", "lower_2", "tip_2")
    np.testing.assert_allclose(position(motion, "tip_2", 0.1), [1, 2, 5], atol=1e-6)


def test_empty_nodes_below_joints_are_ends_and_props_are_not(tmp_path: Path) -> None:
    document = bent()
    document.json["skins"] = [{"joints": [0, 1]}]
    document.json["nodes"][1]["children"] = [2, 3]
    document.json["nodes"].append({"name": "Sword", "mesh": 0})
    assert document.read(tmp_path).skeleton.names == ("upper", "lower", "tip")


def test_slides_only_where_a_joint_moves(tmp_path: Path) -> None:
    """A bone that stays longer than at rest is simply longer; one that changes its length slides."""
    times = np.arange(3) / 30
    longer = bent().animate(1, "translation", times, [[1.5, 0, 0]] * 3).read(tmp_path)
    assert [dof.joint for dof in longer.skeleton.dofs if dof.kind == "slide"] == [0, 0, 0]
    np.testing.assert_allclose(position(longer, "tip", 0.0), [2.5, 0, 0], atol=1e-6)
    sliding = bent().animate(1, "translation", [0, 1.0], [[1, 0, 0], [2, 0, 0]]).read(tmp_path)
    assert [dof.joint for dof in sliding.skeleton.dofs if dof.kind == "slide"] == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(position(sliding, "tip", 1.0), [2, 1, 0], atol=1e-6)


def test_sparse_accessor(tmp_path: Path) -> None:
    document = Document(limb(), [0, 1, 2])
    document.animate(0, "translation", np.arange(4) / 30, np.zeros((4, 3)))
    rows, values = document.array([1, 3], "<u2"), document.array([[5, 0, 0], [7, 0, 0]])
    views = [document.json["accessors"][index]["bufferView"] for index in (rows, values)]
    curve = document.json["accessors"][1]
    del curve["bufferView"]
    curve["sparse"] = {
        "count": 2,
        "indices": {"bufferView": views[0], "componentType": 5123},
        "values": {"bufferView": views[1]},
    }
    np.testing.assert_allclose(document.read(tmp_path).q[:, 0], [0, 5, 0, 7])


@pytest.mark.parametrize("where", ["beside", "embedded"])
def test_json_with_its_buffer(tmp_path: Path, where: str) -> None:
    document = bent()
    (tmp_path / "my data.bin").write_bytes(document.data)
    uri = "my%20data.bin"
    if where == "embedded":
        uri = "data:application/octet-stream;base64," + base64.b64encode(document.data).decode()
    document.json["buffers"] = [{"byteLength": len(document.data), "uri": uri}]
    path = tmp_path / "bent.gltf"
    path.write_text(json.dumps(document.json))
    [motion] = gltf_read.read_gltf(path)
    np.testing.assert_allclose(position(motion, "tip", 1.0), [1, 1, 0], atol=1e-6)


@pytest.mark.parametrize(
    "uri", ["../secret.bin", "/etc/hostname", "http://localhost/a.bin", "file:///etc/hostname",
            "%2e%2e/secret.bin", "..\\secret.bin", "a\0b", "x" * 5000, "data:;base64,@@@", "link.bin",
            "missing.bin", 7]
)  # fmt: skip
def test_buffers_from_elsewhere_are_refused(tmp_path: Path, uri: Any) -> None:
    document = bent()
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.bin").write_bytes(document.data)
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    document.json["buffers"] = [{"byteLength": len(document.data), "uri": uri}]
    (folder / "bent.gltf").write_text(json.dumps(document.json))
    with pytest.raises(InputError):
        gltf_read.read_gltf(folder / "bent.gltf")


def test_replacing_keeps_an_animators_character(tmp_path: Path) -> None:
    """Back below the turned and scaled armature; textures, shapes' curves and other nodes as they were."""
    document = armature()
    document.animate(4, "translation", [0.0, 0.1], [[0, 0, 0], [1, 1, 1]])
    document.json["animations"][0]["channels"].append({"sampler": 0, "target": {"node": 4, "path": "weights"}})
    document.json["nodes"][2] = {
        "name": "Spine",
        "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 50, 1],
        "children": [3],
    }
    document.json |= {
        "images": [{"uri": "skin.png"}],
        "materials": [{"name": "coat", "extensions": {"ACME_fur": {"length": None}}, "extras": {"tags": []}}],
        "buffers": [{"byteLength": len(document.data), "uri": "data.bin"}],
    }
    (tmp_path / "skin.png").write_bytes(b"\x89PNG picture")
    (tmp_path / "data.bin").write_bytes(document.data)
    path = tmp_path / "hero.gltf"
    path.write_text(json.dumps(document.json))
    [loaded] = gltf_read.read_gltf(path)
    changed = replace(loaded, q=np.concatenate((loaded.q, 0.3 * loaded.q)), frame_time=1 / 60)
    out = tmp_path / "out.glb"
    out.write_bytes(build_glb(*write_onto(path, [changed], replace=True)))
    [back] = gltf_read.read_gltf(out)
    np.testing.assert_allclose(back.placement.positions, changed.placement.positions, atol=1e-6)
    assert back.frame_time == 1 / 60
    raw = out.read_bytes()
    (length,) = struct.unpack_from("<I", raw, 12)
    after = json.loads(raw[20 : 20 + length])
    assert after["materials"] == document.json["materials"]
    assert after["nodes"][0] == document.json["nodes"][0]
    assert [c["target"] for c in after["animations"][0]["channels"][:2]] == [
        {"node": 4, "path": "translation"},
        {"node": 4, "path": "weights"},
    ]
    picture = after["bufferViews"][after["images"][0]["bufferView"]]
    start = 28 + length + picture["byteOffset"]
    assert raw[start : start + picture["byteLength"]] == b"\x89PNG picture"


def test_adding_an_animation_to_a_still_character(tmp_path: Path) -> None:
    [loaded] = gltf_read.read_gltf(armature().save(tmp_path))
    still = armature()
    del still.json["animations"]
    (tmp_path / "out.glb").write_bytes(build_glb(*write_onto(still.save(tmp_path), [loaded], replace=True)))
    [back] = gltf_read.read_gltf(tmp_path / "out.glb")
    np.testing.assert_allclose(back.placement.positions, loaded.placement.positions, atol=1e-6)


SPOIL: dict[str, Callable[[dict[str, Any]], Any]] = {
    "outside the buffer": lambda f: f["accessors"][0].update(byteOffset=10**6),
    "huge count": lambda f: f["accessors"][1].update(count=10**9),
    "huge count of zeros": lambda f: [f["accessors"][1].update(count=10**9), f["accessors"][1].pop("bufferView")],
    "negative count": lambda f: f["accessors"][1].update(count=-1),
    "no count": lambda f: f["accessors"][1].pop("count"),
    "text for count": lambda f: f["accessors"][1].update(count="21"),
    "unknown component": lambda f: f["accessors"][1].update(componentType=[5126]),
    "wrong width": lambda f: f["accessors"][1].update(type="VEC3"),
    "stride 0": lambda f: f["bufferViews"][1].update(byteStride=0),
    "view past the end": lambda f: f["bufferViews"][1].update(byteLength=10**12),
    "view of no buffer": lambda f: f["bufferViews"][1].update(buffer=3),
    "no view": lambda f: f["accessors"][1].update(bufferView=77),
    "no accessor": lambda f: f["animations"][0]["samplers"][0].update(output=99),
    "no sampler": lambda f: f["animations"][0]["channels"][0].update(sampler=5),
    "odd interpolation": lambda f: f["animations"][0]["samplers"][0].update(interpolation=["LINEAR"]),
    "odd path": lambda f: f["animations"][0]["channels"][0]["target"].update(path=["rotation"]),
    "node that is not there": lambda f: f["animations"][0]["channels"][0]["target"].update(node=10**9),
    "no animation": lambda f: f.pop("animations"),
    "empty animation": lambda f: f.update(animations=[{}]),
    "animations as text": lambda f: f.update(animations="walk"),
    "channels as numbers": lambda f: f["animations"][0].update(channels=[1, 2]),
    "own parent": lambda f: f["nodes"][2].update(children=[0]),
    "own child": lambda f: f["nodes"][2].update(children=[2]),
    "two parents": lambda f: f["nodes"][0].update(children=[1, 2]),
    "child that is not there": lambda f: f["nodes"][2].update(children=[55]),
    "joint that is not there": lambda f: f.update(skins=[{"joints": [0, 9]}]),
    "joints as text": lambda f: f.update(skins=[{"joints": "all"}]),
    "rotation of length 0": lambda f: f["nodes"][0].update(rotation=[0, 0, 0, 0]),
    "not a number": lambda f: f["nodes"][0].update(translation=[float("nan"), 0, 0]),
    "overflowing scale": lambda f: [node.update(scale=[1e29] * 3) for node in f["nodes"]],
    "flat matrix": lambda f: f["nodes"][0].update(matrix=[0.0] * 16),
    "mirrored matrix": lambda f: f["nodes"][0].update(matrix=np.diag([-1.0, 1, 1, 1]).ravel().tolist()),
    "version 1": lambda f: f.update(asset={"version": "1.0"}),
    "asset as text": lambda f: f.update(asset="2.0"),
    "packed": lambda f: f["bufferViews"][1].update(extensions={"EXT_meshopt_compression": {}}),
    "sparse outside": lambda f: f["accessors"][1].update(
        sparse={"count": 1, "indices": {"bufferView": 0, "componentType": 5123, "byteOffset": 82},
                "values": {"bufferView": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("change", SPOIL)
def test_damaged_file_is_an_error(tmp_path: Path, change: str) -> None:
    document = bent()
    SPOIL[change](document.json)
    with pytest.raises(InputError, match=r"hand made\.glb: .*;"):
        document.read(tmp_path)


@pytest.mark.parametrize(
    ("times", "turns"),
    [
        ([0.0, np.nan], [STAY, STAY]),
        ([0.0, np.inf], [STAY, STAY]),
        ([1.0, 0.0], [STAY, STAY]),
        ([0.0, 1.0], [STAY, [np.nan, 0, 0, 1]]),
        ([0.0, 1.0], [STAY, [0, 0, 0, 0]]),
        ([0.0, 1.0], [STAY]),
        ([0.0, 1e30], [STAY, STAY]),
        ([0.0, 0.02, 1e6], [STAY, STAY, STAY]),
    ],
)
def test_keys_that_make_no_motion_are_refused(tmp_path: Path, times: Any, turns: Any) -> None:
    with pytest.raises(InputError, match=r"hand made\.glb: .*;"):
        Document(limb(), [0, 1, 2]).animate(1, "rotation", times, turns).read(tmp_path)


@pytest.mark.parametrize("times", [[2.0, 2.0], [2.0]])
def test_an_animation_without_duration_is_a_pose(tmp_path: Path, times: list[float]) -> None:
    turn = [0.0, 0.0, np.sin(0.4), np.cos(0.4)]
    pose = Document(limb(), [0, 1, 2]).animate(1, "rotation", times, [turn] * len(times)).read(tmp_path)
    rest = Document(limb(), [0, 1, 2]).animate(1, "rotation", [0.0, 1.0], [STAY, STAY]).read(tmp_path)
    turned = quat.multiply(quat.conjugate(rest.placement.rotations[0, 1]), pose.placement.rotations[:, 1])
    assert quat.angle(turned) == pytest.approx([0.8])


@pytest.mark.parametrize(
    "content",
    [b"", b"glTF", b"glTF\2\0\0\0\xff\xff\xff\xff", b"\0" * 100, b"{}", b"[]", b"7", b'"glTF"', b"{" * 50,
     b"[" * 10**5, b'{"nodes": ' + b'{"a":' * 10**5, b"9" * 10**5, b"\xff\xfe\x00",
     b'{"nodes": {}}', b'{"nodes": [1]}']
)  # fmt: skip
def test_garbage_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "garbage.glb"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"garbage\.glb: .*;"):
        gltf_read.read_gltf(path)


def test_absent_file_and_folder_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.glb"):
        with pytest.raises(InputError):
            gltf_read.read_gltf(path)


def test_deep_and_wide_trees_are_refused(tmp_path: Path) -> None:
    count = 30_000
    deep = Document([{"children": [n + 1]} for n in range(count)] + [{}], [count])
    wide = Document([{"children": list(range(1, count))}] + [{}] * (count - 1), list(range(count)))
    lonely = Document([{}] * count)
    lonely.json["skins"] = [{"joints": [n]} for n in range(count)]
    for document in (deep, wide, lonely):
        with must_end(), pytest.raises(InputError):
            document.animate(count - 1, "rotation", [0.0, 1.0], [STAY, QUARTER]).read(tmp_path)


@settings(max_examples=300, deadline=None)
@given(cut=st.integers(0, 1500), where=st.integers(0, 1500), byte=st.integers(0, 255), spoil=st.booleans())
def test_cut_or_changed_bytes_never_crash(
    tmp_path_factory: pytest.TempPathFactory, cut: int, where: int, byte: int, spoil: bool
) -> None:
    content = bytearray(bent().glb())
    if spoil:
        content[where % len(content)] = byte
    else:
        del content[cut % len(content) :]
    path = tmp_path_factory.getbasetemp() / "changed.glb"
    path.write_bytes(content)
    try:
        motions = gltf_read.read_gltf(path)
    except InputError:
        return
    assert all(np.isfinite(motion.placement.positions).all() for motion in motions)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**70) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=200, deadline=None)
@given(junk=JUNK, pick=st.integers(0, 2**32))
def test_junk_in_any_field_never_crashes(tmp_path_factory: pytest.TempPathFactory, junk: Any, pick: int) -> None:
    document = armature()
    places = list(_places(document.json))
    owner, key = places[pick % len(places)]
    owner[key] = junk
    path = tmp_path_factory.getbasetemp() / "junk.glb"
    path.write_bytes(document.glb())
    try:
        motions = gltf_read.read_gltf(path)
        build_glb(*write_onto(path, motions[:1], replace=True))
    except InputError:
        pass


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value, as its owner and its key there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)
