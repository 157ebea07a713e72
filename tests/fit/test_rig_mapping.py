"""Rotations of the character are mapped to the rig, in continuous channels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton


def test_a_body_that_is_turned_about_has_channels_without_jumps() -> None:
    clip = samples.walk()[:40]
    fitted = fit(Character.from_motion(clip), clip)
    heading = fitted.character.skeleton.columns(0, "turn")[0]
    q = fitted.motion.q.copy()
    q[:, heading] += np.linspace(0.0, 3.0 * np.pi, len(q))
    mapped = map_to_rig(fitted, q)
    turns = mapped.skeleton.columns(0, "turn")
    assert np.abs(np.diff(mapped.q[:, turns], axis=0)).max() < 0.5
    turn = quat.multiply(mapped.placement.rotations[-1, 0], quat.conjugate(clip.placement.rotations[-1, 0]))
    assert quat.angle(turn) == pytest.approx(np.pi, abs=1e-6)


def test_what_did_not_change_keeps_its_channels() -> None:
    clip = samples.walk()[:20]
    fitted = fit(Character.from_motion(clip), clip)
    assert np.array_equal(map_to_rig(fitted, fitted.motion.q).q, clip.q)


def with_feet_apart(motion: Motion) -> Motion:
    """The motion on a rig whose feet are children of a root on the ground and slide, as IK targets do."""
    skeleton, parts = motion.skeleton, motion.rig.parts
    feet = {side: parts[f"{side}_foot"] for side in ("left", "right")}
    below = {j for j in range(len(skeleton.names)) if set(feet.values()) & set(skeleton.path_to_root(j))}
    order = [j for j in range(len(skeleton.names)) if j not in below]
    order += [j for foot in feet.values() for j in sorted(below) if foot in skeleton.path_to_root(j)]
    new = {j: n for n, j in enumerate(order, start=1)} | {-1: 0}
    names = ("root", *(skeleton.names[j] for j in order))
    parents = (-1, *(0 if j in feet.values() else new[skeleton.parents[j]] for j in order))
    offsets = np.vstack((np.zeros(3), skeleton.offsets[order]))
    rests = np.vstack((quat.IDENTITY, skeleton.rests[order]))
    dofs = [replace(dof, joint=new[dof.joint]) for dof in skeleton.dofs if dof.joint not in feet.values()]
    columns = [motion.q[:, c] for c, dof in enumerate(skeleton.dofs) if dof.joint not in feet.values()]
    for foot in feet.values():
        offsets[new[foot]], rests[new[foot]] = 0.0, quat.IDENTITY
        axes = np.eye(3)
        dofs += [Dof(new[foot], "slide", tuple(map(float, axis))) for axis in axes]
        columns += list(motion.placement.positions[:, foot].T)
        dofs += [Dof(new[foot], "turn", tuple(map(float, axis))) for axis in axes]
        columns += list(angles_about(axes, quat.make_continuous(motion.placement.rotations[:, foot])).T)
    ends = frozenset(new[end] for end in skeleton.ends)
    made = Skeleton(names, parents, offsets, tuple(dofs), rests, ends)
    rig = replace(motion.rig, parts={part: new[joint] for part, joint in parts.items()})
    return replace(motion, skeleton=made, q=np.array(columns).T, rig=rig)


def test_feet_that_are_apart_from_their_legs_stay_on_them() -> None:
    walk = with_feet_apart(samples.walk()[:40])
    fitted = fit(Character.from_motion(walk), walk)
    q = fitted.motion.q.copy()
    bend = fitted.character.skeleton.columns(fitted.character.skeleton.index("left_shank"), "turn")
    q[:, 0] += 0.1
    q[:, bend] += 0.3
    back = map_to_rig(fitted, q)
    for side in ("left", "right"):
        bones = [
            np.linalg.norm(m.placement.positions[:, m.rig.parts[f"{side}_foot"]]
                           - m.placement.positions[:, m.rig.parts[f"{side}_shank"]], axis=1)
            for m in (walk, back)
        ]  # fmt: skip
        np.testing.assert_allclose(bones[1], bones[0], atol=0.01)
    moved = back.placement.positions - walk.placement.positions
    assert np.abs(moved[:, back.rig.parts["left_foot"], 0] - 0.1).max() > 0.05
    np.testing.assert_allclose(moved[:, back.rig.parts["right_foot"]], [[0.1, 0.0, 0.0]] * 40, atol=1e-6)
