"""Results go back into the asset that they came from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest

import gambol as gb
from gambol.clips.result import Result
from gambol.motion.ensemble import as_ensemble


@pytest.fixture
def hero(tmp_path: Path) -> Path:
    """A GLB with a material and a second animation of its own."""
    path = tmp_path / "hero.glb"
    gb.save(gb.load("walk"), path)
    asset = pygltflib.GLTF2().load(path)
    asset.materials[0].name = "own skin"
    asset.animations[0].name = "stroll"
    asset.animations.append(replace(asset.animations[0], name="another"))
    asset.save(path)
    return path


@pytest.mark.parametrize("verb", ["push", "loop", "edit", "fix"])
def test_meshes_materials_and_other_animations_stay(hero: Path, verb: str, tmp_path: Path) -> None:
    clip = gb.load(hero, animation="stroll")
    if verb in ("edit", "fix"):
        clip = clip[:60]
    result = {
        "push": lambda: gb.push(clip, [gb.Push("chest", (-100.0, 0.0, 0.0), 0.5)]),
        "loop": lambda: gb.loop(clip),
        "edit": lambda: gb.edit(clip, changes=[{"stage": "ground 1", "longer": 1.2}], solve_fps=15.0),
        "fix": lambda: gb.fix(clip),
    }[verb]()
    [path] = result.save(tmp_path / f"{verb}.glb")
    before, after = (pygltflib.GLTF2().load(file) for file in (hero, path))
    assert after.materials[0].name == "own skin"
    assert [node.name for node in after.nodes] == [node.name for node in before.nodes]
    assert len(after.meshes) == len(before.meshes)
    assert [animation.name for animation in after.animations] == ["stroll", "another", f"stroll {verb}"]
    back = gb.load(path)
    np.testing.assert_allclose(back.placement.positions, result.motion.placement.positions, atol=1e-4)
    for kept in ("stroll", "another"):
        assert len(gb.load(path, animation=kept)) == len(gb.load("walk"))


def test_a_retargeted_motion_goes_into_the_asset_of_the_target(hero: Path, tmp_path: Path) -> None:
    [path] = gb.retarget("jump", hero).save(tmp_path / "jumps.glb")
    assert pygltflib.GLTF2().load(path).materials[0].name == "own skin"


def test_a_missing_source_leaves_the_mannequin(hero: Path, tmp_path: Path) -> None:
    clip = gb.load(hero, animation="stroll")
    hero.unlink()
    [path] = gb.loop(clip).save(tmp_path / "loop.glb")
    assert len(gb.load(path)) == len(gb.loop(clip).motion)


def test_pictures_are_drawn_by_extension_and_nothing_is_replaced_unasked(tmp_path: Path) -> None:
    result = gb.loop("walk")
    [picture] = result.save(tmp_path / "walk.png")
    size = picture.stat().st_size
    with pytest.raises(gb.InputError, match="exists already"):
        result.save(picture, overwrite=False)
    assert picture.stat().st_size == size
    with pytest.raises(gb.InputError, match="choose one of"):
        result.save(tmp_path / "walk.docx")


def test_a_picture_of_several_characters_shows_their_scene(tmp_path: Path) -> None:
    walk = gb.load("walk")[:30]
    aside = replace(walk, q=walk.q + np.eye(walk.q.shape[1])[walk.skeleton.columns(0, "slide")[0]], name="aside")
    [scene] = Result(motions=as_ensemble([walk, aside])).save(tmp_path / "scene.png")
    same = gb.render([walk, aside], tmp_path / "same.png", moments=4)
    assert scene.read_bytes() == same.read_bytes()
