"""A motion goes back onto the character it came from: nothing else in the file changes."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.clips.loop import loop
from gambol.clips.retarget import retarget_to_rig
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import save
from gambol.io.gltf.onto import has_skeletons_of, write_onto
from gambol.io.gltf.pack import build_glb
from gambol.io.gltf.read import read_gltf
from gambol.io.gltf.write import to_glb
from gambol.motion.motion import Motion
from tests.io.gltf.test_read import QUARTER, STAY, Document, armature

KEPT = ("nodes", "meshes", "skins", "scenes", "materials", "images", "textures", "samplers", "extensions")


def hero() -> Document:
    """A character with a mesh, a picture, an extension, an unused accessor, and two animations."""
    document = armature()
    document.json |= {
        "scene": 0,
        "scenes": [{"nodes": [0], "name": "stage"}],
        "meshes": [{"name": "body", "primitives": [{"attributes": {"POSITION": document.array(np.eye(3))}}]}],
        "materials": [{"name": "coat", "extras": {"tags": [], "empty": None}}],
        "extensions": {"ACME_unknown": {"list": []}},
    }
    document.array([[1.0, 2.0, 3.0]])
    document.animate(2, "rotation", [0.0, 2.0], [STAY, QUARTER], clip=1)
    document.animate(4, "scale", [0.0, 0.1], [[1, 1, 1], [2, 2, 2]])
    document.json["animations"][0]["name"], document.json["animations"][1]["name"] = "Walk", "Idle"
    return document


def take_apart(path: Path) -> tuple[dict[str, Any], bytes]:
    raw = path.read_bytes()
    (length,) = struct.unpack_from("<I", raw, 12)
    return json.loads(raw[20 : 20 + length]), raw[28 + length :]


def pushed(motion: Motion) -> Motion:
    return replace(motion, q=np.concatenate((motion.q, 0.7 * motion.q)), made={"verb": "push"})


def assert_moves_as(path: Path, motion: Motion, animation: str | None = None) -> None:
    [back] = read_gltf(path, animation)
    expected = read_gltf_frame(motion)
    np.testing.assert_allclose(back.placement.positions, expected, atol=1e-6)


def read_gltf_frame(motion: Motion) -> np.ndarray:
    return motion.placement.positions @ motion.origin.axes / motion.origin.unit


@pytest.mark.parametrize("ending", [".glb", ".gltf"])
def test_a_changed_motion_is_one_more_animation(tmp_path: Path, ending: str) -> None:
    source = hero().save(tmp_path)
    motion = pushed(load(source, animation="Walk", scale=1.0))
    out = tmp_path / f"out{ending}"
    save(motion, out)
    before, data = take_apart(source)
    after, written = take_apart(out) if ending == ".glb" else (json.loads(out.read_text()), b"")
    for key in KEPT:
        assert after.get(key) == before.get(key), key
    assert after["animations"][:2] == before["animations"]
    assert [entry["name"] for entry in after["animations"]] == ["Walk", "Idle", "Walk push"]
    count = len(before["accessors"])
    assert after["accessors"][:count] == before["accessors"]
    assert [{**view, "byteOffset": view.get("byteOffset", 0)} for view in before["bufferViews"]] == (
        after["bufferViews"][: len(before["bufferViews"])]
    )
    if ending == ".glb":
        assert written.startswith(data)
    targets = [channel["target"] for channel in after["animations"][2]["channels"]]
    assert {"node": 4, "path": "scale"} in targets
    assert_moves_as(out, motion)
    assert_moves_as(out, load(source, animation="Walk", scale=1.0), "Walk")


def test_the_animation_that_was_read_is_replaced_if_asked(tmp_path: Path) -> None:
    source = hero().save(tmp_path)
    motion = pushed(load(source, animation="Walk", scale=1.0))
    save(motion, tmp_path / "out.glb", replace=True)
    before, after = take_apart(source)[0], take_apart(tmp_path / "out.glb")[0]
    assert after["nodes"] == before["nodes"]
    assert [entry["name"] for entry in after["animations"]] == ["Walk", "Idle"]
    assert_moves_as(tmp_path / "out.glb", motion, "Walk")
    assert_moves_as(tmp_path / "out.glb", load(source, animation="Idle", scale=1.0), "Idle")


def test_names_are_not_taken_twice(tmp_path: Path) -> None:
    """A push of a push is numbered, and the last one is read."""
    motion = pushed(load(hero().save(tmp_path), animation="Walk", scale=1.0))
    save(motion, tmp_path / "one.glb")
    again = pushed(load(tmp_path / "one.glb", scale=1.0))
    save(again, tmp_path / "two.glb")
    names = [entry["name"] for entry in take_apart(tmp_path / "two.glb")[0]["animations"]]
    assert names == ["Walk", "Idle", "Walk push", "Walk push 2"]
    last = load(tmp_path / "two.glb", scale=1.0)
    assert (last.origin.animation, len(last)) == ("Walk push 2", 4 * 4)
    assert any("the last that gambol wrote" in note for note in last.notes)


def test_a_motion_from_elsewhere_replaces_nothing(tmp_path: Path) -> None:
    source = hero().save(tmp_path)
    motion = load(source, animation="Walk", scale=1.0)
    foreign = replace(motion, name="jog", origin=replace(motion.origin, animation=""))
    save(foreign, tmp_path / "out.glb", onto=source, replace=True)
    names = [entry["name"] for entry in take_apart(tmp_path / "out.glb")[0]["animations"]]
    assert names == ["Walk", "Idle", "jog"]
    assert_moves_as(tmp_path / "out.glb", foreign, "jog")


def test_another_skeleton_is_drawn_as_a_figure_of_its_own(tmp_path: Path) -> None:
    source = hero().save(tmp_path)
    motion = load(source, animation="Walk", scale=1.0)
    assert has_skeletons_of(source, [motion])
    names = ("Hips", "Spine", "Horn")
    changed = replace(motion, skeleton=replace(motion.skeleton, names=names))
    assert not has_skeletons_of(source, [changed])
    save(changed, tmp_path / "out.glb")
    assert "ACME_unknown" not in take_apart(tmp_path / "out.glb")[0].get("extensions", {})
    with pytest.raises(InputError, match="no skeleton with the joints"):
        write_onto(source, [changed])
    source.unlink()
    save(motion, tmp_path / "alone.glb")
    assert read_gltf(tmp_path / "alone.glb")[0].skeleton.names == motion.skeleton.names


@pytest.fixture(scope="module")
def asset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built-in walk as a GLB of another program: without gambol's record."""
    path = tmp_path_factory.mktemp("asset") / "hero.glb"
    path.write_bytes(to_glb([load("walk")]))
    document, data = take_apart(path)
    document["animations"][0] |= {"name": "Walking_A", "extras": {}}
    path.write_bytes(build_glb(document, data))
    return path


def test_verbs_write_onto_the_asset(asset: Path, tmp_path: Path) -> None:
    document, data = take_apart(asset)
    for result, name in ((loop(asset), "Walking_A loop"), (retarget_to_rig("walk", asset), "walk retarget")):
        result.save(tmp_path / "out.glb")
        after, written = take_apart(tmp_path / "out.glb")
        assert all(after.get(key) == document.get(key) for key in KEPT)
        assert [entry["name"] for entry in after["animations"]] == ["Walking_A", name]
        assert after["animations"][0] == document["animations"][0]
        assert written.startswith(data)


def test_the_command_line_adds_or_replaces(gambol, asset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.glb"
    words = ("loop", asset, "--animation", "Walking_A", "-o", out, "--overwrite")
    for more, names in (((), ["Walking_A", "Walking_A loop"]), (("--replace",), ["Walking_A"])):
        assert gambol(*words, *more)[0] == 0
        assert [entry["name"] for entry in take_apart(out)[0]["animations"]] == names


@pytest.mark.parametrize(("clip", "output"), [("walk", "out.glb"), ("asset", "out.bvh")])
def test_nothing_to_replace_is_said_before_any_work(
    gambol, asset: Path, tmp_path: Path, clip: str, output: str
) -> None:
    given = asset if clip == "asset" else clip
    code, _, said = gambol("loop", given, "-o", tmp_path / output, "--replace")
    assert code == 2
    assert "--replace is for a clip from a glTF file" in said.splitlines()[-1]
    assert not list(tmp_path.iterdir())
