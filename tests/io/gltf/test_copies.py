"""Several motions on one character: everybody has nodes and skins of their own, and all share one set of meshes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.io import read_motions, save
from gambol.io.gltf.read import read_gltf
from gambol.io.gltf.write import to_glb
from gambol.motion.motion import Motion
from gambol.primitives.crowd.verb import crowd
from tests.io.gltf.test_onto import hero, read_gltf_frame, take_apart
from tests.io.gltf.test_read import STAY, Document, limb
from tests.io.test_gltf import issues

SHARED = ("meshes", "materials", "textures", "images", "samplers", "extensions")


def walkers(clip: Motion, count: int = 3) -> list[Motion]:
    """Return different motions on the rig of a clip."""
    return [
        replace(clip, q=(1.0 - 0.2 * n) * clip.q, name=f"walker {n + 1}", made={"verb": "crowd"}) for n in range(count)
    ]


def assert_read_again(path: Path, motions: list[Motion]) -> None:
    again = read_gltf(path)
    assert [motion.name for motion in again] == [motion.name for motion in motions]
    for one, other in zip(again, motions, strict=True):
        assert one.skeleton.names == other.skeleton.names
        np.testing.assert_allclose(one.placement.positions, read_gltf_frame(other), atol=1e-6)


def test_a_crowd_has_one_set_of_meshes(tmp_path: Path) -> None:
    document = hero()
    document.json["nodes"] += [{"name": "lamp"}, {"name": "coat", "mesh": 0, "skin": 0}]
    document.json["scenes"][0]["nodes"] += [5, 6]
    source, out = document.save(tmp_path), tmp_path / "out.glb"
    motions = walkers(load(source, animation="Walk", scale=1.0))
    save(motions, out)
    before, after = take_apart(source)[0], take_apart(out)[0]
    assert all(after.get(key) == before.get(key) for key in SHARED)
    assert after["nodes"][:7] == before["nodes"]
    assert after["animations"][:2] == before["animations"]
    assert after["animations"][2]["name"] == "Walk crowd"
    names = [node["name"] for node in after["nodes"]]
    assert len(set(names)) == len(names) == 7 + 2 * 6
    assert not any(name.startswith("lamp_") for name in names)
    shown = [names[node] for node in after["scenes"][0]["nodes"]]
    assert shown == ["Armature", "lamp", "coat", "Armature_2", "coat_2", "Armature_3", "coat_3"]
    for person, ending in enumerate(("", "_2", "_3")):
        joints = [names[joint] for joint in after["skins"][person]["joints"]]
        assert joints == [name + ending for name in ("Hips", "Spine", "Head")]
        worn = [node for node in after["nodes"] if node.get("skin") == person]
        assert [(node["name"], node["mesh"]) for node in worn] == [("Body" + ending, 0), ("coat" + ending, 0)]
    assert_read_again(out, motions)


def test_curves_of_other_nodes_move_with_everybody(tmp_path: Path) -> None:
    """The scale of the mesh is animated in the clip that was read: in every copy too, by the same data."""
    motions, out = walkers(load(hero().save(tmp_path), animation="Walk", scale=1.0)), tmp_path / "out.glb"
    save(motions, out)
    document, _ = take_apart(out)
    entry = document["animations"][2]
    scaled = [channel for channel in entry["channels"] if channel["target"]["path"] == "scale"]
    assert [document["nodes"][channel["target"]["node"]]["name"] for channel in scaled] == ["Body", "Body_2", "Body_3"]
    assert len({channel["sampler"] for channel in scaled}) == 1
    targets = [(channel["target"]["node"], channel["target"]["path"]) for channel in entry["channels"]]
    assert len(set(targets)) == len(targets)


def test_two_animations_of_one_character_meet_in_one_file(tmp_path: Path) -> None:
    document = hero()
    document.animate(4, "scale", [0.0, 2.0], [[1, 1, 1], [3, 3, 3]], clip=1)
    source, out = document.save(tmp_path), tmp_path / "out.glb"
    motions = [
        replace(load(source, animation=name, scale=1.0), name=name, made={"verb": "compose"})
        for name in ("Walk", "Idle")
    ]
    save(motions, out)
    walk, idle, together = take_apart(out)[0]["animations"]
    assert [entry["name"] for entry in (walk, idle, together)] == ["Walk", "Idle", "Walk compose"]
    outputs = [
        [entry["samplers"][c["sampler"]]["output"] for c in entry["channels"] if c["target"]["path"] == "scale"]
        for entry in (walk, idle, together)
    ]
    assert outputs[2] == outputs[0] + outputs[1]
    assert_read_again(out, motions)


def test_a_crowd_is_changed_and_saved_again(tmp_path: Path) -> None:
    """Everybody keeps their own nodes: no further copies are made."""
    motions = walkers(load(hero().save(tmp_path), animation="Walk", scale=1.0))
    save(motions, tmp_path / "one.glb")
    again = [replace(motion, q=0.5 * motion.q) for motion in read_motions(tmp_path / "one.glb", scale=1.0)]
    save(again, tmp_path / "two.glb", replace=True)
    one, two = (take_apart(tmp_path / name)[0] for name in ("one.glb", "two.glb"))
    assert two["nodes"] == one["nodes"]
    assert_read_again(tmp_path / "two.glb", again)


def test_a_copy_of_a_copy_has_the_joints_of_the_character(tmp_path: Path) -> None:
    save(walkers(load(hero().save(tmp_path), animation="Walk", scale=1.0)), tmp_path / "one.glb")
    second = read_motions(tmp_path / "one.glb", scale=1.0)[1]
    save([second, replace(second, q=0.5 * second.q)], tmp_path / "two.glb")
    names = [motion.skeleton.names for motion in read_gltf(tmp_path / "two.glb")]
    assert names == [second.skeleton.names] * 4


def test_a_copy_without_skin_is_read_again(tmp_path: Path) -> None:
    document = Document(limb())
    document.animate(0, "rotation", np.arange(4) / 30, [STAY] * 4).animate(1, "rotation", np.arange(4) / 30, [STAY] * 4)
    motions = walkers(load(document.save(tmp_path), scale=1.0, up="z"), 2)
    save(motions, tmp_path / "out.glb")
    assert_read_again(tmp_path / "out.glb", motions)


def test_objects_and_people_of_other_files_are_not_lost(tmp_path: Path) -> None:
    walk = load(hero().save(tmp_path), animation="Walk", scale=1.0)
    other = replace(walk, origin=replace(walk.origin, file="other.glb"))
    for motions in ([replace(walk, props=(other,))], [walk, other]):
        save(motions, tmp_path / "out.glb")
        assert len(take_apart(tmp_path / "out.glb")[0]["meshes"]) == 2


def test_extensions_that_refer_to_nodes_are_not_copied(tmp_path: Path) -> None:
    document = hero()
    document.json["nodes"][3]["extensions"] = {"KHR_lights": {"light": 0}, "VRMC_node_constraint": {"source": 2}}
    motions = walkers(load(document.save(tmp_path), animation="Walk", scale=1.0), 2)
    save(motions, tmp_path / "out.glb")
    head, other = (
        next(node for node in take_apart(tmp_path / "out.glb")[0]["nodes"] if node["name"] == name)
        for name in ("Head", "Head_2")
    )
    assert len(head["extensions"]) == 2
    assert other["extensions"] == {"KHR_lights": {"light": 0}}


@pytest.mark.slow
def test_a_crowd_walks_as_the_asset(tmp_path: Path) -> None:
    asset, out = tmp_path / "hero.glb", tmp_path / "crowd.glb"
    asset.write_bytes(to_glb([load("walk")]))
    result = crowd("poles", walk=asset, seconds=0.5)
    result.save(out)
    before, after = take_apart(asset)[0], take_apart(out)[0]
    assert len(result.motions) == 6
    assert after["meshes"] == before["meshes"]
    assert issues(out.read_bytes(), tmp_path) == []
    geometry = {index for skin in after["skins"] for index in [skin["inverseBindMatrices"]]}
    assert len(geometry) == 1
    assert_read_again(out, list(result.motions))
