"""Read a composition from YAML::

    people:
      adult: {clip: walk, steps: 8}
      child: {clip: walk, steps: 12, height: 1.2, at: [0.1, -0.5]}
    conditions:
      - hold: [adult right_hand, child left_hand]

A person has one clip, or `actions`, a list of them. Conditions are `hold`, `meet`, `tackle`, `avoid`, `reach` and
`carry`. Parts of bodies are written as name and body; times are in seconds of the draft. Errors name the line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gambol.body.body_names import list_bodies, resolve_body
from gambol.composition.carrying import Carry
from gambol.composition.composition import Action, Composition, Person
from gambol.composition.conditions import HAND_FORCE_COST, Avoid, BodyPart, Condition, Hold, Meet, Reach, Tackle
from gambol.errors import InputError
from gambol.io import samples
from gambol.io.yaml_entries import YamlEntry, read_yaml_entry
from gambol.motion.rig_names import BODY_PARTS

_ACTION = ("clip", "start", "end", "steps", "turn", "stride", "pace", "style")
_PERSON = (
    *("actions", "at", "heading", "height", "mass", "begins", "ends", "delay", "energy", "share"),
    *_ACTION,
)
_KEYS = ("people", "conditions", "duration", "timing", "order", "sides")
_POSTURES = ("moving", "standing")
_LONGEST = 60.0
_BODIES = tuple(part for part in BODY_PARTS if part not in ("neck", "left_toes", "right_toes"))


def read_composition(path: Path) -> Composition:
    """Read a composition; paths of clips are relative to that of the file."""
    try:
        made = _parse(read_yaml_entry(path, "a scene"), path.stem)
    except InputError as error:
        raise InputError(error.problem, file=path, line=error.line, fix=error.fix) from None
    return replace(made, people=tuple(_find_files(person, path.parent) for person in made.people))


def parse_composition(content: Mapping[str, Any], name: str) -> Composition:
    """Make a composition from the content of such a file."""
    return _parse(YamlEntry(dict(content), "a scene"), name)


def _find_files(person: Person, folder: Path) -> Person:
    def find(file: str) -> str:
        return file if file in samples.names() or not file else str(folder / file)

    actions = tuple(replace(one, clip=find(one.clip), style=find(one.style)) for one in person.actions)
    energy = find(person.energy) if person.energy.endswith(".json") else person.energy
    return replace(person, actions=actions, energy=energy)


def _parse(entry: YamlEntry, name: str) -> Composition:
    given = entry.read_mapping(_KEYS)
    if "people" not in given:
        raise entry.error("nobody is in the scene", "people: {anna: {clip: walk, steps: 4}}")
    people = given["people"].read_mapping()
    conditions = (
        [_parse_condition(one, tuple(people)) for one in given["conditions"].read_list()]
        if ("conditions" in given)
        else []
    )
    return Composition(
        name,
        tuple(_parse_person(who, one) for who, one in people.items()),
        tuple(conditions),
        given["duration"].read_number(_LONGEST, 0.3) if "duration" in given else None,
        given["timing"].read_flag() if "timing" in given else False,
        tuple(_check_person(one, one.read_text(), tuple(people)) for one in given["order"].read_list())
        if "order" in given
        else (),
        given["sides"].read_flag() if "sides" in given else False,
    )


def _parse_person(name: str, entry: YamlEntry) -> Person:
    given = entry.read_mapping(_PERSON)
    if "actions" in given:
        both = next((key for key in _ACTION if key in given), None)
        if both is not None:
            raise given[both].error(f"'{name}' has both actions and '{both}'", f"write '{both}' in an action")
        actions = tuple(_parse_action(one, one.read_mapping(_ACTION)) for one in given["actions"].read_list(1))
    else:
        actions = (_parse_action(entry, {key: one for key, one in given.items() if key in _ACTION}),)
    at = [one.read_number() for one in given["at"].read_list(2)] if "at" in given else [0.0, 0.0]
    if len(at) != 2:
        raise given["at"].error(f"'at' must be two numbers, got {len(at)}", "at: [1.0, -0.5]")
    return Person(
        name,
        actions,
        (at[0], at[1]),
        given["heading"].read_number(3600.0) if "heading" in given else None,
        given["height"].read_number(1.6, 0.7) if "height" in given else None,
        given["mass"].read_number(300.0, 5.0) if "mass" in given else None,
        "begins" in given and given["begins"].read_choice(_POSTURES) == "standing",
        "ends" in given and given["ends"].read_choice(_POSTURES) == "standing",
        _parse_delay(given["delay"]) if "delay" in given else 0.0,
        _parse_energy(given["energy"]) if "energy" in given else "likeness",
        given["share"].read_number(1e3, 1e-3) if "share" in given else 1.0,
    )


def _parse_delay(entry: YamlEntry) -> float | None:
    return None if entry.value == "found" else entry.read_number(10.0, 0.0)


def _parse_energy(entry: YamlEntry) -> str:
    energy = entry.read_text()
    if energy not in ("likeness", "effort") and not energy.endswith(".json"):
        raise entry.error(f"no energy '{energy}'", "choose likeness, effort or the .json file of a style")
    return energy


def _parse_action(entry: YamlEntry, given: Mapping[str, YamlEntry]) -> Action:
    if "clip" not in given:
        raise entry.error(f"'{entry.what}' has no clip", "clip: walk, or the path of a file")
    steps = None
    if "steps" in given:
        steps = 0.0 if given["steps"].value == "found" else given["steps"].read_number(200.0, 1.0)
        if steps != int(steps):
            raise given["steps"].error(f"'steps' must be a whole number or 'found', got {steps:g}")
    start, end = (given[key].read_number(1e4, 0.0) if key in given else None for key in ("start", "end"))
    return Action(
        given["clip"].read_text(),
        start,
        end,
        None if steps is None else int(steps),
        given["turn"].read_number(3600.0) if "turn" in given else 0.0,
        given["stride"].read_number(3.0, 0.2) if "stride" in given else 1.0,
        given["pace"].read_number(3.0, 0.3) if "pace" in given else 1.0,
        given["style"].read_text() if "style" in given else "",
    )


def _parse_condition(entry: YamlEntry, people: tuple[str, ...]) -> Condition:
    given = entry.read_mapping()
    kind = next((key for key in _KINDS if key in given), None)
    if kind is None:
        raise entry.error("a condition without its kind", f"one of {', '.join(_KINDS)}: hold: [anna left_hand, ...]")
    parse, keys = _KINDS[kind]
    return parse(entry.read_mapping((kind, *keys)), people)


def _parse_hold(given: dict[str, YamlEntry], people: tuple[str, ...]) -> Condition:
    one, other = _parse_pair(given["hold"], people)
    start, end = (_read_time(given, key) for key in ("start", "end"))
    cost = given["cost"].read_number(1e6, 1e-6) if "cost" in given else HAND_FORCE_COST
    return Hold(one, other, start, end, cost)


def _parse_meet(given: dict[str, YamlEntry], people: tuple[str, ...], kind: str = "meet") -> Meet:
    one, other = _parse_pair(given[kind], people)
    return Meet(
        one,
        other,
        _require(given, kind, "at").read_number(_LONGEST, 0.0),
        given["distance"].read_number(5.0, 0.0) if "distance" in given else 0.0,
        given["speed"].read_number(15.0, 0.0) if "speed" in given else None,
        _parse_goal(given, people),
    )


def _parse_tackle(given: dict[str, YamlEntry], people: tuple[str, ...]) -> Condition:
    arms = given["arms"].read_flag() if "arms" in given else True
    return Tackle(_parse_meet(given, people, "tackle"), arms)


def _parse_avoid(given: dict[str, YamlEntry], people: tuple[str, ...]) -> Condition:
    one, other = _parse_pair(given["avoid"], people, "pelvis")
    start, end = (_require(given, "avoid", key).read_number(_LONGEST, 0.0) for key in ("start", "end"))
    distance = _require(given, "avoid", "distance").read_number(10.0, 0.0)
    return Avoid(one, other, start, end, distance, _parse_goal(given, people))


def _parse_reach(given: dict[str, YamlEntry], people: tuple[str, ...]) -> Condition:
    place = [one.read_number() for one in _require(given, "reach", "place").read_list(2)]
    if len(place) > 3:
        raise given["place"].error(f"'place' must be two or three numbers, got {len(place)}")
    time = _require(given, "reach", "at").read_number(_LONGEST, 0.0)
    return Reach(_parse_part(given["reach"], people, "pelvis"), tuple(place), time, _parse_goal(given, people))


def _parse_carry(given: dict[str, YamlEntry], people: tuple[str, ...]) -> Condition:
    who = [_check_person(one, one.read_text(), people) for one in given["carry"].read_list(2)]
    mass = _require(given, "carry", "mass").read_number(200.0, 0.5)
    size = [one.read_number(5.0, 0.05) for one in given["size"].read_list(3)] if "size" in given else [1.4, 0.5, 0.3]
    return Carry(tuple(who), mass, (size[0], size[1], size[2]))


def _parse_pair(entry: YamlEntry, people: tuple[str, ...], body: str | None = None) -> tuple[BodyPart, BodyPart]:
    pair = entry.read_list(2)
    if len(pair) != 2:
        raise entry.error(f"'{entry.what}' joins two parts of bodies, got {len(pair)}", "[anna left_hand, ben chest]")
    one, other = (_parse_part(part, people, body) for part in pair)
    if one.person == other.person:
        raise entry.error(f"'{entry.what}' joins two parts of '{one.person}'", "name two people")
    return one, other


def _parse_part(entry: YamlEntry, people: tuple[str, ...], body: str | None = None) -> BodyPart:
    name, *words = entry.read_text().split(maxsplit=1)
    who = _check_person(entry, name, people)
    if not words and body is not None:
        return BodyPart(who, body, 0.0)
    if not words:
        raise entry.error(f"'{entry.value}' names no body", f"write {name} and one of {list_bodies(_BODIES)}")
    try:
        return BodyPart(who, resolve_body(words[0], _BODIES, {}))
    except InputError as error:
        raise entry.error(error.problem, error.fix) from None


def _parse_goal(given: Mapping[str, YamlEntry], people: tuple[str, ...]) -> str | None:
    if "goal of" not in given:
        return None
    return _check_person(given["goal of"], given["goal of"].read_text(), people)


def _check_person(entry: YamlEntry, name: str, people: tuple[str, ...]) -> str:
    if name not in people:
        raise entry.error(f"nobody is called '{name}'", f"one of {', '.join(people)}")
    return name


def _require(given: Mapping[str, YamlEntry], kind: str, key: str) -> YamlEntry:
    if key not in given:
        raise given[kind].error(f"'{kind}' needs '{key}'")
    return given[key]


def _read_time(given: Mapping[str, YamlEntry], key: str) -> float | None:
    return given[key].read_number(_LONGEST, 0.0) if key in given else None


_KINDS: dict[str, tuple[Callable[[dict[str, YamlEntry], tuple[str, ...]], Condition], tuple[str, ...]]] = {
    "hold": (_parse_hold, ("start", "end", "cost")),
    "meet": (_parse_meet, ("at", "distance", "speed", "goal of")),
    "tackle": (_parse_tackle, ("at", "distance", "speed", "goal of", "arms")),
    "avoid": (_parse_avoid, ("start", "end", "distance", "goal of")),
    "reach": (_parse_reach, ("place", "at", "goal of")),
    "carry": (_parse_carry, ("mass", "size")),
}
