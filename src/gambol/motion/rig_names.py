"""Joint names of common rigs, and matching them to body parts.

Each part lists alternative names, the preferred one first. The CMU names (ASF and BVH) were tested on real files; those
of the other systems were not.
"""

from __future__ import annotations

import re

MIDLINE_PARTS = ("pelvis", "spine", "chest", "neck", "head")
SIDED_PARTS = ("collar", "upper_arm", "forearm", "hand", "thigh", "shank", "foot", "toes")
BODY_PARTS: tuple[str, ...] = MIDLINE_PARTS + tuple(
    f"{side}_{part}" for side in ("left", "right") for part in SIDED_PARTS
)
"""Every body part that a joint can be mapped to."""

REQUIRED_PARTS: tuple[str, ...] = (
    "pelvis",
    "head",
    *(f"{side}_{part}" for side in ("left", "right") for part in ("upper_arm", "forearm", "thigh", "shank", "foot")),
)
"""Parts that a rig needs to be recognised as a person."""

# Base names are lower case without side, separators or namespace. `spine` is the lowest rotating joint of the
# back, `chest` the highest below the neck.
_LATIN = {
    "collar": "clavicle", "upper_arm": "humerus", "forearm": "radius ulna", "hand": "wrist hand",
    "thigh": "femur", "shank": "tibia", "foot": "foot talus", "toes": "toes",
}  # fmt: skip
_BUILDER = {
    "pelvis": "hips", "spine": "spine spine1", "chest": "spine4 spine3 spine2 spine1 chest", "neck": "neck",
    "head": "head", "collar": "shoulder", "upper_arm": "arm", "forearm": "forearm", "hand": "hand",
    "thigh": "upleg", "shank": "leg", "foot": "foot", "toes": "toebase toe",
}  # fmt: skip
_JOINTS = {
    "collar": "collar", "upper_arm": "shoulder", "forearm": "elbow", "hand": "wrist", "thigh": "hip",
    "shank": "knee", "foot": "ankle",
}  # fmt: skip

RIG_TABLES: dict[str, dict[str, str]] = {
    "gambol": {
        "pelvis": "pelvis", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head", "collar": "collar",
        "upper_arm": "upperarm", "forearm": "forearm", "hand": "hand", "thigh": "thigh", "shank": "shank",
        "foot": "foot", "toes": "toes",
    },
    "CMU (ASF)": _LATIN
    | {"pelvis": "root", "spine": "lowerback", "chest": "thorax", "neck": "lowerneck", "head": "head"},
    "CMU": _BUILDER | {"spine": "lowerback", "chest": "spine1"},
    "MotionBuilder": _BUILDER,
    "Rokoko": _BUILDER | {"thigh": "thigh", "shank": "shin"},
    "Xsens": _JOINTS
    | {"pelvis": "hips", "spine": "chest", "chest": "chest4 chest3 chest2", "neck": "neck", "head": "head"}
    | {"toes": "toe"},
    "Bandai-Namco": {
        "pelvis": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head",
        "collar": "shoulder", "upper_arm": "upperarm", "forearm": "lowerarm", "hand": "hand",
        "thigh": "upperleg", "shank": "lowerleg", "foot": "foot", "toes": "toes",
    },
    "SMPL": _JOINTS
    | {"pelvis": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head", "toes": "foot"},
    "OpenSim": _LATIN
    | {"pelvis": "pelvis groundpelvis", "spine": "lumbar back", "chest": "torso", "neck": "neck", "head": "head"}
    | {"foot": "talus calcn ankle", "upper_arm": "humerus acromial", "thigh": "femur hip", "shank": "tibia knee"},
    "Xsens MVN": {
        "pelvis": "pelvis", "spine": "l5 l3", "chest": "t8", "neck": "neck", "head": "head", "collar": "shoulder",
        "upper_arm": "upperarm", "forearm": "forearm", "hand": "hand", "thigh": "upperleg", "shank": "lowerleg",
        "foot": "foot", "toes": "toe",
    },
    "VRM": {
        "pelvis": "hips", "spine": "spine", "chest": "upperchest chest", "neck": "neck", "head": "head",
        "collar": "shoulder", "upper_arm": "upperarm", "forearm": "lowerarm", "hand": "hand", "thigh": "upperleg",
        "shank": "lowerleg", "foot": "foot", "toes": "toebase toe",
    },
    "Poser": {
        "pelvis": "hip hips", "spine": "abdomen", "chest": "chest", "neck": "neck", "head": "head",
        "collar": "collar", "upper_arm": "shldr", "forearm": "forearm", "hand": "hand", "thigh": "thigh buttock",
        "shank": "shin", "foot": "foot", "toes": "toe",
    },
    "ACCAD": {
        "pelvis": "hips", "spine": "chest spine", "chest": "chest1 chest2", "neck": "neck", "head": "head",
        "collar": "collar", "upper_arm": "uparm", "forearm": "lowarm", "hand": "hand", "thigh": "upleg",
        "shank": "lowleg", "foot": "foot", "toes": "toe toebase",
    },
    "Rigify": {
        "pelvis": "spine", "spine": "spine001", "chest": "spine003", "neck": "spine004", "head": "spine006",
        "collar": "shoulder", "upper_arm": "upperarm", "forearm": "forearm", "hand": "hand", "thigh": "thigh",
        "shank": "shin", "foot": "foot", "toes": "toe",
    },
    "Unreal": {
        "pelvis": "pelvis", "spine": "spine01", "chest": "spine05 spine04 spine03", "neck": "neck01",
        "head": "head", "collar": "clavicle", "upper_arm": "upperarm", "forearm": "lowerarm", "hand": "hand",
        "thigh": "thigh", "shank": "calf", "foot": "foot", "toes": "ball",
    },
    "Biped": {
        "pelvis": "pelvis hips", "spine": "spine", "chest": "spine3 spine2 spine1", "neck": "neck", "head": "head",
        "collar": "clavicle shoulder", "upper_arm": "upperarm", "forearm": "forearm", "hand": "hand",
        "thigh": "thigh", "shank": "calf shin", "foot": "foot", "toes": "toe0 toe",
    },
}  # fmt: skip

_NAMESPACE = re.compile(
    r"^(mixamorig\d*|character\d*|bip\d+|skel|[mf]_avg|joint|jnt|def|j_bip_c|j_bip)[_ .-]+", re.IGNORECASE
)
_SIDES = {"l": "left", "r": "right", "left": "left", "right": "right"}
_LATIN_BASES = {base for names in _LATIN.values() for base in names.split()} | {
    "hipjoint",
    "fingers",
    "thumb",
}


def split_side(name: str) -> tuple[str, str]:
    """Split a joint's name into its side ('left', 'right' or '') and its base name.

    >>> side_and_base("mixamorig:LeftUpLeg"), side_and_base("UpperArm_R"), side_and_base("lfemur")
    (('left', 'upleg'), ('right', 'upperarm'), ('left', 'femur'))
    """
    short = re.split(r"[:|]", name.strip())[-1]
    stripped = _NAMESPACE.sub("", short)
    short = stripped if stripped else short
    for pattern in (
        r"^(?i:(?P<side>left|right))[_ .-]*(?P<base>.+)$",
        r"^(?P<base>.+?)[_ .-]*(?i:(?P<side>left|right))$",
        r"^(?i:(?P<side>[lr]))[_ .-]+(?P<base>.+)$",
        r"^(?P<base>.+?)[_ .-]+(?i:(?P<side>[lr]))$",
        r"^(?P<side>[LRlr])(?P<base>[A-Z].+)$",
        rf"^(?P<side>[lr])(?P<base>{'|'.join(sorted(_LATIN_BASES))})$",
    ):
        if found := re.match(pattern, short):
            return _SIDES[found["side"].lower()], _bare(found["base"])
    return "", _bare(short)


def _bare(text: str) -> str:
    return re.sub(r"[_ .-]", "", text).lower()


def match_table(names: tuple[str, ...], table: dict[str, str]) -> dict[str, int]:
    """Return the parts of a table found among joint names, as indices; a joint gets one part only."""
    index: dict[tuple[str, str], int] = {}
    for joint, name in enumerate(names):
        index.setdefault(split_side(name), joint)
    found: dict[str, int] = {}
    for part in BODY_PARTS:
        side, _, base = part.partition("_") if part not in MIDLINE_PARTS else ("", "", part)
        for alternative in table.get(base, "").split():
            joint = index.get((side, alternative), -1)
            if joint >= 0 and joint not in found.values():
                found[part] = joint
                break
    return found
