"""Name the support of every stage: left foot, right foot, both feet, other support or flight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gambol.contacts.contact import is_foot
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from gambol.stages.flight import drop_supported_flights, find_stages

SUPPORTS = ("other support", "left foot", "right foot", "both feet", "flight")
"""Names of the stages. Other support is ground without a foot in contact, such as hands, a chair or a mat."""


def split_by_support(contacts: Contacts, stages: Sequence[Stage], min_duration: float = 0.03) -> tuple[Stage, ...]:
    """Split ground stages by the feet in contact; parts shorter than `min_duration` (s) join a neighbour."""
    feet = sum((1 << n) * _touching(contacts, side).astype(int) for n, side in enumerate(SIDES))
    least = min_duration / contacts.frame_time
    out: list[Stage] = []
    for stage in stages:
        out += [replace(stage, name="flight")] if stage.kind == "flight" else _split(stage, np.asarray(feet), least)
    return tuple(out)


def name_supports(motion: Motion) -> list[str]:
    """Return the name of the support of every frame of a motion on a rig."""
    contacts = find_foot_contacts(motion)
    stages = split_by_support(contacts, drop_supported_flights(motion, find_stages(contacts)))
    return [stage.name for stage in stages for _ in range(len(stage))]


def _touching(contacts: Contacts, side: str) -> NDArray[np.bool_]:
    names = {item.part for item in contacts.items if item.part.startswith(side) and is_foot(item.part)}
    return contacts.touching(*names) if names else np.zeros(contacts.frames, dtype=bool)


def _split(stage: Stage, feet: NDArray[np.intp], least: float) -> list[Stage]:
    """Split a ground stage into pieces with the same feet in contact."""
    firsts = stage.first + np.flatnonzero(np.diff(feet[stage.first : stage.last + 1], prepend=-1))
    pieces: list[Stage] = []
    for first, end in zip(firsts, [*firsts[1:], stage.last + 1], strict=True):
        piece = Stage("ground", int(first), int(end) - 1, SUPPORTS[feet[first]])
        if pieces and (len(piece) < least or pieces[-1].name == piece.name):
            pieces[-1] = replace(pieces[-1], last=piece.last)
        elif pieces and len(pieces[-1]) < least:
            pieces[-1] = replace(piece, first=pieces[-1].first)
        else:
            pieces.append(piece)
    return pieces
