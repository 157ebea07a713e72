"""The bodies of a character by the names that people give: its own, those of a rig's joints, and other spellings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from gambol.errors import InputError
from gambol.motion.motion import Motion
from gambol.motion.rig_names import COMMON_TABLES, RIG_TABLES, match_table, split_side


def map_joints_to_bodies(motion: Motion, bodies: Sequence[str]) -> dict[str, str]:
    """Return the body that moves with each joint of a rig, by name: fingers with the hand, the neck with the head."""
    parts = {} if motion.rig is None else motion.rig.parts
    of_joint = {joint: _find_carrier(part, bodies) for part, joint in parts.items()}
    found: list[str] = []
    for joint, parent in enumerate(motion.skeleton.parents):
        found.append(of_joint.get(joint, found[parent] if parent >= 0 else bodies[0]))
    return dict(zip(motion.skeleton.names, found, strict=True))


def _find_carrier(part: str, bodies: Sequence[str]) -> str:
    """Return the body of a part of a rig; the neck and toes of a character without them move with head and foot."""
    return part if part in bodies else {"neck": "head"}.get(part, part.replace("toes", "foot"))


def resolve_body(name: str, bodies: Sequence[str], joints: Mapping[str, str]) -> str:
    """Return the body that a name means: a body or a joint of the rig, in any case and with any separators.

    `joints` are the joints of the rig and their bodies, as of `map_joints_to_bodies`.

    >>> resolve_body("Left hand", ("head", "left_hand"), {}), resolve_body("LeftArm", ("chest",), {"LeftArm": "chest"})
    ('left_hand', 'chest')
    """
    if name in bodies:
        return name
    known = {**joints, **{body: body for body in bodies}}
    spelled = [body for other, body in known.items() if split_side(other) == split_side(name)]
    meant = known.get(name, spelled[0] if len(set(spelled)) == 1 else "")
    if meant in bodies:
        return meant
    near = [body for body in dict.fromkeys((*spelled, *_find_synonyms(name))) if body in bodies]
    near = near or get_close_matches(name, bodies, 2, 0.7)
    raise InputError(
        f"no body '{name}'",
        fix=f"did you mean {' or '.join(near)}?" if near else f"bodies: {list_bodies(bodies)}",
    )


def _find_synonyms(name: str) -> list[str]:
    """Return the parts that rigs of any kind call by a name, on both sides where it has none."""
    names = (name,) if split_side(name)[0] else (name, f"left_{name}", f"right_{name}")
    tables = (*RIG_TABLES.values(), *COMMON_TABLES)
    return [part for one in names for table in tables for part in match_table((one,), table)]


def list_bodies(bodies: Sequence[str]) -> str:
    """Return the names of bodies in words; those that both sides have, once."""
    sided = [body.removeprefix("left_") for body in bodies if body.startswith("left_")]
    both = [base for base in sided if f"right_{base}" in bodies]
    single = [body for body in bodies if body.removeprefix("left_").removeprefix("right_") not in both]
    pairs = [f"left_ or right_{both[0]}, {', '.join(both[1:])}".rstrip(", ")] if both else []
    return ", ".join((*single, *pairs))
