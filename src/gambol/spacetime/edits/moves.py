"""Where the places of a clip go: displacements over the floor, and the way of the body between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gambol.geometry.arrays import Array
from gambol.spacetime.edits.edit import Change
from gambol.spacetime.edits.parts import EditableClip


@dataclass(frozen=True, eq=False)
class Move:
    """A turn about the vertical and a shift."""

    turn: float = 0.0
    """Radians; a full turn is not nothing."""
    shift: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) metres, after the turn about the world's origin."""

    def __call__(self, places: Array) -> Array:
        """Places (..., 3) after it."""
        return places @ _turned(self.turn).T + self.shift

    def of_way(self, ways: Array) -> Array:
        """Directions (..., 3) after it."""
        return ways @ _turned(self.turn).T

    def after(self, first: Move) -> Move:
        """Both, `first` before this one."""
        return Move(self.turn + first.turn, self(first.shift))


def _turned(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def move_from_change(clip: EditableClip, change: Change) -> Move:
    """What a change does to the places of its part, as they were recorded."""
    part = clip.part(change.stage)
    pivot = clip.position(clip.part(change.about) if change.about else part) * (1.0, 1.0, 0.0)
    turn = Move(np.radians(change.turn))
    way = Move(clip.heading(part)).rotate(np.array([change.forward, change.left, change.up]))
    way = turn.rotate(way) if change.about else way  # farther out on an arc is along its radius
    return replace(turn, shift=pivot - turn(pivot) + way)


def plan_moves(clip: EditableClip, changes: Sequence[Change]) -> list[Move]:
    """The move of every rest of a clip; what is not changed goes with what was before it.

    A foot that still pushes off when the next step begins belongs to its own step.
    """
    began = {id(rest): part.first for part in clip.parts if part.kind == "step" for rest in part.rests}
    steps = sorted(
        ((clip.part(change.stage), change.alone, move_from_change(clip, change)) for change in changes if change.moves),
        key=lambda step: step[0].first,
    )
    out = []
    for rest in clip.contact_plan.rests:
        total = Move()
        for part, alone, move in steps:
            if rest in part.rests or (not alone and began.get(id(rest), rest.first) > part.first):
                total = total.after(move)
        out.append(total)
    return out


def body_moves(clip: EditableClip, moves: Sequence[Move]) -> tuple[Array, list[Move]]:
    """Frames, and the moves of the whole body in them; between two, it goes from one to the other.

    A stage whose places all go the same way takes the body along; else each step does in its middle.
    """
    of = {id(rest): move for rest, move in zip(clip.contact_plan.rests, moves, strict=True)}
    found: list[tuple[float, Move]] = []
    for stage in (stage for stage in clip.stages if stage.rests):
        steps = [part for part in clip.parts if part.kind == "step" and stage.first <= part.first <= stage.last]
        if not steps or len({_key(of[id(rest)]) for rest in stage.rests}) == 1:
            steps = [stage]
        own = sorted(((0.5 * (step.first + step.last), of[id(step.rests[0])]) for step in steps), key=lambda k: k[0])
        found += [(stage.first, own[0][1]), *own, (stage.last, own[-1][1])]
    return np.array([frame for frame, _ in found]), [move for _, move in found]


def _key(move: Move) -> tuple[float, ...]:
    return (round(move.turn, 9), *np.round(move.shift, 9))
