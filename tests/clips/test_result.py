"""Results go back into the asset that they came from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pygltflib
import pytest

import gambol as gb
from gambol.clips.result import Result
from gambol.judge.judgement import Original
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES
from tests.judge.test_stances import shift


def joint_columns(motion: Motion, *parts: str) -> list[int]:
    return [column for part in parts for column in motion.skeleton.columns(motion.rig.parts[part], "turn")]


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


def test_a_loop_is_judged_by_two_rounds_and_their_seam() -> None:
    looped = gb.loop("walk", times=9)
    rounds = len(looped.motion) // 9
    assert len(looped.excerpt) == 2 * rounds + 1
    q = looped.excerpt.q.copy()
    q[rounds:, looped.motion.skeleton.columns(0, "slide")] += 0.05
    jumping = replace(looped, excerpt=replace(looped.excerpt, q=q))
    assert looped.judgement.accepted
    assert not jumping.judgement.accepted
    assert gb.loop("walk", times=2).excerpt is None


def test_motions_are_compared_with_the_clips_that_they_should_look_like() -> None:
    """Each of a scene with its own, but for limbs that do something else."""
    walk = gb.load("walk")
    arms = [one for side in SIDES for one in joint_columns(walk, f"{side}_upper_arm", f"{side}_forearm")]
    still = walk.q.copy()
    still[:, arms] = still[:, arms].mean(axis=0)
    anna = replace(walk, q=still, name="anna")
    alone = Result(motions=as_ensemble(anna), originals=(Original(anna, walk),))
    lifeless = [one for one in alone.judgement.findings if one.kind.name == "lifeless_arms"]
    assert {one.part for one in lifeless} == {"left_upper_arm", "right_upper_arm"}
    busy = (Original(anna, walk, busy=frozenset({"left_arm"})),)
    (one,) = Result(motions=alone.motions, originals=busy).judgement.findings
    assert (one.kind.name, one.part) == ("lifeless_arms", "right_upper_arm")
    other = replace(shift(walk, np.tile([0.0, 2.0, 0.0], (len(walk), 1))), name="ben")
    scene = Result(motions=as_ensemble([anna, other]), originals=(*alone.originals, Original(other, walk)))
    assert {(one.person, one.kind.name) for one in scene.judgement.findings} == {("anna", "lifeless_arms")}
    only = (Original(anna, walk, compared=()),)
    assert Result(motions=alone.motions, originals=only).judgement.findings == ()


@pytest.mark.slow
def test_verbs_say_what_their_results_should_look_like() -> None:
    walk = gb.load("walk")
    [one] = gb.loop(walk, times=3).originals
    assert len(one.motion) == len(one.clip) < len(walk)
    np.testing.assert_allclose(one.motion.placement.positions[0], one.clip.placement.positions[0], atol=0.02)
    [one] = gb.push(walk, [gb.Push("head", (0.0, 60.0, 0.0), 0.5)]).originals
    assert one.motion.duration == one.clip.duration == pytest.approx(0.5, abs=1.1 * walk.frame_time)
    assert gb.push(walk, loads=[gb.Load("left_hand", 2.0)]).originals == ()
    edited = gb.edit(walk[:60], changes=[{"stage": "ground 1", "longer": 1.2}], solve_fps=15.0)
    [one] = edited.originals
    assert one.motion is edited.motion
    assert len(one.clip) == len(one.motion) > 60
    assert gb.crowd("poles", walk=walk, seconds=1.0).originals == ()  # nobody has walked as far as the walk
    walkers = gb.crowd("poles", walk=walk, seconds=6.0)
    assert {one.motion.name for one in walkers.originals} <= {one.name for one in walkers.motions}
    assert walkers.originals
    assert len(walkers.originals[0].clip) == len(walkers.originals[0].motion) == len(walk)


def test_a_picture_of_several_characters_shows_their_scene(tmp_path: Path) -> None:
    walk = gb.load("walk")[:30]
    aside = replace(walk, q=walk.q + np.eye(walk.q.shape[1])[walk.skeleton.columns(0, "slide")[0]], name="aside")
    [scene] = Result(motions=as_ensemble([walk, aside])).save(tmp_path / "scene.png")
    same = gb.render([walk, aside], tmp_path / "same.png", moments=4)
    assert scene.read_bytes() == same.read_bytes()
