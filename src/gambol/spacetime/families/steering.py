"""Where the jumps of a controller's family go, and what a pad asks of them (L05 section 4.4.4)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.spacetime.edits.moves import Move, plan_moves
from gambol.spacetime.families.family import Family

_AXES = "axes forward and left of 'ground 1', both alone: true, and of 'ground 3'"


class JumpSteering:
    """Jumps (2,) are metres forward and to the left, as the clip faces at its beginning."""

    def __init__(self, family: Family) -> None:
        grounds = [part for part in family.clip.stages if part.kind == "ground"]
        if len(family.plan.axes) != 4 or len(grounds) != 3:
            raise InputError(
                f"a controller steers two jumps along four axes, not {len(grounds) - 1} along {len(family.plan.axes)}",
                fix=_AXES,
            )
        self._low, self._high = np.array([sorted(axis.ranges[axis.measure]) for axis in family.plan.axes]).T
        usual = 0.5 * (self._low + self._high)
        at = [_jumps(family, usual)] + [_jumps(family, usual + step) for step in np.diag(self._high - usual)]
        self._usual, self._middle = usual, at[0]
        self._slopes = ((np.array(at[1:]) - at[0]) / (self._high - usual)[:, None]).T
        if np.linalg.matrix_rank(self._slopes, tol=1e-3) < 4:
            raise InputError("the axes do not move both jumps forward and to the left", fix=_AXES)
        wide = np.abs(self._slopes) @ (self._high - usual)
        low, high = (self._middle - wide).reshape(2, 2), (self._middle + wide).reshape(2, 2)
        self.low, self.high = low.max(axis=0), high.min(axis=0)
        if (self.low >= self.high).any():
            raise InputError("no jump is both a first and a last one of the family", fix="make its ranges wider")
        self.rest = np.clip(_jumps(family, np.clip(0.0, self._low, self._high))[2:], self.low, self.high)

    def jump(self, pad: Sequence[float] | Array) -> Array:
        """(2,) the jump that a pad (forward, left: -1 to 1) asks for; that of the recording at rest."""
        asked = np.asarray(pad, dtype=float)
        far = np.where(asked > 0.0, self.high - self.rest, self.rest - self.low)
        return np.asarray(self.rest + asked * far)

    def values(self, first: Array, second: Array) -> list[float]:
        """The values of the axes at which the jumps are so, or nearly where an end is in the way."""
        asked = np.linalg.solve(self._slopes, np.concatenate((first, second)) - self._middle)
        return [float(value) for value in np.clip(self._usual + asked, self._low, self._high)]


def _jumps(family: Family, values: Sequence[float] | Array) -> Array:
    """(4,) the first jump and the second at a place of the family, from feet to feet."""
    clip = family.clip
    moves = plan_moves(clip, family.plan.edit_at(list(values)).changes)
    grounds = [part for part in clip.stages if part.kind == "ground"]
    places = []
    for part in grounds:
        inside = [(rest, move) for rest, move in zip(clip.contact_plan.rests, moves, strict=True) if rest in part.rests]
        places.append(np.mean([move(rest.place) for rest, move in inside], axis=0))
    ways = Move(-clip.heading(grounds[0])).rotate(np.diff(places, axis=0))
    return np.asarray(ways[:, :2].ravel())
