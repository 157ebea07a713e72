"""A motion on another rig: the same body orientations, the way scaled to the legs, the feet where they belong.

Both rigs are fitted by characters of the same bodies. Orientations are taken over as they are; places are scaled by the
length of the legs, so that steps fit; then the feet are brought to their scaled places, which keeps contacts.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.clips.result import Result
from gambol.fit.home import to_rig
from gambol.fit.load import Source, motion_from
from gambol.fit.pose import Target, guess, solve
from gambol.fit.rig import Fit, fit, with_safe_axes
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton

_FEET = tuple(f"{side}_{tip}_tip" for side in ("left", "right") for tip in ("heel", "ball"))
_SLACK = 0.02
"""Share of a leg by which the hips are lowered: hips of another width would ask more of a straight leg than it has."""
_HIPS = 1.0
"""Weight of the hips' place against that of a foot."""


def retarget(clip: Source, to: Source) -> Result:
    """Move a motion to the rig of another clip, of which only the rig matters."""
    motion, onto = motion_from(clip), motion_from(to)
    moved = retarget_motion(motion, onto)
    return Result(motions=as_ensemble(replace(moved, made={**motion.made, "verb": "retarget", "onto": onto.name})))


def retarget_motion(motion: Motion, onto: Motion) -> Motion:
    """The motion on the rig of another clip."""
    source = fit(Character.from_motion(motion), motion)
    target = fit(Character.from_motion(onto), onto)
    placed = source.motion.placement
    bodies = source.character.bodies
    names = source.character.skeleton.names
    wanted = {body: placed.rotations[:, names.index(body)] for body in bodies}
    character = with_safe_axes(target.character, wanted)
    skeleton = character.skeleton

    scale = _leg(skeleton) / _leg(source.character.skeleton)
    places = _scaled(source, scale, _floor(target))
    places["pelvis"] = places["pelvis"] - [0.0, 0.0, _SLACK * _leg(skeleton)]
    joints = {skeleton.names.index(body): turned for body, turned in wanted.items()}
    start = guess(skeleton, places["pelvis"], joints)
    targets = [Target(skeleton.names.index(tip), np.zeros(3), places[tip]) for tip in _FEET]
    targets.append(Target(0, np.zeros(3), places["pelvis"], _HIPS))
    q = solve(skeleton, targets, start, motion.frame_time, rounds=12)
    return to_rig(_held(target, character, len(motion), motion.frame_time, motion.name), q)


def _leg(skeleton: Skeleton) -> float:
    """Length of a leg from hip to ankle."""
    return float(sum(np.linalg.norm(skeleton.offsets[skeleton.names.index(f"left_{p}")]) for p in ("shank", "foot")))


def _floor(fitted: Fit) -> float:
    """Height on which a fitted character's feet stand."""
    names = fitted.character.skeleton.names
    tips = fitted.motion.placement.positions[:, [names.index(tip) for tip in _FEET], 2]
    return float(np.percentile(tips.min(axis=1), 5))


def _scaled(source: Fit, scale: float, floor: float) -> dict[str, Array]:
    """Where hips and feet should be: the source's places, scaled from the ground up."""
    names, positions = source.character.skeleton.names, source.motion.placement.positions
    base = np.array([0.0, 0.0, _floor(source)])
    ground = np.array([0.0, 0.0, floor])
    return {name: scale * (positions[:, names.index(name)] - base) + ground for name in ("pelvis", *_FEET)}


def _held(target: Fit, character: Character, frames: int, frame_time: float, name: str) -> Fit:
    """The best fitted pose of the target's clip, held: what the change to the new motion starts from."""
    best = int(np.argmin(target.errors.mean(axis=1)))
    pose: Placement = target.motion[best : best + 1].placement
    names = target.character.skeleton.names
    turned = {n: pose.rotations[:, n] for n in range(len(names)) if names[n] in target.character.bodies}
    q = guess(character.skeleton, pose.positions[:, 0], turned)
    still = replace(target.source, q=np.repeat(target.source.q[best : best + 1], frames, axis=0), frame_time=frame_time)
    held = Motion(character.skeleton, np.repeat(q, frames, axis=0), frame_time, name)
    return Fit(character, held, replace(still, name=name), np.zeros((frames, 1)))
