"""Scenes of crowds as YAML files, with one of three keys:

walk: poles                     # or crossing, doorway, circle; or agents, poles and walls by hand
seconds: 30

march: {rows: 6, columns: 6, control: {coupling: 6}, start: {out_of_place: 0.6}}

dance: bridge
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from gambol.contraction.graphs import Graph, all_to_all_graph, grid_graph, ring_graph
from gambol.errors import InputError
from gambol.geometry.arrays import summarise_fields
from gambol.io.yamls import check_choice, check_flag, check_list, check_mapping, check_number, read_yaml
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.march import StartSpread
from gambol.primitives.navigation import scenarios
from gambol.primitives.navigation.floor_plan import FloorPlan

_KEYS = ("walk", "march", "dance", "seconds", "seed")
_SCENARIOS = {
    "poles": scenarios.make_poles,
    "crossing": scenarios.make_crossing,
    "doorway": scenarios.make_doorway,
    "circle": scenarios.make_circle,
}
_SECONDS, _LONGEST = 20.0, 600.0
_MOST, _MOST_IN_SIGHT = 10_000, 1_000
"""Most agents, and most agents that all see each other."""


@dataclass(frozen=True)
class WalkAct:
    """Walkers with goals: a random scenario, or a given floor plan."""

    scenario: str = ""
    floor: FloorPlan | None = None

    def floor_plan(self, seed: int) -> FloorPlan:
        """Return the floor plan for a seed."""
        return self.floor if self.floor is not None else _SCENARIOS[self.scenario](seed)


@dataclass(frozen=True)
class MarchAct:
    """Ranks and columns that form up and fall into step."""

    __repr__ = summarise_fields

    rows: int = 6
    columns: int = 6
    along: float = 1.5
    """Metres between rows."""
    across: float = 1.2
    """Metres between columns."""
    steps: float = 0.75
    """Step length relative to the walk's own; below 1, so that longer steps are possible."""
    sees: str = "neighbours"
    """Graph of the interactions: neighbours, ring or everyone."""
    control: ControlGains = field(default_factory=ControlGains)
    start: StartSpread = field(default_factory=StartSpread)

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or not 2 <= self.rows * self.columns <= _MOST:
            raise InputError(f"{self.rows} rows of {self.columns} agents", fix=f"choose 2 to {_MOST} agents in total")
        if self.sees == "everyone" and self.rows * self.columns > _MOST_IN_SIGHT:
            raise InputError(f"'sees: everyone' allows at most {_MOST_IN_SIGHT} agents", fix="use 'sees: neighbours'")
        if min(self.along, self.across) < 0.6:
            raise InputError(
                "rows or columns are less than 0.6 m apart", fix="choose 'along' and 'across' of at least 0.6"
            )
        if not 0.2 <= self.steps <= 1.0:
            raise InputError(f"'steps' is {self.steps:g}, expected 0.2 to 1")

    @property
    def graph(self) -> Graph:
        """The graph of interactions."""
        count = self.rows * self.columns
        if self.sees == "neighbours":
            return grid_graph(self.rows, self.columns)
        return ring_graph(count) if self.sees == "ring" else all_to_all_graph(count)

    @property
    def places(self) -> np.ndarray:
        """(agents, 2) metres along and across, relative to the middle."""
        along = (0.5 * (self.rows - 1) - np.arange(self.rows)) * self.along
        across = (0.5 * (self.columns - 1) - np.arange(self.columns)) * self.across
        return np.stack(np.meshgrid(along, across, indexing="ij"), axis=-1).reshape(-1, 2)


@dataclass(frozen=True)
class DanceAct:
    """Two couples change places, one below the bridge of the other's arms."""

    figure: str = "bridge"


@dataclass(frozen=True)
class Scene:
    """A scene: its act, duration, and random seed."""

    __repr__ = summarise_fields

    name: str
    act: WalkAct | MarchAct | DanceAct
    seconds: float = _SECONDS
    seed: int = 1

    @property
    def agents(self) -> int:
        """Number of agents."""
        if isinstance(self.act, WalkAct):
            return len(self.act.floor_plan(self.seed).starts)
        return self.act.rows * self.act.columns if isinstance(self.act, MarchAct) else 4


def read_scene(path: Path) -> Scene:
    """Read a scene from a YAML file."""
    try:
        return parse_scene(read_yaml(path), path.stem)
    except InputError as error:
        raise error if error.file else InputError(error.problem, file=path, fix=error.fix) from None


def parse_scene(content: Any, name: str) -> Scene:
    """Return the scene that a mapping describes."""
    given = check_mapping(content, "a scene", _KEYS)
    acts = [key for key in ("walk", "march", "dance") if key in given]
    if len(acts) != 1:
        raise InputError("a scene needs exactly one of walk, march and dance", fix="write 'walk: poles', for example")
    makers: dict[str, Callable[[Any], WalkAct | MarchAct | DanceAct]] = {
        "walk": _parse_walk,
        "march": _parse_march,
        "dance": _parse_dance,
    }
    seconds = check_number(given.get("seconds", _SECONDS), "seconds", _LONGEST)
    if seconds < 0.1:
        raise InputError(f"'seconds' is {seconds:g}, expected at least 0.1")
    seed = check_number(given.get("seed", 1), "seed", 2**31)
    if seed < 0 or seed != int(seed):
        raise InputError(f"'seed' is {seed:g}, expected a whole number of at least 0")
    return Scene(name, makers[acts[0]](given[acts[0]]), seconds, int(seed))


def _parse_walk(value: Any) -> WalkAct:
    if isinstance(value, str):
        return WalkAct(check_choice(value, "scenario", tuple(_SCENARIOS)))
    given = check_mapping(value, "a walk", ("agents", "poles", "walls", "bounds"))
    agents = [
        check_mapping(agent, "an agent", ("start", "goal")) for agent in check_list(given.get("agents", []), "agents")
    ]
    for agent in agents:
        if set(agent) != {"start", "goal"}:
            raise InputError("an agent lacks its start or goal", fix="write {start: [0, 0], goal: [5, 0]}")
    tables: dict[str, Any] = {f"{end}s": [agent[end] for agent in agents] for end in ("start", "goal")}
    tables |= {name: given[name] for name in ("poles", "walls", "bounds") if name in given}
    return WalkAct(floor=FloorPlan(**tables))


def _parse_march(value: Any) -> MarchAct:
    given = check_mapping(value or {}, "a march", tuple(f.name for f in fields(MarchAct)))
    made: dict[str, Any] = {
        name: check_number(given[name], name) for name in ("along", "across", "steps") if name in given
    }
    for name in ("rows", "columns"):
        if name in given:
            count = check_number(given[name], name, _MOST)
            if count != int(count):
                raise InputError(f"'{name}' is {count:g}, expected a whole number")
            made[name] = int(count)
    if "sees" in given:
        made["sees"] = check_choice(given["sees"], "graph", ("neighbours", "ring", "everyone"))
    for name, kind in (("control", ControlGains), ("start", StartSpread)):
        if name in given:
            made[name] = kind(**_numbers(given[name], f"'{name}'", kind))
    return MarchAct(**made)


def _parse_dance(value: Any) -> DanceAct:
    return DanceAct(check_choice(value, "dance", ("bridge",)))


def _numbers(value: Any, what: str, kind: type) -> Mapping[str, Any]:
    """Return the checked numbers and flags of a dataclass."""
    names = tuple(f.name for f in fields(kind))
    flags = {f.name for f in fields(kind) if f.type == "bool"}
    given = check_mapping(value, what, names)
    return {name: check_flag(x, name) if name in flags else check_number(x, name) for name, x in given.items()}
