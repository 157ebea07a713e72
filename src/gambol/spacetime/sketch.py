"""A sketch: a few rough keyframes and what carries the body when (L05 section 3.3), as a person writes them down::

    seconds: 2.0
    keys:
      - {time: 0.80}
      - {time: 1.03, x: 0.75, z: 0.27}
      - {time: 1.27, x: 1.5, z: 0}

Keys give the root (x, y, z metres from where it stands; turn, lean, roll degrees) and joints (degrees, by name; "thigh"
for those of all sides) of a rough motion: until the first key the body stands, in what that does not say too; what a
later key does not say runs on between its neighbours. Stages say what touches until when; without them they are found
in the rough motion. Poses say what the solved motion should look like at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from gambol.errors import InputError
from gambol.io.yamls import MAX_DISTANCE, MAX_DEGREES, check_list, check_flag, check_mapping, check_number, read_yaml, abbreviate
from gambol.motion.skeleton import Vector

ROOT = ("x", "y", "z", "turn", "lean", "roll")
Landing = Literal["heel", "ball", "flat"]
Kind = Literal["adult", "child", "tripod"]
LONGEST = 60.0
"""Seconds."""


@dataclass(frozen=True)
class Key:
    """Part of a rough pose at a time."""

    time: float
    root: Mapping[str, float] = field(default_factory=dict)
    """Metres from standing at the origin and degrees, by the names of `ROOT`."""
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Degrees of the turns of a joint, or of both sides' joints, in their order."""


@dataclass(frozen=True)
class WantedPose:
    """Part of a pose that the solved motion should have at a time."""

    time: float
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Degrees, as those of a key."""
    tilt: Mapping[str, float] = field(default_factory=dict)
    """Degrees of lean and roll."""
    weight: float = 1.0
    """How much it counts: 1 as much as a suggested transition pose."""
    exact: bool = False
    """Whether the joints must be met to the last digit."""
    mass: Mapping[str, Vector] = field(default_factory=dict)
    """Metres by which mass points (arms, upper, lower) of the pose that is suggested for this time are moved."""


@dataclass(frozen=True)
class SupportSpec:
    """What carries the body until a time."""

    until: float
    on: tuple[str, ...]
    """Soles such as "left foot"; nothing in the air."""
    height: float = 0.0
    """Metres of the ground under them, or of the bar."""
    landing: Landing = "heel"
    """What of a foot touches first when it comes down."""
    bar: bool = False
    """Whether hands hold on to a bar where they are."""
    slide: bool = False
    """Whether they slide the way they are going."""


@dataclass(frozen=True)
class Body:
    """Whom a sketch is for."""

    kind: Kind = "adult"
    height: float = 1.75
    mass: float = 70.0
    locked: tuple[str, ...] = ()
    """Joints that do not turn."""


@dataclass(frozen=True)
class Sketch:
    """Keys and stages of a motion that is to be made."""

    name: str
    seconds: float
    keys: tuple[Key, ...]
    stages: tuple[SupportSpec, ...] = ()
    poses: tuple[WantedPose, ...] = ()
    body: Body = Body()
    rate: float = 30.0

    def __post_init__(self) -> None:
        if not 0.2 <= self.seconds <= LONGEST:
            raise InputError(f"a sketch lasts 0.2 to {LONGEST:.0f} seconds, not {self.seconds:g}")
        if not 10.0 <= self.rate <= 240.0:
            raise InputError(f"10 to 240 frames a second, not {self.rate:g}")
        if not self.keys:
            raise InputError("a sketch without keys", fix="give at least one: keys: [{time: 0.8, x: 0}]")
        self._check_times()
        self._check_stages()

    def _check_times(self) -> None:
        for one, other in pairwise(self.keys):
            if other.time <= one.time:
                raise InputError(f"the key at {other.time:g} s follows one at {one.time:g} s", fix="order keys by time")
        times = [key.time for key in self.keys] + [pose.time for pose in self.poses]
        late = next((time for time in times if not 0.0 <= time <= self.seconds), None)
        if late is not None:
            raise InputError(f"a key or pose at {late:g} s of a motion of {self.seconds:g} s")
        if any(pose.weight < 0.0 for pose in self.poses):
            raise InputError("a pose with a weight below nothing")

    def _check_stages(self) -> None:
        for before, until in pairwise((0.0, *(stage.until for stage in self.stages))):
            if until <= before:
                raise InputError(f"a stage from {before:g} s until {until:g} s", fix="order stages by time")
        if any(not stage.on and (stage.bar or stage.slide or stage.height) for stage in self.stages):
            raise InputError("air has no height, and nothing in it holds or slides", fix="- {touch: air, until: 1.2}")
        if any(stage.bar and not all(sole.endswith("hand") for sole in stage.on) for stage in self.stages):
            raise InputError("only hands hold on to a bar", fix="- {touch: hands, bar: true, height: 2.6, until: 1.0}")
        if any(stage.bar and (stage.slide or stage.height <= 0.0) for stage in self.stages):
            raise InputError("a bar stands still at a height above the floor", fix="height: 2.6")
        if self.stages and not any(stage.on for stage in self.stages):
            raise InputError("nothing carries the body in any stage", fix="give a stage with 'touch: feet'")
        if self.stages and abs(self.stages[-1].until - self.seconds) > 1e-6:
            raise InputError(f"the last stage ends at {self.stages[-1].until:g} s, the sketch at {self.seconds:g} s")


def read_sketch(path: Path) -> Sketch:
    """A sketch from a YAML file."""
    content = read_yaml(path)
    try:
        return parse_sketch(content, path.stem)
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None


def parse_sketch(content: Any, name: str) -> Sketch:
    """A sketch from what YAML gives."""
    given = check_mapping(content, "a sketch", ("seconds", "rate", "body", "keys", "stages", "poses"))
    if "seconds" not in given or "keys" not in given:
        raise InputError("a sketch needs 'seconds' and 'keys'", fix="see 'gambol sketch --list' for examples")
    keys = tuple(_key(entry) for entry in check_list(given["keys"], "keys"))
    stages = tuple(_stage(entry) for entry in check_list(given.get("stages", []), "stages"))
    poses = tuple(_wanted(entry) for entry in check_list(given.get("poses", []), "poses"))
    seconds, rate = check_number(given["seconds"], "seconds", 1e6), check_number(given.get("rate", 30), "rate", 1e6)
    return Sketch(name, seconds, keys, stages, poses, _body(given.get("body", {})), rate)


def _key(entry: Any) -> Key:
    given = _timed(entry, "a key")
    joints = {name: _angles(value, name) for name, value in given.items() if name not in ("time", *ROOT)}
    root = {
        name: check_number(given[name], name, MAX_DEGREES if name in ROOT[3:] else MAX_DISTANCE)
        for name in ROOT
        if name in given
    }
    return Key(check_number(given["time"], "time"), root, joints)


def _wanted(entry: Any) -> WantedPose:
    given = _timed(entry, "a pose")
    own = ("time", "weight", "exact", "mass", "lean", "roll")
    mass = check_mapping(given.get("mass", {}), "mass", ("arms", "upper", "lower"))
    return WantedPose(
        check_number(given["time"], "time"),
        {name: _angles(value, name) for name, value in given.items() if name not in own},
        {name: check_number(given[name], name, MAX_DEGREES) for name in ("lean", "roll") if name in given},
        check_number(given.get("weight", 1.0), "weight"),
        check_flag(given.get("exact", False), "exact"),
        {part: _vector(value, part) for part, value in mass.items()},
    )


def _timed(entry: Any, what: str) -> dict[str, Any]:
    given = check_mapping(entry, what, None)
    if "time" not in given:
        raise InputError(f"{what} without 'time': {abbreviate(entry)}")
    return given


def _stage(entry: Any) -> SupportSpec:
    given = check_mapping(entry, "a stage", ("until", "touch", "height", "landing", "bar", "slide"))
    missing = next((name for name in ("until", "touch") if name not in given), None)
    if missing is not None:
        raise InputError(f"a stage without '{missing}': {abbreviate(entry)}", fix="- {touch: feet, until: 0.8}")
    landing = given.get("landing", "heel")
    if landing not in get_args(Landing):
        raise InputError(f"no landing on the {abbreviate(landing)}", fix=f"choose {', '.join(get_args(Landing))}")
    return SupportSpec(
        check_number(given["until"], "until"),
        _soles(given["touch"]),
        check_number(given.get("height", 0.0), "height"),
        landing,
        check_flag(given.get("bar", False), "bar"),
        check_flag(given.get("slide", False), "slide"),
    )


def _soles(value: Any) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InputError(
            f"'touch' names what carries, not {abbreviate(value)}", fix="feet, left foot, hands, air, or a list of them"
        )
    if not words or ("air" in words and len(words) > 1):
        raise InputError(f"air, or what touches, not {abbreviate(value)}", fix="touch: air, or touch: feet")
    both = {"feet": ("left foot", "right foot"), "hands": ("left hand", "right hand"), "air": ()}
    return tuple(dict.fromkeys(sole for word in words for sole in both.get(word, (word,))))


def _body(value: Any) -> Body:
    given = check_mapping(value, "body", ("kind", "height", "mass", "locked"))
    kind = given.get("kind", "adult")
    if kind not in get_args(Kind):
        raise InputError(f"no body of kind {abbreviate(kind)}", fix=f"choose {', '.join(get_args(Kind))}")
    usual = {"adult": (1.75, 70.0), "child": (1.1, 18.5), "tripod": (1.2, 60.0)}[kind]
    locked = given.get("locked", [])
    if not isinstance(locked, list) or not all(isinstance(joint, str) for joint in locked):
        raise InputError(f"'locked' is a list of joints, not {abbreviate(locked)}")
    height, mass = (check_number(given.get(name, usual[n]), name, 1e4) for n, name in enumerate(("height", "mass")))
    return Body(kind, height, mass, tuple(locked))


def _angles(value: Any, joint: str) -> tuple[float, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f"'{joint}' without an angle", fix=f"{joint}: 40, or {joint}: [40, 5, 0]")
    return tuple(check_number(angle, joint, MAX_DEGREES) for angle in values)


def _vector(value: Any, what: str) -> Vector:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError(f"'{what}' is three metres, not {abbreviate(value)}")
    x, y, z = (check_number(part, what) for part in value)
    return x, y, z
