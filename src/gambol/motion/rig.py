"""Map the parts of a body to the joints of a rig: by joint names, else by shape, else from a mapping file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gambol.errors import InputError, RigError, make_printable
from gambol.geometry.arrays import Array
from gambol.motion.rig_names import (
    BODY_PARTS,
    COMMON_TABLES,
    REQUIRED_PARTS,
    RIG_TABLES,
    find_helpers,
    match_table,
    quote_name,
    split_side,
    strip_decoration,
)
from gambol.motion.rig_shape import count_legs, find_back, match_by_shape, stands_on_hands
from gambol.motion.skeleton import Skeleton

_NUMBERS = {3: "three", 4: "four", 5: "five", 6: "six", 8: "eight", 10: "ten"}
_FOR_ALL = "info, view, render, convert and loop work with any skeleton"


@dataclass(frozen=True)
class Rig:
    """The kind of a rig, and the joint index of every body part it has."""

    kind: str
    parts: Mapping[str, int]

    def __repr__(self) -> str:
        return f"Rig({self.kind!r}, {len(self.parts)} parts)"


def recognise_rig(skeleton: Skeleton, positions: Array, up: Array) -> Rig:
    """Find the body parts among the joints of a skeleton; `positions` (joints, 3) is any upright pose."""
    kind, parts = match_by_name(skeleton)
    if _complete(skeleton, parts) or _complete(skeleton, parts := _add_middle(skeleton, parts, positions, up)):
        if not stands_on_hands(parts, positions, up):
            return Rig(kind, parts)
    elif count_legs(skeleton, positions, up) <= 2:
        by_shape = match_by_shape(skeleton, positions, up)
        if _complete(skeleton, by_shape):
            return Rig("recognised by shape", by_shape)
    raise unrecognised_rig_error(skeleton, parts, other=describe_other_body(skeleton, positions, up))


def describe_other_body(skeleton: Skeleton, positions: Array, up: Array) -> str:
    """Return what a body is that is not a person, from its rest pose (joints, 3): 'four legs'; empty where unknown."""
    legs = count_legs(skeleton, positions, up)
    if legs > 2:
        return f"{_NUMBERS.get(legs, legs)} legs"
    single = [limb for limb in ("leg", "arm") if find_one_bone_limbs(skeleton, limb)]
    return f"one bone per {' and '.join(single)}" if "leg" in single else ""


def find_one_bone_limbs(skeleton: Skeleton, limb: str) -> dict[str, int]:
    """Return the joints of the left and right "leg" or "arm" if these have one bone each; empty where not."""
    found = {split_side(name): j for j, name in enumerate(skeleton.names) if _is_a_limb(skeleton, j)}
    sides = ("left", "right")
    return {side: found[side, limb] for side in sides} if all((side, limb) in found for side in sides) else {}


def _is_a_limb(skeleton: Skeleton, joint: int) -> bool:
    """Return whether a joint has nothing of its side above it, and at most the end of its bone below it."""
    parent = skeleton.parents[joint]
    above = split_side(skeleton.names[parent])[0] if parent >= 0 else ""
    return not above and set(skeleton.children[joint]) <= skeleton.ends


def _add_middle(skeleton: Skeleton, parts: Mapping[str, int], positions: Array, up: Array) -> dict[str, int]:
    """Return the parts with a pelvis, a head and a back by the tree where limbs are known by name and these are not."""
    limbs = [f"{side}_{part}" for side in ("left", "right") for part in ("upper_arm", "thigh")]
    if not set(limbs) <= parts.keys():
        return dict(parts)
    arms, legs = ([parts[f"{side}_{part}"] for side in ("left", "right")] for part in ("upper_arm", "thigh"))
    pelvis = parts.get("pelvis", find_common_joint(skeleton, legs))
    shoulders = find_common_joint(skeleton, arms)
    found = {"pelvis": pelvis}
    if "head" not in parts:
        sided = [parts[part] for part in parts if part.startswith(("left", "right"))]
        found |= find_back(skeleton, positions, up, pelvis, shoulders, [sided])
    used = set(parts.values())
    return {part: joint for part, joint in found.items() if part == "pelvis" or joint not in used} | dict(parts)


def find_common_joint(skeleton: Skeleton, joints: Sequence[int]) -> int:
    """Return the lowest joint that is at or above all the given joints."""
    paths = [skeleton.path_to_root(joint) for joint in joints]
    return next(joint for joint in paths[0] if all(joint in path for path in paths))


def match_by_name(skeleton: Skeleton) -> tuple[str, dict[str, int]]:
    """Return the known kind of rig whose joint names match best, and the matched parts.

    Names are read as they are, and without what an exporter added to all of them.
    """
    helpers = find_helpers(skeleton.names, skeleton.parents)
    tables = [*RIG_TABLES.items(), *(("common names", table) for table in COMMON_TABLES)]
    spellings = dict.fromkeys((skeleton.names, strip_decoration(skeleton.names)))
    kind, parts = max(
        ((kind, match_table(names, table, helpers)) for names in spellings for kind, table in tables),
        key=lambda found: (
            _complete(skeleton, found[1]),
            len(found[1].keys() & set(REQUIRED_PARTS)),
            len(found[1]),
            found[0] in RIG_TABLES,
        ),
    )
    if kind == "MotionBuilder" and any("mixamorig" in name.lower() for name in skeleton.names):
        return "Mixamo", parts
    return kind, parts


def rig_from_mapping(skeleton: Skeleton, mapping: Mapping[str, str]) -> Rig:
    """Return the rig of a mapping from part to joint name; only required parts must be present."""
    for part in mapping:
        if part not in BODY_PARTS:
            raise InputError(f"unknown body part '{part}'", fix=f"parts: {', '.join(BODY_PARTS)}")
    parts = {part: skeleton.index(str(joint)) for part, joint in mapping.items() if joint}
    if not _complete(skeleton, parts):
        raise unrecognised_rig_error(skeleton, parts)
    return Rig("mapping file", parts)


def lacks_thorax(skeleton: Skeleton, rig: Rig) -> bool:
    """Return whether neck and both shoulders coincide with the chest's joint, as in every CMU BVH."""
    above = [rig.parts.get(part) for part in ("neck", "left_collar", "right_collar")]
    return "chest" in rig.parts and all(
        joint is not None and skeleton.parents[joint] == rig.parts["chest"] and not skeleton.offsets[joint].any()
        for joint in above
    )


def format_mapping_template(skeleton: Skeleton) -> str:
    """Return the text of a mapping file to fill in: every part, matched joints, and the joints to choose from."""
    _, parts = match_by_name(skeleton)
    lines = [
        "# Body part: joint of this rig. Fill in the parts marked 'needed'; others may stay empty.",
        "",
    ]
    for part in BODY_PARTS:
        guess = f" {quote_name(skeleton.names[parts[part]])}" if part in parts else ""
        lines.append(f"{part}:{guess}" + ("  # needed" if part in REQUIRED_PARTS and not guess else ""))
    joints = [name for i, name in enumerate(skeleton.names) if i not in skeleton.ends]
    return "\n".join([*lines, "", "# Joints of this rig:", *(f"#   {make_printable(name)}" for name in joints), ""])


def unrecognised_rig_error(
    skeleton: Skeleton, parts: Mapping[str, int], file: str | None = None, other: str = ""
) -> RigError:
    """Return the error for a rig without the required parts: what is missing, the joints, and what to do.

    `other` is what the body is instead, as `describe_other_body` returns it.
    """
    if other:
        return RigError(f"not a person: {other}", file=file, fix=_FOR_ALL)
    joints = [name for i, name in enumerate(skeleton.names) if i not in skeleton.ends]
    missing, shown = _list_some(_find_missing(parts), 5), _list_some(joints, 5)
    return RigError(
        f"the rig is not recognised as a person: no {missing} among its joints {shown}",
        file=file,
        fix="write a mapping with 'gambol rig CLIP -o rig.yaml', fill it in and pass --rig rig.yaml",
    )


def find_missing_parts(skeleton: Skeleton, parts: Mapping[str, int]) -> str:
    """Return what a mapping from part to joint lacks of a person, in words; empty where it is complete."""
    return "" if _complete(skeleton, parts) else ", ".join(_find_missing(parts))


def _find_missing(parts: Mapping[str, int]) -> list[str]:
    return [part for part in REQUIRED_PARTS if part not in parts] or ["complete leg or arm chain"]


def _list_some(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _complete(skeleton: Skeleton, parts: Mapping[str, int]) -> bool:
    """Return whether all required parts are present and each limb is one chain in the right order.

    A foot may also be apart from its leg, below neither thigh: a foot that an IK solver moved when the file was made.
    """
    if not set(REQUIRED_PARTS) <= parts.keys():
        return False
    chained = all(
        parts[f"{side}_{upper}"] in skeleton.path_to_root(parts[f"{side}_{lower}"])
        for side in ("left", "right")
        for upper, lower in (("thigh", "shank"), ("upper_arm", "forearm"))
    )
    return chained and all(
        parts[f"{side}_shank"] in (path := skeleton.path_to_root(parts[f"{side}_foot"]))
        or not {parts["left_thigh"], parts["right_thigh"]} & set(path)
        for side in ("left", "right")
    )
