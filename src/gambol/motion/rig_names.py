"""Joint names of common rigs, and matching them to body parts.

Each part lists alternative names, the preferred one first. The CMU names (ASF and BVH) were tested on real files; those
of the other systems were not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from gambol.errors import make_printable

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
JOINT_NAMES = {
    "collar": "collar", "upper_arm": "shoulder", "forearm": "elbow", "hand": "wrist", "thigh": "hip",
    "shank": "knee", "foot": "ankle",
}  # fmt: skip

_COMMON = {
    "pelvis": "hips pelvis hip cog", "spine": "spine spine0 spine01 spine1 waist abdomen stomach torso lowerback body",
    "chest": "upperchest chest spine3 spine03 spine2 spine02 thorax torso upperbody spine1 ribcage",
    "neck": "neck neck1 neck01 necktwist01", "head": "head skull",
    "upper_arm": "upperarm uparm armupper arm1 arm01 humerus shldr arm bicep",
    "forearm": "forearm lowerarm lowarm armlower arm2 arm02 elbow radius",
    "hand": "hand wrist palm fist", "thigh": "thigh upperleg upleg legupper leg1 leg01 femur hip",
    "shank": "shank shin calf lowerleg lowleg leglower leg2 leg02 knee tibia leg",
    "foot": "foot ankle foot1 foot01", "toes": "toes toe toebase ball foot2 foot02",
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
    "Xsens": JOINT_NAMES
    | {"pelvis": "hips", "spine": "chest", "chest": "chest4 chest3 chest2", "neck": "neck", "head": "head"}
    | {"toes": "toe"},
    "Bandai-Namco": {
        "pelvis": "hips", "spine": "spine", "chest": "chest", "neck": "neck", "head": "head",
        "collar": "shoulder", "upper_arm": "upperarm", "forearm": "lowerarm", "hand": "hand",
        "thigh": "upperleg", "shank": "lowerleg", "foot": "foot", "toes": "toes",
    },
    "SMPL": JOINT_NAMES
    | {"pelvis": "pelvis", "spine": "spine1", "chest": "spine3", "neck": "neck", "head": "head", "toes": "foot"},
    "OpenSim": _LATIN
    | {"pelvis": "pelvis groundpelvis", "spine": "lumbar back", "chest": "torso", "neck": "neck", "head": "head"}
    | {"foot": "talus calcn ankle", "upper_arm": "humerus acromial", "thigh": "femur hip", "shank": "tibia knee"}
    | {"forearm": "ulna radius elbow"},
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
    "Kinect": JOINT_NAMES
    | {"pelvis": "spinebase hipcenter pelvis", "spine": "spinemid spine spinenaval spinenavel"}
    | {"chest": "spineshoulder shouldercenter spinechest", "neck": "neck", "head": "head"}
    | {"collar": "clavicle", "toes": "foot"},
}  # fmt: skip
COMMON_TABLES: tuple[dict[str, str], ...] = (
    _COMMON | {"collar": "clavicle collar shoulder"},
    _COMMON | {"collar": "clavicle collar", "upper_arm": "shoulder"},
)
"""Names that many rigs use, in no particular combination; a shoulder is a collar, or an upper arm."""

_NAMESPACE = re.compile(
    r"^(mixamorig\d*|character\d*|bip\d+|skel|[mf]_avg|joint|jnt|def|j_bip_c|j_bip)[_ .-]+", re.IGNORECASE
)
_SIDES = {"l": "left", "r": "right", "left": "left", "right": "right"}
_NEARLY_ALL, _FEW = 0.8, 4
"""Share of the joints, and their number, that have a prefix or a number which is not part of their names."""
_NUMBERED = re.compile(r"^(?P<base>.*[^_\W\d].*)_(?P<number>\d{1,4})$")
_PREFIX = re.compile(r"^(?P<head>[^_ .-]*[_ .-]+)(?=.)")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_END = re.compile(r"(?i)(end|site|tip|nub)\d*$")
_HELPER_WORDS = {
    "ik", "fk", "pole", "target", "targets", "ctrl", "ctl", "control", "controller", "controls", "helper", "twist",
    "roll", "slot", "handslot", "socket", "effector", "locator", "aim", "mch", "wgt", "dummy", "attach",
    "patella",
}  # fmt: skip
_LATIN_BASES = {base for names in _LATIN.values() for base in names.split()} | {
    "hipjoint",
    "fingers",
    "thumb",
}


_SIDED_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        r"^(?i:(?P<side>left|right))[_ .-]*(?P<base>.+)$",
        r"^(?P<base>.+?)[_ .-]*(?i:(?P<side>left|right))$",
        r"^(?i:(?P<side>[lr]))[_ .-]+(?P<base>.+)$",
        r"^(?P<base>.+?)[_ .-]+(?i:(?P<side>[lr]))$",
        r"^(?P<base>.+?)[_ .-]+(?i:(?P<side>left|right|l|r))[_ .-]+(?P<rest>.+)$",
        r"^(?P<side>[LRlr])(?P<base>[A-Z].+)$",
        rf"^(?P<side>[lr])(?P<base>{'|'.join(sorted(_LATIN_BASES))})$",
        r"^(?P<base>.*[a-z])(?P<side>[LR])$",
        r"^(?P<base>.*[a-z])(?P<side>Left|Right)(?P<rest>[A-Z].*)$",
    )
)


def quote_name(name: str) -> str:
    """Return a name from a file in double quotes, as YAML reads it, in printable characters."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{make_printable(escaped)}"'


@lru_cache(maxsize=10_000)
def split_side(name: str) -> tuple[str, str]:
    """Split a joint's name into its side ('left', 'right' or '') and its base name.

    >>> split_side("mixamorig:LeftUpLeg"), split_side("UpperArm_R"), split_side("leg_joint_L_1")
    (('left', 'upleg'), ('right', 'upperarm'), ('left', 'legjoint1'))
    """
    short = re.split(r"[:|]", name.strip())[-1]
    stripped = _NAMESPACE.sub("", short)
    short = stripped if stripped else short
    for pattern in _SIDED_NAMES:
        if found := pattern.match(short):
            return _SIDES[found["side"].lower()], _bare(found["base"] + found.groupdict().get("rest", ""))
    return "", _bare(short)


def strip_decoration(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without what an exporter put before or behind all of them.

    That is a prefix up to a separator (`CC_Base_`), or a number of its own for every joint (`_01`, `_02`).
    """
    found = [_NUMBERED.match(name) for name in names]
    numbers = [match["number"] for match in found if match]
    if len(numbers) >= _NEARLY_ALL * len(names) and len(set(numbers)) == len(numbers) > _FEW:
        names = [match["base"] if match else name for name, match in zip(names, found, strict=True)]
    heads = Counter(match["head"] for name in names if (match := _PREFIX.match(name)))
    while heads and (most := heads.most_common(1)[0])[1] >= max(_NEARLY_ALL * len(names), _FEW):
        if _SIDES.get(most[0].strip("_ .-").lower()):
            break
        names = [name.removeprefix(most[0]) or name for name in names]
        heads = Counter(match["head"] for name in names if (match := _PREFIX.match(name)))
    return tuple(names)


def find_helpers(names: Sequence[str], parents: Sequence[int]) -> frozenset[int]:
    """Return the joints that control, twist or carry something and are no body parts.

    They are known by their names (IK targets, poles, controls, slots), and have nothing else below them.
    """
    helpers = {joint for joint, name in enumerate(names) if _HELPER_WORDS & {w.lower() for w in _WORDS.findall(name)}}
    for joint in reversed(range(len(names))):
        parent = parents[joint]
        if parent in helpers and joint not in helpers and not _END.search(names[joint]):
            helpers.discard(parent)
    for joint, parent in enumerate(parents):
        if parent in helpers:
            helpers.add(joint)
    return frozenset(helpers)


def _bare(text: str) -> str:
    return re.sub(r"[_ .-]", "", text).lower()


def match_table(names: tuple[str, ...], table: dict[str, str], helpers: frozenset[int] = frozenset()) -> dict[str, int]:
    """Return the parts of a table found among joint names, as indices; a joint gets one part only, a helper none."""
    index: dict[tuple[str, str], int] = {}
    for joint, name in enumerate(names):
        if joint not in helpers:
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
