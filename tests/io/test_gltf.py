"""glTF out and in again: what is written is valid, looks as it should and reads back as it was."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.io.gltf import read as gltf_read
from gambol.io.gltf.onto import write_onto
from gambol.io.gltf.pack import build_glb
from gambol.io.gltf.write import to_glb, to_gltf_json
from gambol.motion.figure import build_body_mesh
from gambol.motion.kinematics import place
from gambol.motion.motion import CYCLIC, Motion, Origin
from gambol.motion.rig import rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.skeleton import Dof, Skeleton
from tests.motion.bodies import person, standing
from tests.waiting import LIMIT

ROOT = Path(__file__).parents[2]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def arm(frames: int = 30, **fields: Any) -> Motion:
    """A trolley on which an arm with a shoulder, a telescope and an oblique elbow swings."""
    oblique = tuple(np.array([0.6, 0.0, 0.8]).tolist())
    skeleton = Skeleton(
        names=("base", "shoulder", "elbow", "hand", "tip", "flag"),
        parents=(-1, 0, 1, 2, 3, 0),
        offsets=np.array([[0, 0, 0.1], [0, 0, 1], [0.4, 0, 0], [0.3, 0, 0.05], [0.1, 0, 0], [-0.2, 0.1, 0]]),
        dofs=(
            *(Dof(0, "slide", axis) for axis in (X, Y, Z)),
            *(Dof(0, "turn", axis) for axis in (Z, Y, X)),
            Dof(1, "turn", Y),
            Dof(1, "turn", Z),
            Dof(2, "slide", X),
            Dof(2, "turn", oblique),
            *(Dof(3, "turn", axis) for axis in (X, Y, Z)),
        ),
        rests=quat.from_axis_angle([Z, X, Y, Z, Z, X], np.array([0.0, 0.7, -0.3, 1.2, 0.0, 0.4])),
        ends=frozenset({4, 5}),
    )
    time = np.arange(frames)[:, None] / 30.0
    column = np.arange(len(skeleton.dofs))
    q = 0.8 * np.sin(time * (1.0 + 0.3 * column) + column)
    return Motion(skeleton, q, **{"frame_time": 0.0083333, "name": "arm", **fields})


def read_one(data: bytes | str, folder: Path) -> Motion:
    path = folder / "motion.glb"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    [motion] = gltf_read.read_gltf(path)
    return motion


def assert_same_movement(read: Motion, written: Motion) -> None:
    """Every joint of a motion read in glTF's axes is where, and turned as, the written one has it."""
    assert read.skeleton.names == written.skeleton.names
    assert read.skeleton.parents == written.skeleton.parents
    expected = place(written.skeleton.change_axes(CYCLIC.T), written.q)
    np.testing.assert_allclose(read.placement.positions @ CYCLIC.T, written.placement.positions, atol=1e-5, rtol=0)
    aligned = np.abs(np.sum(read.placement.rotations * expected.rotations, axis=-1))
    np.testing.assert_allclose(aligned, 1.0, atol=1e-6)


def split(data: bytes) -> tuple[dict[str, Any], bytes]:
    """JSON and binary chunk of a GLB, taken apart by hand."""
    (length,) = struct.unpack_from("<I", data, 12)
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def array(document: dict[str, Any], binary: bytes, accessor: int) -> np.ndarray[Any, Any]:
    entry = document["accessors"][accessor]
    view = document["bufferViews"][entry["bufferView"]]
    kind = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[entry["componentType"]]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[entry["type"]]
    flat = np.frombuffer(binary, kind, entry["count"] * width, view["byteOffset"])
    return flat.reshape(entry["count"], width)


def test_motion_round_trips(tmp_path: Path) -> None:
    made = {"command": "push", "seed": None, "pushes": [], "force": np.array([0.0, 60.0, 0.0])}
    motion = arm(made=made, notes=("a note",))
    back = read_one(to_glb([motion]), tmp_path)
    assert_same_movement(back, motion)
    assert back.frame_time == motion.frame_time
    assert back.name == "arm"
    assert back.made == {"command": "push", "seed": None, "pushes": [], "force": [0.0, 60.0, 0.0]}
    assert back.skeleton.ends == motion.skeleton.ends
    assert back.origin.format == "gltf"
    assert (back.origin.axes == np.eye(3)).all()
    assert split(to_glb([motion]))[0]["animations"][0]["extras"]["gambol"][0]["notes"] == ["a note"]


def test_json_form_round_trips(tmp_path: Path) -> None:
    assert_same_movement(read_one(to_gltf_json([arm()]), tmp_path), arm())


def test_one_frame_round_trips(tmp_path: Path) -> None:
    back = read_one(to_glb([arm(frames=1)]), tmp_path)
    assert len(back) == 1
    assert_same_movement(back, arm(frames=1))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), joints=st.integers(1, 9), frames=st.integers(2, 12))
def test_any_skeleton_round_trips(
    tmp_path_factory: pytest.TempPathFactory, seed: int, joints: int, frames: int
) -> None:
    random = np.random.default_rng(seed)
    path, parents = [0], [-1]
    for joint in range(1, joints):
        del path[random.integers(1, len(path) + 1) :]
        parents.append(path[-1])
        path.append(joint)
    dofs = []
    for joint in range(joints):
        for kind in ("slide", "turn"):
            for _ in range(random.integers(0, 4)):
                axis = random.normal(size=3)
                dofs.append(Dof(joint, kind, tuple((axis / np.linalg.norm(axis)).tolist())))  # type: ignore[arg-type]
    rests = random.normal(size=(joints, 4))
    skeleton = Skeleton(
        tuple(f"joint {j}" for j in range(joints)),
        tuple(parents),
        random.normal(size=(joints, 3)),
        tuple(dofs),
        rests / np.linalg.norm(rests, axis=1, keepdims=True),
    )
    q = np.cumsum(random.normal(size=(frames, len(dofs)), scale=0.5), axis=0)
    motion = Motion(skeleton, q, float(random.uniform(0.002, 0.09)))
    back = read_one(to_glb([motion]), tmp_path_factory.mktemp("any"))
    assert_same_movement(back, motion)
    assert back.frame_time == motion.frame_time


def test_coordinates_run_on_smoothly(tmp_path: Path) -> None:
    """A spin of several turns has no jump in its angles, whatever sign its quaternions have."""
    spinning = arm(frames=200)
    q = spinning.q.copy()
    q[:, 3] = np.linspace(0.0, 30.0, len(q))
    back = read_one(to_glb([replace(spinning, q=q)]), tmp_path)
    assert np.abs(np.diff(back.q, axis=0)).max() < 0.6


def test_characters_play_together(tmp_path: Path) -> None:
    motions = [arm(name="anna"), arm(frames=12, name="ben", frame_time=0.04)]
    data = to_glb(motions)
    document, _ = split(data)
    assert len(document["animations"]) == 1
    assert len(document["skins"]) == len(document["meshes"]) == 2
    names = [node["name"] for node in document["nodes"]]
    assert len(set(names)) == len(names)
    (tmp_path / "two.glb").write_bytes(data)
    back = gltf_read.read_gltf(tmp_path / "two.glb")
    assert [motion.name for motion in back] == ["anna", "ben"]
    for read, written in zip(back, motions, strict=True):
        assert read.frame_time == written.frame_time
        assert_same_movement(read, written)


def test_motion_from_gltf_goes_back_in_its_own_axes_and_unit(tmp_path: Path) -> None:
    loaded = read_one(to_glb([arm()]), tmp_path)
    lengths = np.array([dof.kind == "slide" for dof in loaded.skeleton.dofs])
    settled = replace(
        loaded,
        skeleton=loaded.skeleton.change_axes(CYCLIC, 0.01),
        q=np.where(lengths, 0.01 * loaded.q, loaded.q),
        origin=Origin(format="gltf", unit=0.01, axes=CYCLIC),
    )
    again = read_one(to_glb([settled]), tmp_path)
    np.testing.assert_allclose(again.placement.positions, loaded.placement.positions, atol=1e-5)
    np.testing.assert_allclose(again.skeleton.offsets, loaded.skeleton.offsets, atol=1e-6)


def someone() -> Motion:
    """A person whose body is drawn, and who kneels and lifts the arms."""
    skeleton = person()
    q = standing(skeleton, 30).q + 0.3 * np.sin(np.arange(len(skeleton.dofs)))
    return Motion(skeleton, q, 1 / 30, rig=rig_from_mapping(skeleton, {part: part for part in BODY_PARTS}))


@pytest.mark.parametrize("make", [arm, someone])
@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_figure_follows_the_joints(make: Callable[[], Motion], unit: float) -> None:
    """Skinning by the file's own matrices and weights puts every vertex where the figure has it."""
    motion = replace(make(), origin=Origin(format="gltf", unit=unit, axes=CYCLIC))
    document, binary = split(to_glb([motion]))
    [skin], [mesh] = document["skins"], document["meshes"]
    attributes = mesh["primitives"][0]["attributes"]
    positions = array(document, binary, attributes["POSITION"]).astype(float)
    joints, weights = (array(document, binary, attributes[name]) for name in ("JOINTS_0", "WEIGHTS_0"))
    inverse = array(document, binary, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    figure = build_body_mesh(motion)
    frame = 17
    placed = place(motion.skeleton.change_axes(CYCLIC.T), motion.q[frame : frame + 1])
    world = np.tile(np.eye(4), (len(motion.skeleton.names), 1, 1))
    world[:, :3, :3] = quat.to_matrix(placed.rotations[0])
    world[:, :3, 3] = placed.positions[0] / unit
    moves = np.einsum("vk,vkij->vij", weights, (world @ inverse)[joints])
    skinned = np.einsum("vij,vj->vi", moves, np.c_[positions, np.ones(len(positions))])
    expected, _ = figure.pose(motion.placement.positions[frame], motion.placement.rotations[frame])
    np.testing.assert_allclose(unit * skinned[:, :3] @ CYCLIC.T, expected, atol=1e-5)
    np.testing.assert_allclose(weights.sum(axis=1), 1.0, atol=1e-6)
    assert (make is someone) == (weights[:, 1] > 0.0).any()
    faces = [array(document, binary, primitive["indices"]) for primitive in mesh["primitives"]]
    assert sum(map(len, faces)) == figure.faces.size


def test_replacing_keeps_the_file(tmp_path: Path) -> None:
    path = tmp_path / "character.glb"
    path.write_bytes(to_glb([arm(name="anna"), arm(name="ben")]))
    anna, ben = gltf_read.read_gltf(path)
    changed = replace(ben, q=0.5 * ben.q[:20], made={"command": "edit"})
    data = build_glb(*write_onto(path, [changed], replace=True))
    before, after = split(path.read_bytes())[0], split(data)[0]
    for key in ("nodes", "meshes", "materials", "skins", "scenes"):
        assert after[key] == before[key]
    path.write_bytes(data)
    anna_again, ben_again = gltf_read.read_gltf(path)
    np.testing.assert_allclose(anna_again.placement.positions, anna.placement.positions, atol=1e-6)
    np.testing.assert_allclose(ben_again.placement.positions, changed.placement.positions, atol=1e-6)
    assert (ben_again.frame_time, ben_again.made) == (ben.frame_time, {"command": "edit"})
    with pytest.raises(InputError, match="2 skeletons with the joints"):
        build_glb(*write_onto(path, [replace(changed, name="carl")], replace=True))


def test_replacing_needs_the_same_joints(tmp_path: Path) -> None:
    path = tmp_path / "character.glb"
    path.write_bytes(to_glb([arm()]))
    other = replace(arm(), skeleton=replace(arm().skeleton, names=tuple("abcdef")))
    with pytest.raises(InputError, match="no skeleton with the joints of 'arm'"):
        build_glb(*write_onto(path, [other], replace=True))


def many_joints() -> Motion:
    count = 300
    skeleton = Skeleton(
        tuple(f"link_{j}" for j in range(count)),
        tuple(range(-1, count - 1)),
        np.tile([0.0, 0.0, 0.1], (count, 1)),
        tuple(Dof(j, "turn", Y) for j in range(count)),
    )
    return Motion(skeleton, np.full((3, count), 0.01), 1 / 30)


def replaced(folder: Path) -> bytes:
    path = folder / "arm.glb"
    path.write_bytes(to_glb([arm()]))
    [loaded] = gltf_read.read_gltf(path)
    return build_glb(*write_onto(path, [loaded[:10]], replace=True))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda _: to_glb([arm()]), id="one"),
        pytest.param(lambda _: to_glb([arm(), someone()]), id="two"),
        pytest.param(lambda _: to_glb([arm(frames=1)]), id="still"),
        pytest.param(lambda _: to_glb([many_joints()]), id="many joints"),
        pytest.param(lambda _: to_gltf_json([arm()]).encode(), id="json"),
    ],
)
def test_khronos_validator_finds_nothing(make: Any, tmp_path: Path) -> None:
    assert issues(make(tmp_path), tmp_path) == []


def test_khronos_validator_finds_only_unused_curves_after_replacing(tmp_path: Path) -> None:
    assert {issue["code"] for issue in issues(replaced(tmp_path), tmp_path)} <= {"UNUSED_OBJECT"}


def issues(data: bytes, folder: Path) -> list[dict[str, Any]]:
    """Run the Khronos validator on a file; errors and warnings fail, hints are returned."""
    node, validator = shutil.which("node"), ROOT / ".venv" / "node" / "node_modules" / "gltf-validator"
    if node is None or not validator.is_dir():
        absent = "node" if node is None else "the npm package gltf-validator in .venv/node"
        if os.environ.get("GAMBOL_REQUIRE_NODE") == "1":
            pytest.fail(f"{absent} is not installed")
        pytest.skip(f"{absent} is not installed")
    path = folder / ("file.glb" if data[:4] == b"glTF" else "file.gltf")
    path.write_bytes(data)
    script = Path(__file__).with_name("validate_gltf.cjs")
    run = subprocess.run([node, script, validator, path], capture_output=True, text=True, check=True, timeout=LIMIT)
    report = json.loads(run.stdout)["issues"]
    assert (report["numErrors"], report["numWarnings"]) == (0, 0), report["messages"]
    return list(report["messages"])


def test_real_walk_round_trips(data: Path, tmp_path: Path) -> None:
    from gambol.fit.load import load
    from gambol.io import save

    walk = load(data / "cmu_bvh" / "walk" / "02_01.bvh")
    [path] = save(walk, tmp_path / "walk.glb")
    assert issues(path.read_bytes(), tmp_path) == []
    [raw] = gltf_read.read_gltf(path)
    assert_same_movement(raw, walk)
    back = load(path)
    np.testing.assert_allclose(back.placement.positions, walk.placement.positions, atol=1e-5)
    assert back.frame_time == walk.frame_time
    assert len(back.skeleton.dofs) == len(walk.skeleton.dofs)
