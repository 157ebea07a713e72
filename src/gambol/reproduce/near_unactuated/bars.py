"""What we ask of ours: whatever the push, nothing runs away, and small pushes are forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.motion.pushes import Push
from gambol.reproduce.claims import Claim
from gambol.reproduce.near_unactuated.trials import (
    AFTER,
    BEFORE,
    LONGEST_PUSH,
    PushOutcome,
    PushTrial,
    TrialWalk,
    TrialWalks,
    join_names,
    play_trial,
)

SMALL = 0.3
"""Metres a second that a small push would give the body as a whole."""
_HEAVIEST, _SHORTEST = 1.5, 0.05
_BATCH = 250
_CUTOFF = 8.0
_STEP = 4
"""Frames around the start and the end of a force that are steps by nature."""


@dataclass(frozen=True)
class RandomPushErrors:
    """The worst of many random pushes."""

    pushes: int
    """How many, and how many of them were small."""
    small: int
    lost: int
    """Pushes with a pose that is not finite."""
    beyond: float
    """Degrees by which a joint passes its limit, or the clip where that does."""
    left: float
    """Degrees that are left of a small push 3 s after it."""
    left_any: float
    slide: float
    """Millimetres that a foot leaves the clip's path in a small push, touching or not."""
    rough: float
    """99th percentile of low-passed joint acceleration in the response, over the clip's own."""


def draw_pushes(walk: TrialWalk, count: int, rng: np.random.Generator) -> PushTrial:
    """Any body, direction, moment, up to 1.5 body weights for up to 1 s; every other push is a small one."""
    durations = rng.uniform(_SHORTEST, LONGEST_PUSH, count)
    sizes = rng.uniform(0.0, _HEAVIEST, count) * walk.weight
    calm = rng.uniform(0.0, SMALL, count) * walk.fitted.character.mass / durations
    sizes = np.where(np.arange(count) % 2 == 0, np.minimum(sizes, calm), sizes)
    ways = rng.normal(size=(count, 3))
    forces = sizes[:, None] * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    bodies = rng.choice(walk.fitted.character.bodies, count)
    pushes = [
        [Push(str(body), (float(x), float(y), float(z)), BEFORE, float(duration))]
        for body, (x, y, z), duration in zip(bodies, forces, durations, strict=True)
    ]
    return PushTrial(
        walk, walk.targets(rng.integers(0, walk.cycle, count).tolist(), BEFORE + LONGEST_PUSH + AFTER), pushes
    )


def measure_random_pushes(walk: TrialWalk, count: int, seed: int) -> RandomPushErrors:
    """A walk and so many random pushes."""
    rng = np.random.default_rng(seed)
    parts = []
    for first in range(0, count, _BATCH):
        parts.append(_measure(play_trial(draw_pushes(walk, min(_BATCH, count - first), rng))))
    return combine_worst(parts)


def combine_worst(parts: list[RandomPushErrors]) -> RandomPushErrors:
    """All pushes of several."""
    return RandomPushErrors(
        *(sum(getattr(part, name) for part in parts) for name in ("pushes", "small", "lost")),
        *(max(getattr(part, name) for part in parts) for name in ("beyond", "left", "left_any", "slide", "rough")),
    )


def _measure(outcome: PushOutcome) -> RandomPushErrors:
    tried, poses = outcome.trial, outcome.poses
    walk, targets = tried.walk, tried.targets
    pushes = [push for (push,) in tried.pushes]
    ends = np.array([walk.frames(push.end) for push in pushes])
    impulses = np.array([np.linalg.norm(push.force) * push.duration for push in pushes])
    small = impulses <= (SMALL + 1e-9) * walk.fitted.character.mass
    off = np.degrees(np.abs(poses - targets)[:, :, 3:]).max(axis=2)
    left = off[np.minimum(ends + walk.frames(AFTER), len(off) - 1), range(len(pushes))]
    feet = [_feet(walk, q[:, small]) for q in (poses, targets)]
    return RandomPushErrors(
        len(pushes),
        int(small.sum()),
        int((~np.isfinite(poses).all(axis=(0, 2))).sum()),
        _beyond(walk, poses),
        float(left[small].max(initial=0.0)),
        float(left.max()),
        1000.0 * float(np.linalg.norm(feet[0] - feet[1], axis=-1).max(initial=0.0)),
        _rough(walk, poses, targets, ends),
    )


def _beyond(walk: TrialWalk, poses: Array) -> float:
    dofs, q = walk.fitted.character.skeleton.dofs, walk.fitted.motion.q
    lower = np.minimum([dof.lower for dof in dofs], q.min(axis=0))[6:]
    upper = np.maximum([dof.upper for dof in dofs], q.max(axis=0))[6:]
    return float(np.degrees(np.maximum(poses[:, :, 6:] - upper, lower - poses[:, :, 6:]).max()))


def _feet(walk: TrialWalk, poses: Array) -> Array:
    """(frames * batch, points, 3) heels and balls of the feet."""
    skeleton = walk.fitted.character.skeleton
    soles = [joint for joint, name in enumerate(skeleton.names) if name.endswith(("heel_tip", "ball_tip"))]
    return place(skeleton, poses.reshape(-1, poses.shape[-1])).positions[:, soles]


def _rough(walk: TrialWalk, poses: Array, targets: Array, ends: Array) -> float:
    h, first = walk.fitted.motion.frame_time, walk.frames(BEFORE)
    frames = np.arange(len(poses))[:, None]
    during = (frames >= first + _STEP) & (frames < ends - _STEP)
    after = (frames >= ends + _STEP) & (frames < ends + walk.frames(AFTER)) & (frames < len(poses) - _STEP)
    sharp = []
    for q in (poses, targets):
        smooth = low_pass(q[:, :, 6:], h, _CUTOFF)
        acceleration = np.zeros_like(smooth)
        acceleration[1:-1] = (smooth[2:] - 2.0 * smooth[1:-1] + smooth[:-2]) / h**2
        sharp.append(float(np.percentile(np.abs(acceleration[during | after]), 99)))
    return sharp[0] / sharp[1]


def measure_bars(walks: TrialWalks) -> Iterator[Claim]:
    """Random pushes on clips of many subjects."""
    each = max(1, walks.pushes // len(walks.many))
    found = combine_worst([measure_random_pushes(walks(name), each, seed) for seed, name in enumerate(walks.many)])
    data = f"{found.pushes:,} random pushes up to 1.5 body weights for 0.05 to 1 s, a seed a clip: {join_names(walks.many)}"
    few = f"the {found.small:,} with impulse/mass up to 0.3 m/s of {data}"
    yield Claim("never-diverges", "gambol", "pushes with a pose that is not finite", found.lost, "pushes", data,
                Band(high=0.0))  # fmt: skip
    text = "most that a joint passes its limit, or the clip where the clip does"
    yield Claim("within-limits", "gambol", text, max(0.0, found.beyond), "deg", data, Band(high=1e-6))
    text = "small pushes are forgotten: worst joint, root included, 3 s after"
    yield Claim("small-left", "gambol", text, found.left, "deg", few, Band(high=2.0))
    text = "so are large ones: worst joint, root included, 3 s after"
    yield Claim("any-left", "gambol", text, found.left_any, "deg", data, Band(high=2.0))
    text = "feet keep their path in small pushes: heels and balls, all frames"
    yield Claim("small-foot-slide", "gambol", text, found.slide, "mm", few, Band(high=5.0))
    text = "no discontinuity: 99th percentile of low-passed joint acceleration over the clip's own, worst 250 pushes"
    yield Claim("smooth", "gambol", text, found.rough, "times", data, Band(high=3.0))
