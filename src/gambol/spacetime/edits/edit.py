"""Define an edit, the changes to the stages of a clip (L05 section 4.4.2), and read it from YAML::

    changes:
      - {stage: ground 2, forward: 0.5, turn: 90}
      - {stage: flight 1, higher: 0.2}

Ground stages and steps are moved: `forward` and `left` (relative to the heading of the body when they begin), `up`, and
`turn` about their own position or `about` that of another stage. Later stages move along unless the change is `alone`.
Flights are made `higher` `by: time` or `by: gravity`. Any stage can last `longer`. `gravity` applies to the whole clip;
flights then `keep` their take-off speed, their height or their time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.io.yamls import (
    MAX_DEGREES,
    abbreviate,
    check_choice,
    check_flag,
    check_list,
    check_mapping,
    check_number,
    read_yaml,
)

HigherBy = Literal["time", "gravity"]
KeptQuantity = Literal["speed", "height", "time"]
MOVES = ("forward", "left", "up", "turn")
"""Numbers that move a ground stage: metres, and degrees counterclockwise."""
NUMBERS = (*MOVES, "higher", "longer")
_MOST = {"turn": MAX_DEGREES}


@dataclass(frozen=True)
class Change:
    """The changes to one stage."""

    stage: str
    forward: float = 0.0
    left: float = 0.0
    up: float = 0.0
    """Metres."""
    turn: float = 0.0
    """Degrees counterclockwise; may exceed a full turn."""
    about: str = ""
    """Stage about whose position it turns; its own by default."""
    alone: bool = False
    """Whether later stages stay where they were recorded."""
    higher: float = 0.0
    """Metres that the centre of mass rises more in a flight."""
    by: HigherBy = "time"
    """Whether a higher flight takes more time or more gravity."""
    longer: float = 1.0
    """Factor on the duration."""

    def __post_init__(self) -> None:
        if not 0.1 <= self.longer <= 10.0:
            raise InputError(f"'longer' of '{self.stage}' must be 0.1 to 10, not {self.longer:g}")

    @property
    def is_move(self) -> bool:
        """Whether it moves, raises or turns the stage."""
        return any(getattr(self, name) for name in MOVES)


@dataclass(frozen=True)
class Edit:
    """All changes to a clip."""

    name: str
    changes: tuple[Change, ...] = ()
    gravity: float | None = None
    """m/s²; that of the clip by default."""
    keep: KeptQuantity = "speed"
    """What flights keep under another gravity."""

    def __post_init__(self) -> None:
        if self.gravity is not None and not 0.1 <= self.gravity <= 100.0:
            raise InputError(f"gravity must be 0.1 to 100 m/s², not {self.gravity:g}")
        stages = [change.stage for change in self.changes]
        twice = next((stage for n, stage in enumerate(stages) if stage in stages[:n]), None)
        if twice is not None:
            raise InputError(f"'{twice}' is changed twice", fix="write all changes of a stage in one entry")

    @property
    def size(self) -> float:
        """Its largest number, factors as logarithms: `scale` multiplies it."""
        sizes = [abs(getattr(change, name)) for change in self.changes for name in (*MOVES, "higher")]
        factors = [change.longer for change in self.changes] + ([self.gravity / GRAVITY] if self.gravity else [])
        return max((*sizes, *(abs(math.log(factor)) for factor in factors)), default=0.0)

    def scale(self, share: float) -> Edit:
        """Return a share of the edit; 1 is all of it, 0 nothing."""
        return replace(
            self,
            changes=tuple(_scale(change, share) for change in self.changes),
            gravity=None if self.gravity is None else GRAVITY * (self.gravity / GRAVITY) ** share,
        )

    def __str__(self) -> str:
        words = [_describe(change) for change in self.changes]
        words += [f"gravity {self.gravity:.3g} m/s²"] if self.gravity is not None else []
        return "; ".join(words) or "nothing changed"


def read_edit(path: Path) -> Edit:
    """Read an edit from a YAML file."""
    content = read_yaml(path)
    try:
        return parse_edit(content, path.stem)
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None


def parse_edit(content: Any, name: str) -> Edit:
    """Make an edit from parsed YAML."""
    given = check_mapping(content, "an edit", ("changes", "gravity", "keep"))
    if not given:
        raise InputError("the edit changes nothing", fix="changes: [{stage: ground 2, forward: 0.5}]")
    changes = tuple(parse_change(entry) for entry in check_list(given.get("changes", []), "changes"))
    still = next((change for change in changes if change.about and not change.turn), None)
    if still is not None:
        raise InputError(f"'{still.stage}' has 'about' but does not turn", fix="add a turn in degrees, turn: 30")
    gravity = check_number(given["gravity"], "gravity") if "gravity" in given else None
    return Edit(name, changes, gravity, check_choice(given.get("keep", "speed"), "keep", get_args(KeptQuantity)))


def parse_change(entry: Any) -> Change:
    """Make a change from parsed YAML."""
    given = check_mapping(entry, "a change", ("stage", *NUMBERS, "about", "by", "alone"))
    stage = _read_stage_name(given, "stage")
    fields: dict[str, Any] = {
        name: check_number(given[name], name, _MOST.get(name, 100.0)) for name in NUMBERS if name in given
    }
    if "about" in given:
        fields["about"] = _read_stage_name(given, "about")
    if "alone" in given:
        fields["alone"] = check_flag(given["alone"], "alone")
    if "by" in given:
        fields["by"] = check_choice(given["by"], "by", get_args(HigherBy))
    return Change(stage, **fields)


def _read_stage_name(given: Mapping[str, Any], key: str) -> str:
    """Return the stage name under a key."""
    if not isinstance(given.get(key), str):
        raise InputError(
            f"a change without '{key}': {abbreviate(given)}", fix="stage: ground 2; --list-stages lists them"
        )
    return str(given[key])


def _scale(change: Change, share: float) -> Change:
    scaled = {name: share * getattr(change, name) for name in (*MOVES, "higher")}
    return replace(change, **scaled, longer=change.longer**share)


def _describe(change: Change) -> str:
    defaults = asdict(Change(change.stage))
    words = [
        f"{name} {value:.3g}" for name, value in asdict(change).items() if name in NUMBERS and value != defaults[name]
    ]
    return f"{change.stage}: {', '.join(words)}"
