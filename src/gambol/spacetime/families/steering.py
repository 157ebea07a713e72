"""Map steering directions to the jumps of a controller's family and their axis values (L05 section 4.4.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.contacts.move import Move
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.moves import plan_moves
from gambol.spacetime.families.family import Family

_AXES = "axes forward and left of 'ground 1', both alone: true, and of 'ground 3'"


class JumpSteering:
    """Maps directions to jumps; a jump (2,) is metres forward and left in the initial heading of the clip."""

    def __init__(self, family: Family) -> None:
        grounds = [part for part in family.clip.stages if part.kind == "ground"]
        if len(family.plan.axes) != 4 or len(grounds) != 3:
            raise InputError(
                f"a controller needs two jumps and four axes, not {len(grounds) - 1} and {len(family.plan.axes)}",
                fix=_AXES,
            )
        self._low, self._high = np.array([sorted(axis.ranges[axis.measure]) for axis in family.plan.axes]).T
        centre = 0.5 * (self._low + self._high)
        steps = (np.zeros(4), *np.diag(self._high - centre))
        at = [_find_jumps(family, centre + step) for step in steps]
        self._centre, self._middle = centre, at[0]
        self._slopes = ((np.array(at[1:]) - at[0]) / (self._high - centre)[:, None]).T
        if np.linalg.matrix_rank(self._slopes, tol=1e-3) < 4:
            raise InputError("the axes do not vary both jumps forward and to the left", fix=_AXES)
        wide = np.abs(self._slopes) @ (self._high - centre)
        low, high = (self._middle - wide).reshape(2, 2), (self._middle + wide).reshape(2, 2)
        self.low, self.high = low.max(axis=0), high.min(axis=0)
        if (self.low >= self.high).any():
            raise InputError(
                "first and second jumps of the family have no range in common", fix="widen the ranges of the axes"
            )
        self.neutral = np.clip(_find_jumps(family, np.clip(0.0, self._low, self._high))[2:], self.low, self.high)

    def jump(self, direction: Sequence[float] | Array) -> Array:
        """Return the jump (2,) of a direction (forward, left: -1 to 1); 0 is the recorded jump."""
        asked = np.asarray(direction, dtype=float)
        far = np.where(asked > 0.0, self.high - self.neutral, self.neutral - self.low)
        return np.asarray(self.neutral + asked * far)

    def values(self, first: Array, second: Array) -> list[float]:
        """Return the axis values for a first and a second jump, clipped to the ranges of the axes."""
        asked = np.linalg.solve(self._slopes, np.concatenate((first, second)) - self._middle)
        return [float(value) for value in np.clip(self._centre + asked, self._low, self._high)]


def _find_jumps(family: Family, values: Sequence[float] | Array) -> Array:
    """Return the first and the second jump (4,) at axis values, from feet to feet."""
    clip, contacts = family.clip, family.clip.contacts.items
    moves = plan_moves(clip, family.plan.edit_at(list(values)).changes)
    grounds = [part for part in clip.stages if part.kind == "ground"]
    positions = []
    for part in grounds:
        moved = [move(contact.place) for contact, move in zip(contacts, moves, strict=True) if contact in part.contacts]
        positions.append(np.mean(moved, axis=0))
    jumps = Move(-clip.heading(grounds[0])).rotate(np.diff(positions, axis=0))
    return np.asarray(jumps[:, :2].ravel())
