"""Map the parts of a body to the joints of a rig: by joint names, else by shape, else from a mapping file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gambol.errors import InputError, RigError
from gambol.geometry.arrays import Array
from gambol.motion.rig_names import BODY_PARTS, REQUIRED_PARTS, RIG_TABLES, match_table
from gambol.motion.rig_shape import match_by_shape
from gambol.motion.skeleton import Skeleton


@dataclass(frozen=True)
class Rig:
    """The kind of a rig, and the joint index of every body part it has."""

    kind: str
    parts: Mapping[str, int]


def recognise_rig(skeleton: Skeleton, positions: Array, up: Array) -> Rig:
    """Find the body parts among the joints of a skeleton; `positions` (joints, 3) is any upright pose."""
    kind, parts = match_by_name(skeleton)
    if _complete(skeleton, parts):
        return Rig(kind, parts)
    by_shape = match_by_shape(skeleton, positions, up)
    if _complete(skeleton, by_shape):
        return Rig("recognised by shape", by_shape)
    raise unrecognised_rig_error(skeleton, parts)


def match_by_name(skeleton: Skeleton) -> tuple[str, dict[str, int]]:
    """Return the known kind of rig whose joint names match best, and the matched parts."""
    candidates = {kind: match_table(skeleton.names, table) for kind, table in RIG_TABLES.items()}
    kind = max(candidates, key=lambda k: (len(candidates[k].keys() & set(REQUIRED_PARTS)), len(candidates[k])))
    if kind == "MotionBuilder" and "mixamorig" in skeleton.names[0].lower():
        return "Mixamo", candidates[kind]
    return kind, candidates[kind]


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
        guess = f' "{skeleton.names[parts[part]]}"' if part in parts else ""
        lines.append(f"{part}:{guess}" + ("  # needed" if part in REQUIRED_PARTS and not guess else ""))
    joints = [name for i, name in enumerate(skeleton.names) if i not in skeleton.ends]
    return "\n".join([*lines, "", "# Joints of this rig:", *(f"#   {name}" for name in joints), ""])


def unrecognised_rig_error(skeleton: Skeleton, parts: Mapping[str, int], file: str | None = None) -> RigError:
    """Return the error for a rig without the required parts: what is missing, the joints, and what to do."""
    joints = [name for i, name in enumerate(skeleton.names) if i not in skeleton.ends]
    shown = ", ".join(joints[:40]) + (f" and {len(joints) - 40} more" if len(joints) > 40 else "")
    return RigError(
        f"the rig is not recognised as a person: no {_list_missing(parts)} among its joints {shown}",
        file=file,
        fix="write a mapping with 'gambol rig CLIP -o rig.yaml', fill it in and pass --rig rig.yaml",
    )


def find_missing_parts(skeleton: Skeleton, parts: Mapping[str, int]) -> str:
    """Return what a mapping from part to joint lacks of a person, in words; empty where it is complete."""
    return "" if _complete(skeleton, parts) else _list_missing(parts)


def _list_missing(parts: Mapping[str, int]) -> str:
    return ", ".join(part for part in REQUIRED_PARTS if part not in parts) or "complete leg or arm chain"


def _complete(skeleton: Skeleton, parts: Mapping[str, int]) -> bool:
    """Return whether all required parts are present and each limb is one chain in the right order."""
    if not set(REQUIRED_PARTS) <= parts.keys():
        return False
    return all(
        parts[f"{side}_{upper}"] in skeleton.path_to_root(parts[f"{side}_{lower}"])
        for side in ("left", "right")
        for upper, lower in (("thigh", "shank"), ("shank", "foot"), ("upper_arm", "forearm"))
    )
