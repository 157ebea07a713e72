"""Find the body part a marker is attached to from its name in the common marker sets."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MIDLINE = {
    "pelvis": "SACR SACRUM VSAC VSACRAL S1 S2 MIDASIS MIDPSIS MASIS MPSIS PV1 PV2 PV3 PV4",
    "spine": "L1 L2 L3 L4 L5 T12",
    "chest": "C7 T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 STRN STERNUM CLAV MIDCLAVICLE IJ PX XIPHOID TR1 TR2 TR3",
    "head": "HEAD HEADFRONT HEADTOP TOPHEAD FOREHEAD VERTEX",
}
_SIDED_MIDLINE = {
    "pelvis": "ASI ASIS PSI PSIS ILIACCREST ILIAC ICT HIP",
    "chest": "BAK OFF CLAVICLE SCAPULA SCAP",
    "head": "FHD BHD HEAD EAR TEMPLE",
}
_SIDED = {
    "collar": "SHO SHOULDER ACR ACROMION",
    "upper_arm": "UPA UARM UPPERARM BICEPS TRICEPS ELB ELBOW ELBL ELBM MELB MELBOW ELBOWMEDIAL ELBOWLATERAL",
    "forearm": "FRA FRM FARM FOREARM WRA WRB WRI WRIST WRISTMEDIAL WRISTLATERAL RADIUS ULNA",
    "hand": "FIN FINGER HAND HND KNUCKLE MC2 MC3 MC5",
    "thigh": "THI THIGH TH TH1 TH2 TH3 TH4 GTR TROCH KNE KNEE KNEIN KNEM KNEEIN MKNE MKNEE KNEEMEDIAL "
    "KNEELATERAL LFC MFC LFE MFE LEP MEP HJC HIPCENTER KJC KNEEJOINT",
    "shank": "TIB TIBIA TB1 TB2 TB3 TB4 SHA SHANK SH1 SH2 SH3 SH4 SK1 SK2 SK3 SK4 HF TT FIB ANK ANKLE ANKIN "
    "ANKM MANK MANKLE ANKLEMEDIAL ANKLELATERAL LMAL MMAL LM MM AJC ANKLEJOINT",
    "foot": "HEE HEEL CAL CALC CALCANEUS FOO FOOT FT1 FT2 FT3 MT1 MT2 MT3 MT5 MTP1 MTP5 D5M P5M D1M P1M SMH "
    "FMH VMH NAV MIDFOOT",
    "toes": "HLX HALLUX BIGTOE TOETIP",
}


def _by_name(table: dict[str, str]) -> dict[str, str]:
    return {name: part for part, names in table.items() for name in names.split()}


_ALONE, _ON_A_SIDE, _OF_A_SIDE = map(_by_name, (_MIDLINE, _SIDED_MIDLINE, _SIDED))
_METATARSALS = {"MT1", "MT2", "MT3", "MT5", "MTP1", "MTP5"}


def find_marker_parts(names: Iterable[str]) -> dict[str, str]:
    """Return the body part of every marker with a known name, e.g. {"R.Knee": "right_thigh"}.

    A marker on a joint belongs to the part above it: knees to the thigh, ankles to the shank.
    """
    split = {name: _side_and_rest(name) for name in names}
    # Sets with metatarsal markers put "toe" on the toe; those without (Plug-in-Gait) put it on the head of the
    # second metatarsal, which moves with the foot.
    toe = "toes" if any(rest in _METATARSALS for _, rest in split.values()) else "foot"
    found = {name: _part(side, rest, toe) for name, (side, rest) in split.items()}
    return {name: part for name, part in found.items() if part is not None}


def make_unique(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the labels with _2, _3... appended to repeated ones."""
    taken: dict[str, None] = {}
    for label in labels:
        name, count = label, 1
        while name in taken:
            count += 1
            name = f"{label}_{count}"
        taken[name] = None
    return tuple(taken)


def _part(side: str, rest: str, toe: str) -> str | None:
    if not side:
        return _ALONE.get(rest)
    if rest in _ON_A_SIDE:
        return _ON_A_SIDE[rest]
    part = toe if rest == "TOE" else _OF_A_SIDE.get(rest)
    return None if part is None else f"{side}_{part}"


def _side_and_rest(name: str) -> tuple[str, str]:
    """Split "Subject:R.Knee" into ("right", "KNEE"); midline and unknown names have no side."""
    own = name.rpartition(":")[2].upper()
    # Readers append _2, _3... to repeated names.
    for spelling in (own, re.sub(r"_\d+$", "", own)):
        plain = re.sub(r"[^A-Z0-9]", "", spelling)
        if plain in _ALONE:
            return "", plain
        for prefix, side in (("LEFT", "left"), ("RIGHT", "right"), ("L", "left"), ("R", "right")):
            rest = plain.removeprefix(prefix)
            if rest != plain and (rest == "TOE" or rest in _ON_A_SIDE or rest in _OF_A_SIDE):
                return side, rest
    return "", ""
