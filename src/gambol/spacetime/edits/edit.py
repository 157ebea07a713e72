"""An edit: what becomes of the stages of a clip (L05 section 4.4.2), as a person writes it down::

    changes:
      - {stage: ground 2, forward: 0.5, turn: 90}
      - {stage: flight 1, higher: 0.2}

Ground and steps are moved: forward and left as the body faces when they begin, up onto a box, turned about their own
place or `about` that of another stage. What comes after goes along, unless a change is `alone`. Flights are made higher
`by: time` or `by: gravity`. Any stage can last longer. `gravity` is that of the whole clip: flights then keep their
`speed` of take-off, their height or their time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from gambol.body.character import GRAVITY
from gambol.errors import InputError
from gambol.io.yamls import MAX_DEGREES, check_choice, check_list, check_flag, check_mapping, check_number, read_yaml, abbreviate

HigherBy = Literal["time", "gravity"]
KeptQuantity = Literal["speed", "height", "time"]
MOVES = ("forward", "left", "up", "turn")
"""What can become of ground: metres, and degrees to the left."""
NUMBERS = (*MOVES, "higher", "longer")
_MOST = {"turn": MAX_DEGREES}


@dataclass(frozen=True)
class Change:
    """What becomes of one stage."""

    stage: str
    forward: float = 0.0
    left: float = 0.0
    up: float = 0.0
    """Metres."""
    turn: float = 0.0
    """Degrees to the left; more than a full turn counts."""
    about: str = ""
    """The stage about whose place it turns; its own place where none is named."""
    alone: bool = False
    """Whether what comes after stays where it was."""
    higher: float = 0.0
    """Metres that the centre of mass rises more in a flight."""
    by: HigherBy = "time"
    """Whether a higher flight takes longer, or falls faster."""
    longer: float = 1.0
    """Times as long."""

    def __post_init__(self) -> None:
        if not 0.1 <= self.longer <= 10.0:
            raise InputError(f"'{self.stage}' can last 0.1 to 10 times as long, not {self.longer:g}")

    @property
    def moves(self) -> bool:
        """Whether it says anything of a place."""
        return any(getattr(self, name) for name in MOVES)


@dataclass(frozen=True)
class Edit:
    """All changes of a clip."""

    name: str
    changes: tuple[Change, ...] = ()
    gravity: float = GRAVITY
    """Metres a second squared."""
    keep: KeptQuantity = "speed"
    """What flights keep under another gravity."""

    def __post_init__(self) -> None:
        if not 0.1 <= self.gravity <= 100.0:
            raise InputError(f"gravity is 0.1 to 100 m/s², not {self.gravity:g}")
        stage_name = [change.stage for change in self.changes]
        twice = next((stage for n, stage in enumerate(stage_name) if stage in stage_name[:n]), None)
        if twice is not None:
            raise InputError(f"'{twice}' is changed twice", fix="say all that becomes of a stage in one change")

    def scaled(self, share: float) -> Edit:
        """A share of it."""
        return replace(
            self,
            changes=tuple(_scaled(change, share) for change in self.changes),
            gravity=GRAVITY * (self.gravity / GRAVITY) ** share,
        )

    def __str__(self) -> str:
        words = [_said(change) for change in self.changes]
        words += [f"gravity {self.gravity:.3g} m/s²"] if self.gravity != GRAVITY else []
        return "; ".join(words) or "nothing changed"


def read_edit(path: Path) -> Edit:
    """An edit from a YAML file."""
    content = read_yaml(path)
    try:
        return parse_edit(content, path.stem)
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None


def parse_edit(content: Any, name: str) -> Edit:
    """An edit from what YAML gives."""
    given = check_mapping(content, "an edit", ("changes", "gravity", "keep"))
    if not given:
        raise InputError("an edit that changes nothing", fix="changes: [{stage: ground 2, forward: 0.5}]")
    changes = tuple(parse_change(entry) for entry in check_list(given.get("changes", []), "changes"))
    still = next((change for change in changes if change.about and not change.turn), None)
    if still is not None:
        raise InputError(f"'{still.stage}' goes about '{still.about}' but does not turn", fix="give turn: 30")
    gravity = check_number(given.get("gravity", GRAVITY), "gravity")
    return Edit(name, changes, gravity, check_choice(given.get("keep", "speed"), "keep", get_args(KeptQuantity)))


def parse_change(entry: Any) -> Change:
    """A change from what YAML gives."""
    given = check_mapping(entry, "a change", ("stage", *NUMBERS, "about", "by", "alone"))
    stage = stage_name(given, "stage")
    said: dict[str, Any] = {
        name: check_number(given[name], name, _MOST.get(name, 100.0)) for name in NUMBERS if name in given
    }
    if "about" in given:
        said["about"] = stage_name(given, "about")
    if "alone" in given:
        said["alone"] = check_flag(given["alone"], "alone")
    if "by" in given:
        said["by"] = check_choice(given["by"], "way to be higher by", get_args(HigherBy))
    return Change(stage, **said)


def stage_name(given: Mapping[str, Any], what: str) -> str:
    """The name of a stage."""
    if not isinstance(given.get(what), str):
        raise InputError(f"a change without '{what}': {abbreviate(given)}", fix="stage: ground 2, as in --stages")
    return str(given[what])


def _scaled(change: Change, share: float) -> Change:
    scaled = {name: share * getattr(change, name) for name in (*MOVES, "higher")}
    return replace(change, **scaled, longer=change.longer**share)


def _said(change: Change) -> str:
    usual = asdict(Change(change.stage))
    words = [
        f"{name} {value:.3g}" for name, value in asdict(change).items() if name in NUMBERS and value != usual[name]
    ]
    return f"{change.stage}: {', '.join(words)}"
