"""Rigs with joints or channels missing are fitted, changed, pushed and retargeted, or refused in one line."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.clips.retarget import retarget_motion
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.fit.physics import estimate_physics
from gambol.fit.rig import fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.metrics.check import check
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.motion.rig import recognise_rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.respond.clips import respond_to_pushes
from gambol.spacetime.windows import make_physical

WALK = samples.walk()[:50]
SIDES = ("Left", "Right")
FREE = ("pelvis", "left_upper_arm", "left_forearm", "left_hand", "right_thigh", "right_shank", "right_foot")
OPTIONAL = ("Neck", *(f"{s}{part}" for s in SIDES for part in ("Shoulder", "Hand", "ToeBase", "ToeBase_end")))


def rebuilt(motion: Motion, kept: list[int], parents: list[int], offsets: np.ndarray, dofs: list[int]) -> Motion:
    """The motion on a skeleton of the joints `kept`, with the columns `dofs`; its rig is recognised anew."""
    old, new = motion.skeleton, {joint: n for n, joint in enumerate(kept)}
    skeleton = Skeleton(
        tuple(old.names[j] for j in kept),
        tuple(new.get(parents[j], -1) for j in kept),
        offsets[kept],
        tuple(replace(old.dofs[c], joint=new[old.dofs[c].joint]) for c in dofs),
        ends=frozenset(new[j] for j in kept if j in old.ends),
    )
    made = replace(motion, skeleton=skeleton, q=motion.q[:, dofs])
    return replace(made, rig=recognise_rig(skeleton, made.placement.positions[0], np.array([0.0, 0.0, 1.0])))


def without(*names: str) -> Callable[[Motion], Motion]:
    """A rig without these joints: what hung on them hangs on their parents, in the same place at rest."""

    def change(motion: Motion) -> Motion:
        old = motion.skeleton
        gone = {old.index(name) for name in names}
        parents, offsets = list(old.parents), old.offsets.copy()
        for joint in range(len(parents)):
            while parents[joint] in gone:
                offsets[joint] += old.offsets[parents[joint]]
                parents[joint] = old.parents[parents[joint]]
        kept = [joint for joint in range(len(parents)) if joint not in gone]
        return rebuilt(motion, kept, parents, offsets, [c for c, d in enumerate(old.dofs) if d.joint not in gone])

    return change


def locked(*names: str, channels: int = 0) -> Callable[[Motion], Motion]:
    """A rig whose joints of these names keep only `channels` rotation channels."""

    def change(motion: Motion) -> Motion:
        old = motion.skeleton
        gone = {c for name in names for c in old.columns(old.index(name), "turn")[channels:]}
        kept = [c for c in range(len(old.dofs)) if c not in gone]
        return rebuilt(motion, list(range(len(old.names))), list(old.parents), old.offsets.copy(), kept)

    return change


def under_a_root(slides_on_root: bool) -> Callable[[Motion], Motion]:
    """The rig below one more joint, turned a quarter about the vertical, that has channels and does not move."""

    def change(motion: Motion) -> Motion:
        old = motion.skeleton
        shifted = [replace(d, joint=d.joint + 1) for d in old.dofs]
        if slides_on_root:
            shifted = [replace(d, joint=0) if d.kind == "slide" else d for d in shifted]
        axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        skeleton = Skeleton(
            ("root", *old.names),
            (-1, *(p + 1 for p in old.parents)),
            np.vstack((np.zeros(3), old.offsets)),
            (*(Dof(0, "turn", axis) for axis in axes), *shifted),
            np.vstack((quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(np.pi / 2)), old.rests)),
            frozenset(j + 1 for j in old.ends),
        )
        made = replace(motion, skeleton=skeleton, q=np.hstack((np.zeros((len(motion), 3)), motion.q)))
        return replace(made, rig=recognise_rig(skeleton, made.placement.positions[0], np.array([0.0, 0.0, 1.0])))

    return change


RIGS = {
    "one back joint": without("Chest"),
    "one back joint that is the chest": without("Spine"),
    "no back joint": without("Spine", "Chest"),
    "chest at the place of the spine": lambda m: moved_onto(m, "Chest"),
    "neck at the place of the chest": lambda m: moved_onto(m, "Neck"),
    "no neck": without("Neck"),
    "no neck, collars, hands, toes": without(*OPTIONAL),
    "locked chest": locked("Chest"),
    "locked neck": locked("Neck"),
    "locked head and hands": locked("Neck", "Head", "LeftHand", "RightHand"),
    "locked feet and toes": locked("LeftFoot", "RightFoot", "LeftToeBase", "RightToeBase"),
    "knees that are hinges": locked("LeftLeg", "RightLeg", "LeftForeArm", channels=1),
    "a root above the pelvis": under_a_root(slides_on_root=False),
    "a root that has the position channels": under_a_root(slides_on_root=True),
}


def moved_onto(motion: Motion, name: str) -> Motion:
    """The rig with a joint at its parent's place."""
    offsets = motion.skeleton.offsets.copy()
    offsets[motion.skeleton.index(name)] = 0.0
    return replace(motion, skeleton=replace(motion.skeleton, offsets=offsets))


@pytest.mark.parametrize("name", RIGS)
def test_a_change_of_the_character_is_made_by_the_joints_that_can(name: str) -> None:
    """Every joint with three turns is turned in the world as its body is, whatever its parents can do."""
    clip = RIGS[name](WALK)
    fitted = fit(Character.from_motion(clip), clip)
    assert fitted.errors.mean() < 0.012
    assert np.array_equal(map_to_rig(fitted, fitted.motion.q).q, clip.q)

    skeleton, q = fitted.character.skeleton, fitted.motion.q.copy()
    q[:, :3] += [0.1, -0.05, 0.02]
    for body in ("pelvis", "spine", "chest", "head", "left_upper_arm", "left_forearm", "right_thigh", "right_shank"):
        q[:, skeleton.columns(skeleton.index(body), "turn")] += 0.1 * np.sin(np.arange(len(q)) / 10.0)[:, None]
    mapped = map_to_rig(fitted, q)
    before, after = fitted.motion.placement, replace(fitted.motion, q=q).placement
    turns = quat.multiply(after.rotations, quat.conjugate(before.rotations))
    shown = quat.multiply(mapped.placement.rotations, quat.conjugate(clip.placement.rotations))
    parts = clip.rig.parts
    follow = {part: part for part in FREE}
    neck = "neck" if "neck" in parts and clip.skeleton.columns(parts["neck"], "turn") else "head"
    follow |= {neck: "head", "chest" if "chest" in parts and name != "locked chest" else "spine": "chest"}
    for part, body in follow.items():
        if part in parts and len(clip.skeleton.columns(parts[part], "turn")) == 3:
            error = quat.angle(quat.multiply(quat.conjugate(shown[:, parts[part]]), turns[:, skeleton.index(body)]))
            assert error.max() < 1e-6, part
    if clip.skeleton.names[0] == "root":  # what is above the pelvis is not tilted with it
        assert np.array_equal(mapped.q[:, :3], clip.q[:, :3])
    hips = [0.5 * sum(m.placement.positions[:, parts[f"{s}_thigh"]] for s in ("left", "right")) for m in (clip, mapped)]
    goal = after.positions[:, 0] + quat.rotate(turns[:, 0], hips[0] - before.positions[:, 0])
    assert np.abs(hips[1] - goal).max() < 1e-6


@pytest.mark.parametrize("name", ["no neck, collars, hands, toes", "locked head and hands"])
def test_it_is_pushed_retargeted_and_checked(name: str) -> None:
    clip = RIGS[name](WALK)
    pushed = respond_to_pushes(Character.from_motion(clip), clip, [Push("chest", (0.0, 100.0, 0.0), 0.3, 0.2)]).motion
    assert pushed.skeleton is clip.skeleton
    moved = np.linalg.norm(pushed.placement.positions - clip.placement.positions, axis=2).max(axis=0)
    assert moved[clip.rig.parts["left_forearm"]] > 0.01
    assert max(moved[clip.rig.parts[f"{s}_foot"]] for s in ("left", "right")) < 0.02
    for one, other in ((clip, WALK), (WALK, clip)):
        there = retarget_motion(one, other)
        assert there.skeleton is other.skeleton
        feet = [[m.placement.positions[:, m.rig.parts[f"{s}_foot"]] for s in ("left", "right")] for m in (one, there)]
        assert np.abs(np.subtract(*feet)).max() < 0.08
    assert not check(clip).unjudged


def test_a_stripped_rig_is_fixed() -> None:
    clip = RIGS["no neck, collars, hands, toes"](WALK[:30])
    repair = make_physical(fit(Character.from_motion(clip), clip))
    assert repair.motion.skeleton is clip.skeleton
    assert repair.change < 5.0


def test_collars_that_a_rig_lacks_are_level_and_not_at_their_limits() -> None:
    clip = RIGS["no neck, collars, hands, toes"](WALK)
    fitted = fit(Character.from_motion(clip), clip)
    skeleton = fitted.character.skeleton
    for side in ("left", "right"):
        columns = skeleton.columns(skeleton.index(f"{side}_collar"), "turn")
        assert np.abs(np.degrees(fitted.motion.q[:, columns])).max() < 15.0


def test_feet_without_toe_joints_turn_as_those_with_them_do() -> None:
    with_toes, bare = (fit(Character.from_motion(m), m) for m in (WALK, RIGS["no neck, collars, hands, toes"](WALK)))
    for side in ("left", "right"):
        turned = [
            f.motion.placement.rotations[:, f.character.skeleton.index(f"{side}_foot")] for f in (with_toes, bare)
        ]
        apart = np.degrees(quat.angle(quat.multiply(quat.conjugate(turned[0]), turned[1])))
        assert apart.max() < 8.0


def test_arms_held_out_in_an_exact_t_pose_have_orientations() -> None:
    still = replace(WALK, q=np.zeros_like(WALK.q))
    fitted = fit(Character.from_motion(still), still)
    assert fitted.errors.max() < 0.005
    skeleton = fitted.character.skeleton
    for side, out in (("left", 1.0), ("right", -1.0)):
        forearm = fitted.motion.placement.rotations[0, skeleton.index(f"{side}_forearm")]
        assert quat.rotate(forearm, np.array([0.0, 0.0, -1.0])) == pytest.approx([0.0, out, 0.0], abs=0.05)
        assert quat.rotate(forearm, np.array([1.0, 0.0, 0.0])) == pytest.approx([1.0, 0.0, 0.0], abs=0.15)


def test_what_cannot_be_used_is_refused_in_one_line() -> None:
    for name, parts in (
        ("LeftForeArm", "left_upper_arm and left_forearm"),
        ("RightFoot", "right_shank and right_foot"),
    ):
        with pytest.raises(InputError, match=f"{parts} are in the same place.*--rig"):
            Character.from_motion(moved_onto(WALK, name))
    fixed = [c for c, dof in enumerate(WALK.skeleton.dofs) if dof.kind == "turn"]
    anchored = rebuilt(
        WALK, list(range(len(WALK.skeleton.names))), list(WALK.skeleton.parents), WALK.skeleton.offsets.copy(), fixed
    )
    with pytest.raises(InputError, match=r"'Hips' .*position channels.*export"):
        _ = respond_to_pushes(
            Character.from_motion(anchored), anchored, [Push("chest", (0.0, 100.0, 0.0), 0.3, 0.2)]
        ).motion
    for use in (Character.from_motion, check, estimate_physics):
        with pytest.raises(InputError, match=r"not recognised as a person: no .*; write a mapping with 'gambol rig"):
            use(replace(without_names(WALK), rig=None))


def without_names(motion: Motion) -> Motion:
    names = tuple(f"bone{n}" for n in range(len(motion.skeleton.names)))
    return replace(motion, skeleton=replace(motion.skeleton, names=names))


def knight_walking(data: Path, folder: Path) -> Path:
    """The knight's file with one of its animations only: its head has no turn channels there."""
    whole = (data / "wild" / "kaykit_knight.glb").read_bytes()
    end = 20 + int.from_bytes(whole[12:16], "little")
    document = json.loads(whole[20:end])
    document["animations"] = [a for a in document["animations"] if a["name"] == "Walking_A"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(whole) - end, len(text), 0x4E4F534A)
    (folder / "knight.glb").write_bytes(header + text + whole[end:])
    return folder / "knight.glb"


@pytest.mark.parametrize("name", ["riggedfigure.glb", "pymo_av8walk.bvh", "knight"])
def test_rigs_of_other_people_are_checked_pushed_and_retargeted(
    data: Path, tmp_path: Path, gambol: Callable[..., tuple[int, str, str]], name: str
) -> None:
    path = knight_walking(data, tmp_path) if name == "knight" else data / "wild" / name
    clip = load(path)[:100]
    fitted = fit(Character.from_motion(clip), clip)
    assert fitted.errors.mean() < 0.003
    found = check(clip)
    assert not found.unjudged
    assert any("as on a treadmill" in note for note in found.notes) == (name == "knight")
    there = retarget_motion(clip[:40], WALK)
    assert len(there) == min(len(clip), 40)
    pushed = tmp_path / f"pushed{path.suffix}"
    words = ("push", path, "--body", "chest", "--force", 0, 60, 0, "--start", 0.3, "--duration", 0.1, "-o", pushed)
    code, _, err = gambol(*words)
    assert code == 0, err
    assert load(pushed).skeleton.names == clip.skeleton.names


PUSHED = ("push", "--body", "chest", "--force", "0", "60", "0", "-o", "pushed.glb")


@pytest.mark.parametrize(
    ("name", "words", "body"),
    [
        ("fox.glb", ("check",), "four legs"),
        ("fox.glb", PUSHED, "four legs"),
        ("kenney_char.glb", PUSHED, "one bone per leg and arm"),
    ],
)
def test_what_is_no_person_is_refused_with_what_it_is(
    data: Path, gambol: Callable[..., tuple[int, str, str]], name: str, words: tuple[str, ...], body: str
) -> None:
    code, _, err = gambol(words[0], data / "wild" / name, *words[1:])
    assert code == 2
    assert f"not a person: {body}; info, view" in err.splitlines()[-1]
