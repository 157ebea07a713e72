"""Our bars for random pushes: bounded, recovered from, feet in place, no discontinuity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.motion.pushes import Push
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.near_unactuated.trials import (
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
"""Velocity (m/s) that a small push would give to the whole body: impulse over mass."""
_HEAVIEST, _SHORTEST = 1.5, 0.05
_BATCH = 250
_CUTOFF = 8.0
_STEP = 4
"""Frames around the start and the end of a force, where acceleration is discontinuous."""
_CUT = 1.0
"""Degrees of deviation that the bounds may cut off in one step."""


@dataclass(frozen=True)
class RandomPushErrors:
    """The largest errors over many random pushes."""

    pushes: int
    small: int
    """How many of the pushes were small."""
    lost: int
    """Pushes in which a step had no finite solution, before any bound was applied."""
    cut: float
    """Largest share (%) of the steps of a batch in which the bounds cut off more than 1 degree."""
    cut_small: float
    """Largest deviation (deg) that the bounds cut off in a small push."""
    left: float
    """Deviation (deg) 3 s after a small push."""
    left_any: float
    """Deviation (deg) 3 s after any push."""
    slide: float
    """Largest distance (mm) of heels and balls of the feet from their path in the clip, in small pushes."""
    rough: float
    """99th percentile of low-passed joint acceleration in the response, over that of the clip."""


def draw_pushes(walk: TrialWalk, count: int, rng: np.random.Generator) -> PushTrial:
    """Draw pushes on any body, in any direction, at any time, up to 1.5 body weights and 1 s; every other is small."""
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
    """Measure so many random pushes on a walk."""
    rng = np.random.default_rng(seed)
    parts = []
    for first in range(0, count, _BATCH):
        parts.append(_measure(play_trial(draw_pushes(walk, min(_BATCH, count - first), rng))))
    return combine_worst(parts)


def combine_worst(parts: list[RandomPushErrors]) -> RandomPushErrors:
    """Combine the errors of several sets of pushes."""
    return RandomPushErrors(
        *(sum(getattr(part, name) for part in parts) for name in ("pushes", "small", "lost")),
        *(
            float(np.max([getattr(part, name) for part in parts]))
            for name in ("cut", "cut_small", "left", "left_any", "slide", "rough")
        ),
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
        int((~np.isfinite(outcome.excess)).any(axis=0).sum()),
        100.0 * float(np.mean(outcome.excess > _CUT)),
        float(outcome.excess[:, small].max(initial=0.0)),
        float(left[small].max(initial=0.0)),
        float(left.max()),
        1000.0 * float(np.linalg.norm(feet[0] - feet[1], axis=-1).max(initial=0.0)),
        _rough(walk, poses, targets, ends),
    )


def _feet(walk: TrialWalk, poses: Array) -> Array:
    """Return positions (frames * batch, points, 3) of heels and balls of the feet."""
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
    data = f"{found.pushes:,} random pushes up to 1.5 body weights for 0.05 to 1 s, one seed per clip: "
    data += join_names(walks.many)
    few = f"the {found.small:,} with impulse/mass up to {SMALL} m/s of {data}"
    text = "pushes with a step that has no finite solution, before limits are applied"
    yield Claim("never-diverges", OUR_BAR, text, found.lost, "pushes", data, Band(high=0.0))
    text = "steps in which the limits of joints and speeds cut off more than 1 degree, worst batch of 250 pushes"
    yield Claim("within-limits", OUR_BAR, text, found.cut, "% of steps", data, Band(high=1.0))
    text = "largest deviation that the limits cut off in a small push"
    yield Claim("small-within-limits", OUR_BAR, text, found.cut_small, "deg", few, Band(high=_CUT))
    text = "recovery from small pushes: largest deviation of any joint or the root, 3 s after the push"
    yield Claim("small-left", OUR_BAR, text, found.left, "deg", few, Band(high=2.0))
    text = "recovery from any push: largest deviation of any joint or the root, 3 s after the push"
    yield Claim("any-left", OUR_BAR, text, found.left_any, "deg", data, Band(high=2.0))
    text = "largest distance of heels and balls of the feet from their path in the clip, small pushes"
    yield Claim("small-foot-slide", OUR_BAR, text, found.slide, "mm", few, Band(high=5.0))
    text = "99th percentile of low-passed joint acceleration, response over clip, worst batch of 250 pushes"
    yield Claim("smooth", OUR_BAR, text, found.rough, "times", data, Band(high=3.0))
