"""Compute where an edit moves the contacts of a clip and the body between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.contacts.move import Move
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.spacetime.edits.edit import Change
from gambol.spacetime.edits.parts import EditableClip


def move_coordinates(character: Character, q: Array, move: Move) -> Array:
    """Move the coordinates (frames, dofs) of a motion over the floor."""
    skeleton, out, yaw = character.skeleton, q.copy(), find_yaw_column(character)
    slides = skeleton.columns(0, "slide")
    axes = np.array([skeleton.dofs[column].axis for column in slides])
    out[:, slides] = (move(q[:, slides] @ axes + skeleton.offsets[0]) - skeleton.offsets[0]) @ axes.T
    if yaw is not None:
        out[:, yaw] += move.turn
    return out


def find_yaw_column(character: Character) -> int | None:
    """Return the column that turns the whole body about the vertical, or None."""
    skeleton = character.skeleton
    first = skeleton.columns(0, "turn")[0]
    plain = np.allclose(quat.rotate(skeleton.rests[0], skeleton.dofs[first].axis), UP)
    return first if plain else None


def move_from_change(clip: EditableClip, change: Change) -> Move:
    """Return the move of a stage's contacts, relative to their recorded positions."""
    part = clip.part(change.stage)
    pivot = clip.position(clip.part(change.about) if change.about else part) * (1.0, 1.0, 0.0)
    turn = Move(np.radians(change.turn))
    shift = Move(clip.heading(part)).rotate(np.array([change.forward, change.left, change.up]))
    shift = turn.rotate(shift) if change.about else shift  # on an arc, forward is along the radius
    return replace(turn, shift=pivot - turn(pivot) + shift)


def plan_moves(clip: EditableClip, changes: Sequence[Change]) -> list[Move]:
    """Return the move of every contact of a clip; unchanged contacts move with what came before them.

    A foot that still pushes off when the next step begins belongs to its own step.
    """
    starts = {id(contact): part.first for part in clip.parts if part.kind == "step" for contact in part.contacts}
    steps = sorted(
        (
            (clip.part(change.stage), change.alone, move_from_change(clip, change))
            for change in changes
            if change.is_move
        ),
        key=lambda step: step[0].first,
    )
    out = []
    for contact in clip.contacts.items:
        total = Move()
        for part, alone, move in steps:
            if contact in part.contacts or (not alone and starts.get(id(contact), contact.first) > part.first):
                total = total.after(move)
        out.append(total)
    return out


def body_moves(clip: EditableClip, moves: Sequence[Move]) -> tuple[Array, list[Move]]:
    """Return frames and the moves of the whole body at them; between frames the moves are interpolated.

    A stage whose contacts all have the same move carries the body along; otherwise each step does at its middle.
    """
    move_of = {id(contact): move for contact, move in zip(clip.contacts.items, moves, strict=True)}
    found: list[tuple[float, Move]] = []
    for stage in (stage for stage in clip.stages if stage.contacts):
        steps = [part for part in clip.parts if part.kind == "step" and stage.first <= part.first <= stage.last]
        if not steps or len({_key(move_of[id(contact)]) for contact in stage.contacts}) == 1:
            steps = [stage]
        own = sorted(
            ((0.5 * (step.first + step.last), move_of[id(step.contacts[0])]) for step in steps), key=lambda k: k[0]
        )
        found += [(stage.first, own[0][1]), *own, (stage.last, own[-1][1])]
    return np.array([frame for frame, _ in found]), [move for _, move in found]


def _key(move: Move) -> tuple[float, ...]:
    return (round(move.turn, 9), *np.round(move.shift, 9))
