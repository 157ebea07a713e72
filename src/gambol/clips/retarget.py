"""Move a motion to another rig: the same body orientations, travel scaled to the legs, and feet in place.

Characters with the same bodies are fitted to both rigs. Orientations are kept; positions of feet are scaled by the
length of the legs, so that steps fit; the hips are where legs that keep their orientations, knees and all, have their
feet there; then the feet are moved to their positions, which keeps contacts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.clips.result import Result
from gambol.fit.load import Source, as_motion, load_for_rig
from gambol.fit.rig import Fit, choose_safe_axes, fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import Array
from gambol.judge.judgement import Original
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import Placement, place
from gambol.motion.motion import Motion
from gambol.poses.guess import guess_poses
from gambol.poses.solve import solve_poses
from gambol.poses.targets import aim_point

_FEET = tuple(f"{side}_{tip}_tip" for side in ("left", "right") for tip in ("heel", "ball"))
_LIFTED = 0.05
"""Metres above the lowest foot at which a foot counts for a third: the hips are above the foot that stands."""
_TILTED = 0.02
"""Difference of height (m, of an adult) between heel and ball at which the lower counts for three quarters."""
_HIPS = 1.0
"""Weight of the hips' position relative to that of a foot."""


def retarget_to_rig(clip: Source, to: Source) -> Result:
    """Move a motion to the rig of another clip, or of a glTF character; only the rig of that clip matters."""
    motion, onto = as_motion(clip), to if isinstance(to, Motion) else load_for_rig(to)
    moved = replace(
        retarget_motion(motion, onto),
        name=motion.origin.animation or motion.name,
        origin=replace(onto.origin, animation=""),
        made={**motion.made, "verb": "retarget", "onto": onto.name},
    )
    return Result(motions=as_ensemble(moved), sources=(motion,), originals=(Original(moved, motion),))


def retarget_motion(motion: Motion, onto: Motion) -> Motion:
    """Return the motion on the rig of another clip."""
    source = fit(Character.from_motion(motion), motion)
    target = fit(Character.from_motion(onto), onto)
    placed = source.motion.placement
    bodies = source.character.bodies
    names = source.character.skeleton.names
    rotations = {body: placed.rotations[:, names.index(body)] for body in bodies}
    character = choose_safe_axes(target.character, rotations)
    skeleton = character.skeleton

    scale = character.leg_length / source.character.leg_length
    places = _scale_positions(source, scale, _floor(target))
    joints = {skeleton.names.index(body): rotation for body, rotation in rotations.items()}
    tips = [skeleton.names.index(tip) for tip in _FEET]
    still = np.zeros((len(motion), 3))
    below = place(skeleton, guess_poses(skeleton, still, joints)).positions[:, tips]
    places = _fit_feet(places, below, scale)
    pelvis = _place_pelvis(places, below)
    start = guess_poses(skeleton, pelvis, joints)
    targets = [aim_point(joint, np.zeros(3), places[:, n]) for n, joint in enumerate(tips)]
    targets.append(aim_point(0, np.zeros(3), pelvis, _HIPS))
    q = solve_poses(skeleton, targets, start, motion.frame_time, rounds=12)
    return map_to_rig(_repeat_best_pose(target, character, len(motion), motion.frame_time, motion.name), q)


def _floor(fitted: Fit) -> float:
    """Return the height of the floor under a fitted character's feet (m)."""
    names = fitted.character.skeleton.names
    tips = fitted.motion.placement.positions[:, [names.index(tip) for tip in _FEET], 2]
    return float(np.percentile(tips.min(axis=1), 5))


def _scale_positions(source: Fit, scale: float, floor: float) -> Array:
    """Return the target positions (frames, tips, 3) of the feet: those of the source, scaled from the floor up.

    They are scaled about the place where the source begins, wherever that is in the world.
    """
    names, positions = source.character.skeleton.names, source.motion.placement.positions
    x, y, _ = positions[0, 0]
    base, ground = np.array([x, y, _floor(source)]), np.array([x, y, floor])
    return np.asarray(scale * (positions[:, [names.index(tip) for tip in _FEET]] - base) + ground)


def _fit_feet(places: Array, below: Array, scale: float) -> Array:
    """Return positions (frames, tips, 3) for feet of another length: oriented as `below`, the lower tip at its height.

    On the ground the middle of the foot keeps its place.
    """
    heels, balls = places[:, ::2], places[:, 1::2]
    along = below[:, 1::2] - below[:, ::2]
    lower = 1.0 / (1.0 + np.exp((balls[..., 2] - heels[..., 2]) / (_TILTED * scale)))
    share = np.stack((np.full_like(lower, 0.5), np.full_like(lower, 0.5), lower), axis=-1)
    start = heels + share * (balls - along - heels)
    return np.asarray(np.stack((start, start + along), axis=2).reshape(places.shape))


def _place_pelvis(feet: Array, below: Array) -> Array:
    """Return where the pelvis is (frames, 3) for feet at positions (frames, tips, 3) if legs keep their orientations.

    `below` is where the feet are then from the pelvis.
    """
    heights = feet[..., 2]
    weight = np.exp((heights.min(axis=1, keepdims=True) - heights) / _LIFTED)[..., None]
    return np.asarray(np.sum(weight * (feet - below), axis=1) / weight.sum(axis=1))


def _repeat_best_pose(target: Fit, character: Character, frames: int, frame_time: float, name: str) -> Fit:
    """Return the best fitted pose of the target's clip, repeated over all frames: the reference for the new motion."""
    best = int(np.argmin(target.errors.mean(axis=1)))
    pose: Placement = target.motion[best : best + 1].placement
    names = target.character.skeleton.names
    turned = {n: pose.rotations[:, n] for n in range(len(names)) if names[n] in target.character.bodies}
    q = guess_poses(character.skeleton, pose.positions[:, 0], turned)
    still = replace(target.source, q=np.repeat(target.source.q[best : best + 1], frames, axis=0), frame_time=frame_time)
    repeated = Motion(character.skeleton, np.repeat(q, frames, axis=0), frame_time, name)
    return Fit(character, repeated, replace(still, name=name), np.zeros((frames, 1)))
