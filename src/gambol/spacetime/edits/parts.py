"""The parts of a clip that a person can name and change: ground and flight stages, and the steps of each foot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gambol.body.character import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.errors import InputError
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.legs.rests import Rest
from gambol.spacetime.stances import Footing, footing, stays
from gambol.stages.feet import SIDES
from gambol.stages.flight import LEAST, bend
from gambol.stages.speed import runs

PartKind = Literal["ground", "flight", "step"]
_BEGINNING = 0.5
"""Seconds after the first rest of a stage within which what comes to rest says where the stage is."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some frames of a clip, and what rests in them."""

    name: str
    """Such as "ground 2", "flight 1" or "left step 3"."""
    kind: PartKind
    first: int
    last: int
    rests: tuple[Rest, ...] = ()
    about: str = ""
    """For a person to recognise it."""

    def __len__(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, eq=False)
class EditableClip:
    """A clip that can be edited: the character that follows it, what carries it, and the parts it is made of."""

    fitted: Fit
    stands: Footing
    parts: tuple[Part, ...]
    """In order; steps follow the ground that they are on."""

    @property
    def frame_time(self) -> float:
        """Seconds."""
        return self.fitted.motion.frame_time

    @property
    def stages(self) -> tuple[Part, ...]:
        """Ground and flight."""
        return tuple(part for part in self.parts if part.kind != "step")

    def part(self, name: str) -> Part:
        """By its name."""
        found = next((part for part in self.parts if part.name == name), None)
        if found is None:
            names = ", ".join(part.name for part in self.parts)
            raise InputError(f"there is no stage '{name}'", file=self.fitted.source.name, fix=f"there are {names}")
        return found

    def place(self, part: Part) -> Array:
        """(3,) metres: where a part on the ground is; the middle of what first rests in it."""
        if not part.rests:
            raise InputError(f"'{part.name}' has no place: nothing rests in it", fix="name ground or a step")
        soon = min(rest.first for rest in part.rests) + _BEGINNING / self.frame_time
        early = [rest for rest in part.rests if rest.first <= soon]
        return np.mean([rest.place for rest in early], axis=0)

    def heading(self, part: Part) -> float:
        """Radians: where the body faces as a part begins."""
        ahead = quat.rotate(self.fitted.motion.placement.rotations[part.first, 0], (1.0, 0.0, 0.0))
        return float(np.arctan2(ahead[1], ahead[0]))


def divide_clip(fitted: Fit) -> EditableClip:
    """The parts of a fitted clip."""
    stands = footing(fitted)
    parts: list[Part] = []
    numbers: dict[str, int] = {}

    def numbered(word: str) -> str:
        numbers[word] = numbers.get(word, 0) + 1
        return f"{word} {numbers[word]}"

    for first, last in sorted([*runs(stands.flight), *runs(~stands.flight)]):
        if stands.flight[first]:
            parts.append(Part(numbered("flight"), "flight", first, last, about=_flown(fitted, first, last)))
            continue
        inside = tuple(rest for rest in stands.rests if first <= rest.first <= last)
        parts.append(Part(numbered("ground"), "ground", first, last, inside, _carried(inside)))
        steps = [(side, tuple(stay)) for side in SIDES for stay in stays([r for r in inside if _is_foot(r, side)])]
        for side, stay in sorted(steps, key=lambda step: step[1][0].first):
            end = max(rest.last for rest in stay)
            parts.append(Part(numbered(f"{side} step"), "step", stay[0].first, end, stay, _where(stay)))
    if not any(part.rests for part in parts):
        raise InputError(
            "no foot or hand comes to rest in any frame", file=fitted.source.name, fix="an edit needs a ground stage"
        )
    return EditableClip(fitted, stands, tuple(parts))


def _is_foot(rest: Rest, side: str) -> bool:
    return rest.point.name.startswith(side) and not rest.point.name.endswith("hand")


def _carried(rests: Sequence[Rest]) -> str:
    """What carries in a stage."""
    names = dict.fromkeys(rest.point.body.replace("_", " ") for rest in rests)
    return {"left foot, right foot": "both feet"}.get(", ".join(sorted(names)), ", ".join(sorted(names)))


def _where(rests: Sequence[Rest]) -> str:
    x, y, z = np.mean([rest.place for rest in rests], axis=0)
    return f"at x {x:.2f}, y {y:.2f}" + (f", {z:.2f} m up" if abs(z) > 0.1 else "")


def _flown(fitted: Fit, first: int, last: int) -> str:
    way = Dynamics(fitted.character).center_of_mass(fitted.motion.q[max(first - 1, 0) : last + 2])
    far = float(np.linalg.norm(way[-1, :2] - way[0, :2]))
    rise = GRAVITY * ((last - first + 1) * fitted.motion.frame_time) ** 2 / 8.0
    fall = f", falls at {-bend(way[1:-1, 2], fitted.motion.frame_time):.1f} m/s²" if last - first >= LEAST else ""
    return f"{far:.2f} m far, rises {rise:.2f} m above its ends{fall}"
