"""Ground and flight stages of a motion, and how fast the body falls in a flight.

L05 section 3.4.3: flight is where nothing is held, and gravity is the only force from outside. Where the contacts were
looked for on feet alone, a body may hang, lie or stand on its hands without any: `without_carried` tells by how it
falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.contacts import Contacts, Stage, StageKind
from gambol.motion.motion import Motion
from gambol.stages.speed import find_runs

SUPPORTED_ACCELERATION = -5.0
"""Metres a second squared: half of gravity. Something carries a body that falls less."""
MIN_FRAMES = 4
"""Frames that an acceleration takes."""
_SHARES = {
    "pelvis": 0.14, "spine": 0.16, "chest": 0.16, "head": 0.08,
    **{f"{side}_{part}": share for side in ("left", "right") for part, share in (
        ("forearm", 0.03), ("hand", 0.02), ("thigh", 0.08), ("shank", 0.08), ("foot", 0.035))},
}  # fmt: skip
"""Rough share of body mass near each joint (Winter 2009, table 4.1): enough to tell a fall from a rest on any rig."""


def find_stages(contacts: Contacts, shortest: float = 0.03) -> tuple[Stage, ...]:
    """Ground and flight stages in order, numbered; a flight, or a touch between flights, of fewer seconds is none."""
    least = shortest / contacts.frame_time
    ground = contacts.touching()
    for kind in (False, True):
        for first, last in find_runs(ground == kind):
            if last - first + 1 < least and first > 0 and last < len(ground) - 1:
                ground[first : last + 1] = not kind
    return _numbered([(("flight", "ground")[int(ground[first])], first, last) for first, last in _changes(ground)])


def measure_fall(motion: Motion, stage: Stage) -> float:
    """Vertical acceleration (m/s²) of the body's centre over a stage, about -9.81 in flight at the right frame rate.

    The stage without its outer tenths, in which feet may still give way, is fitted by a parabola.
    """
    return fit_acceleration(_inner_heights(motion, stage), motion.frame_time)


def fit_parabola(motion: Motion, stage: Stage) -> Array:
    """Heights (frames of the stage,) of the parabola that `fall_of` fits, over the whole stage."""
    curve = np.polyfit(np.arange(len(stage))[_inner(stage)], _inner_heights(motion, stage), 2)
    return np.polyval(curve, np.arange(len(stage)))


def fit_acceleration(heights: Array, frame_time: float) -> float:
    """Acceleration of the parabola through heights (frames,)."""
    return 2.0 * float(np.polyfit(frame_time * np.arange(len(heights)), heights, 2)[0])


def _inner(stage: Stage) -> slice:
    return slice(len(stage) // 10, len(stage) - len(stage) // 10)


def _inner_heights(motion: Motion, stage: Stage) -> Array:
    heights = compute_centre_heights(motion)[stage.first : stage.last + 1][_inner(stage)]
    if len(heights) < MIN_FRAMES:
        raise InputError(f"{stage.name} has {len(stage)} frames", fix=f"an acceleration needs {MIN_FRAMES} or more")
    return heights


def drop_supported_flights(motion: Motion, stages: Sequence[Stage]) -> tuple[Stage, ...]:
    """The stages with those flights turned to ground in which the body does not fall: hands or a back carry it."""
    kinds = [
        "ground" if stage.kind == "flight" and len(stage) >= MIN_FRAMES and measure_fall(motion, stage) > SUPPORTED_ACCELERATION else stage.kind
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
    """(frames,) height of the body's centre of mass, roughly; of the root where no part is known."""
    names = motion.skeleton.names
    parts = {name: joint for joint, name in enumerate(names)} if motion.rig is None else motion.rig.parts
    shares = {part: share for part, share in _SHARES.items() if part in parts}
    if not shares:
        return motion.placement.positions[:, 0, 2]
    heights = motion.placement.positions[:, [parts[part] for part in shares], 2]
    return heights @ (np.array(list(shares.values())) / sum(shares.values()))
