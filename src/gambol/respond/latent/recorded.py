"""Recorded clips as pushed examples: the push is estimated from how the walk deviates from the normal one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.respond.latent.examples import ExamplePush, NormalWalk, SolvedExample
from gambol.respond.latent.features import (
    FRAME_TIME,
    FeatureLayout,
    compute_features,
    compute_loop_features,
    resample_poses,
)
from gambol.respond.latent.gate import MIN_EXAMPLE_FRAMES
from gambol.respond.latent.phases import match_phases
from gambol.respond.latent.points import BodyPoints

_SAME_BONE = 0.02
"""Relative difference of the lengths of a bone up to which rigs are of one person."""
_ONSET = 0.2
"""Share of the largest deviation of the velocity at which a push begins."""
_LEAD_IN = 10
"""Frames at the beginning of a clip, a third of a second, in which the person walks normally."""


def read_example(walk: NormalWalk, clip: Motion) -> SolvedExample:
    """Return a recorded clip of the same person as an example."""
    check_same_rig(walk.fitted.source.skeleton, clip)
    poses = resample_poses(fit(walk.character, clip).motion.q, clip.frame_time)
    if len(poses) <= MIN_EXAMPLE_FRAMES:
        raise InputError(
            f"the clip lasts {clip.duration:.2f} s",
            file=clip.name,
            fix="record a stride before the push and two after it",
        )
    layout = FeatureLayout(walk.character)
    phases = match_phases(compute_loop_features(layout, walk.loop), compute_features(layout, poses)).astype(int)
    push, onset = estimate_push(walk, poses, phases)
    return SolvedExample(push, poses, onset, int(phases[0]), clip.name)


def estimate_push(walk: NormalWalk, poses: Array, phases: NDArray[np.intp]) -> tuple[ExamplePush, int]:
    """Return the push of poses (frames, dofs), and the frame in which it begins.

    `phases` (frames - 1,) are the frames of the loop that all poses but the first correspond to. The push gave the
    largest deviation of the horizontal velocity from the normal walk, in direction and size, relative to the direction
    and speed of the first frames: a person who walks on in another direction was pushed towards it.
    The ground takes up part of a push: of 0.5 m/s in 16 solved examples, 0.1 to 0.8 m/s are seen, least for pushes
    backward in double support.
    """
    points = FeatureLayout(walk.character).points
    normal = _find_velocities(points, walk.loop.at(np.arange(-1, len(walk.loop))))[phases]
    moving = _find_velocities(points, poses)
    turned = np.angle(np.vdot(normal[:_LEAD_IN], moving[:_LEAD_IN]))
    away = moving * np.exp(-1j * turned) - normal
    away -= away[:_LEAD_IN].mean()
    peak = int(np.abs(away).argmax())
    speed = float(np.abs(away[peak]))
    calm = np.flatnonzero(np.abs(away[: peak + 1]) < _ONSET * speed)
    onset = int(calm[-1]) if len(calm) else 0
    direction = float(np.degrees(np.angle(away[peak]) - np.arctan2(walk.forward[1], walk.forward[0]))) % 360.0
    return ExamplePush(float(phases[onset]) / len(walk.loop), direction, speed), onset + 1


def _find_velocities(points: BodyPoints, poses: Array) -> NDArray[np.complex128]:
    """Return the velocities (frames - 1,) of the centre of mass in m/s, along x + i y."""
    _, centres = points.locate(poses)
    return np.asarray(np.diff(centres[:, 0] + 1j * centres[:, 1]) / FRAME_TIME, dtype=complex)


def check_same_rig(skeleton: Skeleton, clip: Motion) -> None:
    """Refuse a clip of another rig, or of a person of another size."""
    other = clip.skeleton
    fix = "use clips of one person on one rig, or retarget the clip"
    if other.names != skeleton.names or other.parents != skeleton.parents:
        raise InputError("the rig has other joints than that of the normal walk", file=clip.name, fix=fix)
    lengths, wanted = _measure_bones(other), _measure_bones(skeleton)
    wrong = np.flatnonzero(np.abs(lengths - wanted) > _SAME_BONE * wanted.max())
    if len(wrong):
        name = skeleton.names[int(wrong[0]) + 1]
        raise InputError(
            f"'{name}' is {lengths[wrong[0]]:.3f} m from its parent, in the normal walk {wanted[wrong[0]]:.3f} m",
            file=clip.name,
            fix=fix,
        )


def _measure_bones(skeleton: Skeleton) -> Array:
    return np.asarray(np.linalg.norm(skeleton.offsets, axis=1)[1:], dtype=float)
