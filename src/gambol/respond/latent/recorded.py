"""Recorded clips as pushed examples: the push is estimated from how the walk deviates from the normal one."""

from __future__ import annotations

import numpy as np

from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.respond.latent.examples import ExamplePush, NormalWalk, SolvedExample
from gambol.respond.latent.features import FeatureLayout, compute_features, compute_loop_features, resample_poses
from gambol.respond.latent.gate import MIN_EXAMPLE_FRAMES
from gambol.respond.latent.phases import match_phases
from gambol.respond.latent.points import HEADING

_SAME_BONE = 0.02
"""Relative difference of the lengths of a bone up to which rigs are of one person."""
_ONSET = 0.2
"""Share of the largest deviation of the velocity at which a push begins."""


def read_example(walk: NormalWalk, clip: Motion) -> SolvedExample:
    """Return a recorded clip of the same person as an example.

    The push gave the largest deviation of the horizontal velocity from the normal walk, in direction and size.
    """
    check_same_rig(walk.fitted.source.skeleton, clip)
    poses = resample_poses(fit(walk.character, clip).motion.q, clip.frame_time)
    if len(poses) <= MIN_EXAMPLE_FRAMES:
        raise InputError(
            f"the clip lasts {clip.duration:.2f} s",
            file=clip.name,
            fix="record a stride before the push and two after it",
        )
    layout = FeatureLayout(walk.character)
    normal, rows = compute_loop_features(layout, walk.loop), compute_features(layout, poses)
    phases = match_phases(normal, rows).astype(int)
    away = (layout.split(rows).velocity - layout.split(normal[phases]).velocity)[:, :2]
    sizes = np.linalg.norm(away, axis=1)
    peak = int(sizes.argmax())
    calm = np.flatnonzero(sizes[: peak + 1] < _ONSET * sizes[peak])
    onset = int(calm[-1]) if len(calm) else 0
    turned = walk.loop.poses[phases[peak], HEADING] - np.arctan2(walk.forward[1], walk.forward[0])
    direction = float(np.degrees(np.arctan2(away[peak, 1], away[peak, 0]) + turned)) % 360.0
    push = ExamplePush(float(phases[onset]) / len(normal), direction, float(sizes[peak]))
    return SolvedExample(push, poses, onset + 1, int(phases[0]))


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
