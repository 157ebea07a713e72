"""Sketches: a few rough keyframes and the supports of the body over time (L05 section 3.3), read from YAML::

    seconds: 2.0
    keys:
      - {time: 0.80}
      - {time: 1.03, x: 0.75, z: 0.27}
      - {time: 1.27, x: 1.5, z: 0}

Keys give coordinates of a rough motion: of the root (x, y, z in metres from the standing position; turn, lean, roll in
degrees) and of joints (degrees, by name; "thigh" sets both sides). Before the first key, and in coordinates that the
first key does not set, the body stands. Coordinates that a later key does not set are interpolated between the keys
that do. Stages say which soles touch the ground until when; without stages they are found in the rough motion. Poses
are targets for the solved motion at given times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, get_args

from gambol.errors import InputError
from gambol.io.yamls import (
    MAX_DEGREES,
    MAX_DISTANCE,
    abbreviate,
    check_flag,
    check_list,
    check_mapping,
    check_number,
    read_yaml,
)
from gambol.motion.skeleton import Vector

ROOT = ("x", "y", "z", "turn", "lean", "roll")
Landing = Literal["heel", "ball", "flat"]
Kind = Literal["adult", "child", "tripod"]
LONGEST = 60.0
"""Longest sketch (s)."""


@dataclass(frozen=True)
class Key:
    """Part of a rough pose at a time."""

    time: float
    root: Mapping[str, float] = field(default_factory=dict)
    """Metres from standing at the origin, or degrees, by the names of `ROOT`."""
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Turns of joints in degrees, in their order; a name without a side sets both sides."""


@dataclass(frozen=True)
class WantedPose:
    """A target for part of a pose of the solved motion at a time."""

    time: float
    joints: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """Degrees, as in a key."""
    tilt: Mapping[str, float] = field(default_factory=dict)
    """Lean and roll in degrees."""
    weight: float = 1.0
    """Weight of the cost; 1 is that of a suggested transition pose."""
    exact: bool = False
    """Whether the angles are constraints instead of costs."""
    mass: Mapping[str, Vector] = field(default_factory=dict)
    """Offsets in metres of mass points (arms, upper, lower) of the transition pose that is suggested for this time."""


@dataclass(frozen=True)
class SupportSpec:
    """The soles that support the body until a time."""

    until: float
    on: tuple[str, ...]
    """Soles such as "left foot"; empty in the air."""
    height: float = 0.0
    """Height (m) of the ground below the soles, or of the bar."""
    landing: Landing = "heel"
    """The part of a foot that touches first after a flight."""
    bar: bool = False
    """Whether the hands grip a bar."""
    slide: bool = False
    """Whether the soles slide in the direction of travel."""


@dataclass(frozen=True)
class Body:
    """The body of a sketch."""

    kind: Kind = "adult"
    height: float = 1.75
    mass: float = 70.0
    locked: tuple[str, ...] = ()
    """Names of locked joints."""


@dataclass(frozen=True)
class Sketch:
    """Keys, stages and poses of a motion to be solved; `fps` are frames per second."""

    name: str
    seconds: float
    keys: tuple[Key, ...]
    stages: tuple[SupportSpec, ...] = ()
    poses: tuple[WantedPose, ...] = ()
    body: Body = Body()
    fps: float = 30.0

    def __post_init__(self) -> None:
        if not 0.2 <= self.seconds <= LONGEST:
            raise InputError(f"'seconds' is {self.seconds:g}", fix=f"0.2 to {LONGEST:.0f} seconds")
        if not 10.0 <= self.fps <= 240.0:
            raise InputError(f"'fps' is {self.fps:g}", fix="10 to 240 frames per second")
        if not self.keys:
            raise InputError("the sketch has no keys", fix="give at least one: keys: [{time: 0.8, x: 0}]")
        self._check_times()
        self._check_stages()

    def _check_times(self) -> None:
        for one, other in pairwise(self.keys):
            if other.time <= one.time:
                raise InputError(f"a key at {other.time:g} s follows one at {one.time:g} s", fix="order keys by time")
        times = [key.time for key in self.keys] + [pose.time for pose in self.poses]
        late = next((time for time in times if not 0.0 <= time <= self.seconds), None)
        if late is not None:
            raise InputError(f"a key or pose is at {late:g} s, outside the motion of {self.seconds:g} s")
        if any(pose.weight < 0.0 for pose in self.poses):
            raise InputError("the weight of a pose is negative", fix="0 or more")

    def _check_stages(self) -> None:
        for before, until in pairwise((0.0, *(stage.until for stage in self.stages))):
            if until <= before:
                raise InputError(f"a stage lasts from {before:g} s until {until:g} s", fix="order stages by time")
        if any(not stage.on and (stage.bar or stage.slide or stage.height) for stage in self.stages):
            raise InputError("'height', 'bar' and 'slide' do not apply to air", fix="- {touch: air, until: 1.2}")
        if any(stage.bar and not all(sole.endswith("hand") for sole in stage.on) for stage in self.stages):
            raise InputError("only hands can grip a bar", fix="- {touch: hands, bar: true, height: 2.6, until: 1.0}")
        if any(stage.bar and (stage.slide or stage.height <= 0.0) for stage in self.stages):
            raise InputError("a bar needs a height above 0 and cannot slide", fix="height: 2.6")
        if self.stages and not any(stage.on for stage in self.stages):
            raise InputError("nothing supports the body in any stage", fix="give a stage with 'touch: feet'")
        if self.stages and abs(self.stages[-1].until - self.seconds) > 1e-6:
            raise InputError(f"the last stage ends at {self.stages[-1].until:g} s, the sketch at {self.seconds:g} s")


def read_sketch(path: Path) -> Sketch:
    """Read a sketch from a YAML file."""
    content = read_yaml(path)
    try:
        return parse_sketch(content, path.stem)
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None


def parse_sketch(content: Any, name: str) -> Sketch:
    """Make a sketch from a mapping, as read from YAML."""
    given = check_mapping(content, "a sketch", ("seconds", "fps", "body", "keys", "stages", "poses"))
    if "seconds" not in given or "keys" not in given:
        raise InputError("a sketch needs 'seconds' and 'keys'", fix="see 'gambol sketch --list' for examples")
    keys = tuple(_key(entry) for entry in check_list(given["keys"], "keys"))
    stages = tuple(_stage(entry) for entry in check_list(given.get("stages", []), "stages"))
    poses = tuple(_pose(entry) for entry in check_list(given.get("poses", []), "poses"))
    seconds, fps = check_number(given["seconds"], "seconds", 1e6), check_number(given.get("fps", 30), "fps", 1e6)
    return Sketch(name, seconds, keys, stages, poses, _body(given.get("body", {})), fps)


def _key(entry: Any) -> Key:
    given = _timed(entry, "a key")
    joints = {name: _angles(value, name) for name, value in given.items() if name not in ("time", *ROOT)}
    root = {
        name: check_number(given[name], name, MAX_DEGREES if name in ROOT[3:] else MAX_DISTANCE)
        for name in ROOT
        if name in given
    }
    return Key(check_number(given["time"], "time"), root, joints)


def _pose(entry: Any) -> WantedPose:
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
        raise InputError(f"{what} has no 'time': {abbreviate(entry)}")
    return given


def _stage(entry: Any) -> SupportSpec:
    given = check_mapping(entry, "a stage", ("until", "touch", "height", "landing", "bar", "slide"))
    missing = next((name for name in ("until", "touch") if name not in given), None)
    if missing is not None:
        raise InputError(f"a stage has no '{missing}': {abbreviate(entry)}", fix="- {touch: feet, until: 0.8}")
    landing = given.get("landing", "heel")
    if landing not in get_args(Landing):
        raise InputError(f"'landing' is {abbreviate(landing)}", fix=f"choose {', '.join(get_args(Landing))}")
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
            f"'touch' must name soles, not {abbreviate(value)}", fix="feet, left foot, hands, air, or a list of them"
        )
    if not words or ("air" in words and len(words) > 1):
        raise InputError(f"'touch' must be air or soles, not {abbreviate(value)}", fix="touch: air, or touch: feet")
    both = {"feet": ("left foot", "right foot"), "hands": ("left hand", "right hand"), "air": ()}
    return tuple(dict.fromkeys(sole for word in words for sole in both.get(word, (word,))))


def _body(value: Any) -> Body:
    given = check_mapping(value, "body", ("kind", "height", "mass", "locked"))
    kind = given.get("kind", "adult")
    if kind not in get_args(Kind):
        raise InputError(f"unknown kind of body: {abbreviate(kind)}", fix=f"choose {', '.join(get_args(Kind))}")
    usual = {"adult": (1.75, 70.0), "child": (1.1, 18.5), "tripod": (1.2, 60.0)}[kind]
    locked = given.get("locked", [])
    if not isinstance(locked, list) or not all(isinstance(joint, str) for joint in locked):
        raise InputError(f"'locked' must be a list of joints, not {abbreviate(locked)}")
    height, mass = (check_number(given.get(name, usual[n]), name, 1e4) for n, name in enumerate(("height", "mass")))
    return Body(kind, height, mass, tuple(locked))


def _angles(value: Any, joint: str) -> tuple[float, ...]:
    values = value if isinstance(value, list) else [value]
    if not values:
        raise InputError(f"'{joint}' has no angle", fix=f"{joint}: 40, or {joint}: [40, 5, 0]")
    return tuple(check_number(angle, joint, MAX_DEGREES) for angle in values)


def _vector(value: Any, what: str) -> Vector:
    if not isinstance(value, list) or len(value) != 3:
        raise InputError(f"'{what}' must be three numbers in metres, not {abbreviate(value)}")
    x, y, z = (check_number(part, what) for part in value)
    return x, y, z
