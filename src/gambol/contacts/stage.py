"""Ground and flight stages of a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from gambol.errors import InputError

StageKind = Literal["ground", "flight"]


@dataclass(frozen=True)
class Stage:
    """An interval of frames in which the body touches something (ground) or nothing (flight)."""

    kind: StageKind
    first: int
    last: int
    name: str = ""
    """Display name, such as "flight 1"; the kind when not given."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(StageKind):
            raise InputError(f"no stage of kind '{self.kind}'", fix="kinds: ground, flight")
        if not 0 <= self.first <= self.last:
            raise InputError(f"frames must be 0 <= first <= last, not {self.first} to {self.last}")
        object.__setattr__(self, "name", self.name or self.kind)

    def __len__(self) -> int:
        return self.last - self.first + 1
