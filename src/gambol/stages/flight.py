"""Find the ground and flight stages of a motion, and measure the vertical acceleration in flight.

L05 section 3.4.3: in flight there is no contact, and gravity is the only external force. If contacts were searched for
on feet only, a body without contacts may hang, lie or stand on its hands: `drop_supported_flights` recognises this by
the vertical acceleration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.stage import Stage, StageKind
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs
from gambol.motion.motion import Motion

SUPPORTED_ACCELERATION = -5.0
"""Vertical acceleration (m/s²), half of gravity, above which a body is supported."""
MIN_FRAMES = 4
"""Least number of frames to measure an acceleration."""
MASS_SHARES = {
    "pelvis": 0.14, "spine": 0.16, "chest": 0.16, "head": 0.08,
    **{f"{side}_{part}": share for side in ("left", "right") for part, share in (
        ("forearm", 0.03), ("hand", 0.02), ("thigh", 0.08), ("shank", 0.08), ("foot", 0.035))},
}  # fmt: skip
"""Rough share of body mass near each joint (Winter 2009, table 4.1), enough to recognise a fall on any rig."""


def find_stages(contacts: Contacts, min_duration: float = 0.03) -> tuple[Stage, ...]:
    """Return ground and flight stages in order, numbered; shorter ones than `min_duration` (s) join neighbours."""
    least = min_duration / contacts.frame_time
    ground = ~contacts.flight
    for kind in (False, True):
        for first, last in find_runs(ground == kind):
            if last - first + 1 < least and first > 0 and last < len(ground) - 1:
                ground[first : last + 1] = not kind
    return _numbered([(("flight", "ground")[int(ground[first])], first, last) for first, last in _changes(ground)])


def measure_fall(motion: Motion, stage: Stage) -> float:
    """Return the vertical acceleration (m/s²) of the centre of mass over a stage: about -9.81 in flight.

    A parabola is fitted to the stage without its first and last tenth, in which feet may still be in contact. Another
    value in flight indicates a wrong frame rate.
    """
    return fit_acceleration(_inner_heights(motion, stage), motion.frame_time)


def fit_parabola(motion: Motion, stage: Stage) -> Array:
    """Return the heights (frames of the stage,) of the parabola that `measure_fall` fits, over the whole stage."""
    curve = np.polyfit(np.arange(len(stage))[_inner(stage)], _inner_heights(motion, stage), 2)
    return np.polyval(curve, np.arange(len(stage)))


def fit_acceleration(heights: Array, frame_time: float) -> float:
    """Return the acceleration (m/s²) of the parabola fitted to heights (frames,)."""
    return 2.0 * float(np.polyfit(frame_time * np.arange(len(heights)), heights, 2)[0])


def _inner(stage: Stage) -> slice:
    return slice(len(stage) // 10, len(stage) - len(stage) // 10)


def _inner_heights(motion: Motion, stage: Stage) -> Array:
    heights = compute_centre_heights(motion)[stage.first : stage.last + 1][_inner(stage)]
    if len(heights) < MIN_FRAMES:
        raise InputError(
            f"{stage.name} has {len(stage)} frames", fix=f"measuring an acceleration takes {MIN_FRAMES} or more"
        )
    return heights


def drop_supported_flights(motion: Motion, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """Return the stages with flights turned to ground if the body does not fall, as on hands or on the back."""
    kinds = [
        "ground"
        if stage.kind == "flight" and len(stage) >= MIN_FRAMES and measure_fall(motion, stage) > SUPPORTED_ACCELERATION
        else stage.kind
        for stage in stages
    ]
    merged: list[tuple[str, int, int]] = []
    for kind, stage in zip(kinds, stages, strict=True):
        if merged and merged[-1][0] == kind:
            merged[-1] = (kind, merged[-1][1], stage.last)
        else:
            merged.append((kind, stage.first, stage.last))
    return _numbered(merged)


def _changes(mask: NDArray[np.bool_]) -> list[tuple[int, int]]:
    return sorted([*find_runs(mask), *find_runs(~mask)])


def _numbered(found: Sequence[tuple[str, int, int]]) -> tuple[Stage, ...]:
    stages = [Stage(kind, first, last) for kind, first, last in found]  # type: ignore[arg-type]
    numbers = dict.fromkeys(get_args(StageKind), 0)
    named = []
    for stage in stages:
        numbers[stage.kind] += 1
        named.append(replace(stage, name=f"{stage.kind} {numbers[stage.kind]}"))
    return tuple(named)


def compute_centre_heights(motion: Motion) -> Array:
    """Return the approximate height (frames,) of the centre of mass; that of the root without known parts."""
    joints, shares = _find_shares(motion)
    return motion.placement.positions[:, joints, 2] @ shares


def compute_centre(motion: Motion) -> Array:
    """Return the approximate position (frames, 3) of the centre of mass; that of the root without known parts."""
    joints, shares = _find_shares(motion)
    return np.tensordot(motion.placement.positions[:, joints], shares, axes=(1, 0))


def _find_shares(motion: Motion) -> tuple[list[int], Array]:
    """Return the joints near which the body's mass is, and their shares of it."""
    names = motion.skeleton.names
    parts = {name: joint for joint, name in enumerate(names)} if motion.rig is None else motion.rig.parts
    shares = {part: share for part, share in MASS_SHARES.items() if part in parts}
    if not shares:
        return [motion.mover], np.ones(1)
    return [parts[part] for part in shares], np.array(list(shares.values())) / sum(shares.values())
