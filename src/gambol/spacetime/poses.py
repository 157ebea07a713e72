"""Suggest transition poses from examples of other flights (L05 section 3.5).

A database returns the k examples nearest to a flight: their mass points, weighted by similarity and scaled to another
body (eq. 3.7), and the pose of the nearest example. Inverse kinematics computes the full pose from both. Suggestions
can be changed: `move_points` shifts mass points, `set_turns` sets joints, and the `weight` of `pose_from_points`
determines how near the pose stays to a given one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_near
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import local_frames, locate_points, place
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import StepRules, solve_apart
from gambol.poses.targets import BodyTarget, PosePrior, aim_point
from gambol.spacetime.transitions import (
    Example,
    FlightParameters,
    MassPoints,
    Transition,
    heading,
    mass_points,
    mass_shares,
    pose_coordinates,
    standing_pose,
    support_center,
)

Side = Literal["takeoff", "landing"]
FORMAT, VERSION = "gambol poses", 1
SHIPPED = Path(__file__).with_name("poses.json")
_LARGEST = 64_000_000
"""Largest file (bytes) that is read: about twenty thousand examples."""
_DIGITS = 6
"""Decimals in a file: micrometres."""
_SAME = 1e-3
"""Metres, radians and metres per second up to which two examples are the same."""
WEIGHT = 3e-3
"""Metres per radian: weight of staying near a pose, small enough for the mass points to be reached."""
_RULES = StepRules(30, 0.0, np.inf, gained=1e-3, negligible=0.0, damping=1e-6, relief=0.1)
"""Of steps from a suggestion: they end where one changes the cost by less than a thousandth."""
_X, _Y, _ = np.eye(3)
_FOOT = 0.1 * np.array([np.zeros(3), _X, _Y])
"""Points (m) that show position and orientation of a foot."""
_FACING = replace(aim_point(0, _Y, _Y, base=0), axes=np.array([_X, _Y]), unit=True)
"""The heading of the root is 0: its left axis points to y, seen from above. Mass points are given in these axes."""


class Neighbour(NamedTuple):
    """A transition of an example, or of its mirror image, with its weight."""

    name: str
    transition: Transition
    weight: float


class Suggestion(NamedTuple):
    """A suggested transition pose for a character, before inverse kinematics."""

    points: MassPoints
    """Mass points relative to the centre of support, facing x."""
    start: Array
    """(dofs,) pose of the nearest example on this character: centre of support at the origin, facing x."""
    feet: tuple[str, ...]
    """The supporting bodies."""
    neighbours: tuple[tuple[str, float], ...]
    """Names and weights of the examples, nearest first."""


@dataclass(frozen=True, eq=False)
class PoseDatabase:
    """A database of flights with their take-off and landing poses."""

    examples: tuple[Example, ...] = ()

    def __len__(self) -> int:
        return len(self.examples)

    @cached_property
    def _versions(self) -> list[tuple[int, Example, Array]]:
        """Every example and its mirror image, with its number and scaled parameters."""
        both = [(n, version) for n, example in enumerate(self.examples) for version in (example, example.mirrored)]
        return [(n, version, version.flight.scaled) for n, version in both]

    def with_examples(self, examples: Iterable[Example]) -> PoseDatabase:
        """Return a database with the examples added that are not yet in it, compared by content."""
        merged = list(self.examples)
        for example in examples:
            if not any(is_same_example(example, other) for other in merged):
                merged.append(example)
        return PoseDatabase(tuple(merged))

    def suggest(
        self,
        flight: FlightParameters,
        character: Character,
        k: int = 3,
        takeoff_feet: Sequence[str] | None = None,
        landing_feet: Sequence[str] | None = None,
    ) -> tuple[Suggestion, Suggestion] | None:
        """Suggest the take-off and landing poses of a character for a flight; None if no example applies.

        An example or its mirror image is used, whichever is nearer. Where feet are given, examples on the same feet are
        preferred; otherwise those on the same feet as the nearest example.
        """
        takeoff = self._suggest("takeoff", flight, character, k, takeoff_feet)
        landing = self._suggest("landing", flight, character, k, landing_feet)
        return None if takeoff is None or landing is None else (takeoff, landing)

    def nearest(
        self,
        side: Side,
        flight: FlightParameters,
        k: int = 3,
        feet: Sequence[str] | None = None,
        joints: Collection[str] | None = None,
        groups: Collection[str] = (),
    ) -> list[Neighbour]:
        """Return the k examples nearest to a flight, nearest first, with weights that add up to 1.

        `joints` and `groups` are those of the target body; examples that do not apply to it are left out.
        """
        if k < 1:
            raise InputError(f"k is {k}", fix="at least one neighbour")
        found, target = [], flight.scaled
        for n, version, parameters in self._versions:
            transition: Transition = getattr(version, side)
            if _applies(transition, feet, joints, groups):
                distance = float(np.linalg.norm(parameters - target))
                found.append((distance, n, Neighbour(version.name, transition, 1.0)))
        if not found:
            return []
        found.sort(key=lambda item: item[0])
        preferred = found[0][2].transition.feet if feet is None else tuple(sorted(feet))
        agreeing = [item for item in found if item[2].transition.feet == preferred] or found
        once = {n: (distance, one) for distance, n, one in reversed(agreeing)}
        chosen = sorted(once.values(), key=lambda item: item[0])[:k]
        weights = similarity_weights([distance for distance, _ in chosen])
        return [one._replace(weight=float(w)) for (_, one), w in zip(chosen, weights, strict=True)]

    def _suggest(
        self, side: Side, flight: FlightParameters, character: Character, k: int, feet: Sequence[str] | None
    ) -> Suggestion | None:
        names = character.skeleton.names
        found = self.nearest(side, flight, k, feet, joints=names, groups=tuple(mass_shares(character)))
        if not found:
            return None
        support = found[0].transition.feet if feet is None else tuple(sorted(feet))
        points = interpolate_points(found, mass_points(character, standing_pose(character), support))
        start = place_on_support(character, pose_coordinates(character, found[0].transition.pose), support)
        return Suggestion(points, start, support, tuple((one.name, one.weight) for one in found))

    def save(self, path: Path) -> None:
        """Write as JSON; an existing file is replaced atomically."""
        from gambol.io.output import atomic_write

        content = {"format": FORMAT, "version": VERSION, "examples": [_to_json(e) for e in self.examples]}
        with atomic_write(path) as temporary:
            temporary.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")

    @classmethod
    def load(cls, path: Path) -> PoseDatabase:
        """Read a database written by `save`."""
        content = _parse(path)
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise InputError("not a database of poses", file=path, fix="make one with 'gambol poses add'")
        if content.get("version") != VERSION:
            raise InputError(
                f"version {content.get('version')!r:.20} instead of {VERSION}", file=path, fix="update gambol"
            )
        rows = content.get("examples")
        if not isinstance(rows, list):
            raise InputError("no list of examples", file=path)
        return cls(tuple(_read(row, n, path) for n, row in enumerate(rows, start=1)))


def user_file() -> Path:
    """Return the path of the user's own examples."""
    home = os.environ.get("XDG_DATA_HOME", "")
    return (Path(home) if Path(home).is_absolute() else Path.home() / ".local" / "share") / "gambol" / "poses.json"


def open_poses(path: Path | None = None) -> PoseDatabase:
    """Open the examples that come with gambol and those of the user, or of another file, which must exist."""
    own = user_file() if path is None else path
    shipped = PoseDatabase.load(SHIPPED) if SHIPPED.exists() else PoseDatabase()
    return shipped.with_examples(PoseDatabase.load(own).examples) if path is not None or own.exists() else shipped


def is_same_example(one: Example, other: Example) -> bool:
    """Whether two examples have the same content, regardless of their names."""

    def numbers(t: Transition) -> Array:
        return np.concatenate([t.points[name] for name in sorted(t.points)])

    alike = all(
        a.feet == b.feet
        and set(a.points) == set(b.points)
        and np.allclose(numbers(a), numbers(b), rtol=0.0, atol=_SAME)
        for a, b in ((one.takeoff, other.takeoff), (one.landing, other.landing))
    )
    return alike and np.allclose(one.flight.array, other.flight.array, rtol=0.0, atol=_SAME)


def similarity_weights(distances: Sequence[float]) -> Array:
    """Return weights that add up to 1, inverse to distances; an example at distance 0 gets all the weight."""
    inverse = 1.0 / (np.asarray(distances, dtype=float) + 1e-9)
    return inverse / inverse.sum()


def scale_points(points: MassPoints, default: MassPoints, other: MassPoints) -> dict[str, Array]:
    """Scale mass points from one body to another (L05 eq. 3.7), given the default poses of both."""
    return {
        name: mine + (points[name] - default[name]) * (np.linalg.norm(mine) / np.linalg.norm(default[name]))
        for name, mine in other.items()
    }


def interpolate_points(neighbours: Sequence[Neighbour], default: MassPoints) -> dict[str, Array]:
    """Return the weighted mean of the neighbours' mass points, scaled to a body with this default pose."""
    out: dict[str, Array] = {name: np.zeros(3) for name in default}
    for _, transition, weight in neighbours:
        for name, point in scale_points(transition.points, transition.standing, default).items():
            out[name] = out[name] + weight * point
    return out


def move_points(points: MassPoints, **by: ArrayLike) -> dict[str, Array]:
    """Shift mass points by metres: `move_points(points, arms=(0.1, 0.0, 0.2))`."""
    unknown = next((name for name in by if name not in points), None)
    if unknown is not None:
        raise InputError(f"no mass point '{unknown}'", fix=f"there are {', '.join(points)}")
    return {name: point + np.asarray(by.get(name, 0.0), dtype=float) for name, point in points.items()}


def set_turns(character: Character, q: Array, turns: Mapping[str, Sequence[float]]) -> Array:
    """Set the turns (rad) of some joints in a pose (dofs,), clipped to their limits."""
    out = np.array(q, dtype=float)
    for name, angles in turns.items():
        columns = character.skeleton.columns(character.skeleton.index(name), "turn")
        if len(angles) != len(columns):
            raise InputError(f"'{name}' has {len(columns)} turns, but {len(angles)} angles are given")
        out[columns] = np.clip(angles, character.skeleton.lower[columns], character.skeleton.upper[columns])
    return out


def place_on_support(
    character: Character, q: Array, feet: Sequence[str], at: ArrayLike = (0.0, 0.0, 0.0), facing: float = 0.0
) -> Array:
    """Move a pose (dofs,) so that its centre of support is at `at` (3,) and its heading is `facing` (rad, x to y)."""
    skeleton = character.skeleton
    out = np.array(q, dtype=float)
    columns = skeleton.columns(0, "turn")
    own = local_frames(skeleton, out[None]).rotations[:, 0]
    turn = quat.from_axis_angle((0.0, 0.0, 1.0), facing - heading(own))
    if len(columns) != 3 or len(skeleton.columns(0, "slide")) != 3:
        raise InputError(f"the root '{skeleton.names[0]}' must have three slides and three turns")
    local = quat.multiply(quat.conjugate(skeleton.rests[0]), quat.multiply(turn, own))
    axes = np.array([skeleton.dofs[c].axis for c in columns])
    out[columns] = angles_near(axes, local, out[None, columns])[0]
    offset = np.asarray(at, dtype=float) - support_center(skeleton, place(skeleton, out[None]), feet)[0]
    for column in skeleton.columns(0, "slide"):
        out[column] += offset @ skeleton.dofs[column].axis
    return out


def pose_from_points(
    character: Character,
    points: MassPoints,
    start: Array,
    feet: Sequence[str],
    *,
    toward: Array | None = None,
    weight: float = WEIGHT,
    fixed: Collection[str] = (),
) -> Array:
    """Find coordinates (dofs,) with given mass points: inverse kinematics of L05 section 3.5.1.

    The iteration begins at `start`, with the centre of support at the origin; the feet keep their position and
    orientation. Coordinates that the mass points leave free stay near the pose `toward`, or near the start; `weight`
    (metres per radian) is the weight of that relative to the mass points, and dominates from about 0.1. Joints in
    `fixed` keep their turns. Joint limits are satisfied.
    """
    if not (np.isfinite(weight) and weight > 0.0):
        raise InputError(f"the weight is {weight}", fix="a number above 0")
    skeleton, shares = character.skeleton, mass_shares(character)
    if not points or not set(points) <= set(shares):
        raise InputError(f"mass points of {', '.join(points) or 'nothing'}", fix=f"choose {', '.join(shares)}")
    begin = np.clip(place_on_support(character, start, feet), skeleton.lower, skeleton.upper)
    targets = [_FACING]
    for name, position in points.items():
        bodies = np.flatnonzero(shares[name])
        targets.append(BodyTarget(bodies, character.centers[bodies], shares[name][bodies], position))
    for foot in map(skeleton.index, feet):
        places = locate_points(skeleton, begin[None], [foot] * 3, _FOOT)[0][0]
        targets += [aim_point(foot, point, position) for point, position in zip(_FOOT, places, strict=True)]
    kept = np.isin([dof.joint if dof.kind == "turn" else -1 for dof in skeleton.dofs], [*map(skeleton.index, fixed)])
    near = begin if toward is None else np.where(kept, begin, place_on_support(character, toward, feet))
    prior = PosePrior(near[None], np.where(kept, np.inf, weight * skeleton.turning))
    return solve_apart(PoseProblem(skeleton, targets, prior), begin[None], rules=_RULES)[0]


def _applies(
    transition: Transition, feet: Sequence[str] | None, joints: Collection[str] | None, groups: Collection[str]
) -> bool:
    """Whether an example applies to a body: shared joints, the feet, and all mass points of the body."""
    if joints is None:
        return set(groups) <= set(transition.points)
    has_feet = all(foot in joints for foot in (transition.feet if feet is None else feet))
    shared = any(name in joints for name in transition.pose)
    return has_feet and shared and set(groups) <= set(transition.points)


def _to_json(example: Example) -> dict[str, Any]:
    def side(transition: Transition) -> dict[str, Any]:
        parts = {
            what: {name: _rounded(value) for name, value in getattr(transition, what).items()}
            for what in ("points", "standing", "pose")
        }
        return parts | {"feet": list(transition.feet)}

    flight = {name: round(value, _DIGITS) for name, value in asdict(example.flight).items()}
    return {"name": example.name, "flight": flight, "takeoff": side(example.takeoff), "landing": side(example.landing)}


def _rounded(value: Array) -> list[float]:
    return [round(float(x), _DIGITS) for x in value]


def _parse(path: Path) -> Any:
    def refuse(word: str) -> NoReturn:
        raise InputError(f"{word} is not a number", file=path)

    try:
        if path.stat().st_size > _LARGEST:
            raise InputError(f"larger than {_LARGEST // 1_000_000} MB: not a database of poses", file=path)
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except (ValueError, RecursionError):
        raise InputError("not JSON", file=path, fix="make a database with 'gambol poses add'") from None


def _read(row: Any, number: int, path: Path) -> Example:
    """Read one example of a file; errors name its number."""
    try:
        name = row["name"]
        if not isinstance(name, str) or not name.isprintable() or len(name) > 500:
            raise InputError("its name is not plain text")
        flight = FlightParameters(
            **{field.name: _number(row["flight"][field.name]) for field in fields(FlightParameters)}
        )
        return Example(name, flight, _read_side(row["takeoff"]), _read_side(row["landing"]))
    except InputError as error:
        raise InputError(f"example {number}: {error}", file=path) from None
    except KeyError as error:
        raise InputError(f"example {number} has no {error.args[0]!r:.40}", file=path) from None
    except (TypeError, AttributeError, ValueError, OverflowError):
        raise InputError(f"example {number} is not in the format of gambol", file=path) from None


def _read_side(side: Any) -> Transition:
    points, default, pose = (
        {str(name): np.array([_number(x) for x in value]) for name, value in side[what].items()}
        for what in ("points", "standing", "pose")
    )
    feet = side["feet"]
    if not isinstance(feet, list) or not all(isinstance(foot, str) and foot in pose for foot in feet):
        raise InputError("its feet are not joints of its pose")
    return Transition(points, default, pose, tuple(feet))


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
        raise InputError(f"{value!r:.20} is not a number of metres or radians")
    return float(value)
