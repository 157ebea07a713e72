"""Find landmarks and body parts of markers from their names in the common marker sets.

One table serves reading (which way is up), fitting and gait events. Sets: Plug-in-Gait and Helen Hayes (Vicon, Motion
Analysis), CMU, OptiTrack and Qualisys skeletons, those of OpenSim's models, and the bony landmarks of van Sint Jan,
which follow the ISB. Only the sets in `tests/motion/test_marker_names.py` that come from files were tested on files.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gambol.errors import InputError, make_printable
from gambol.motion.rig_names import quote_name

# Landmark, part of the body, and the names without side and separators, the preferred first. Rows without a landmark
# hold markers that say which part they are on and no more, such as those of clusters.
_MIDLINE = (
    ("sacrum", "pelvis", "S2 SACR SACRAL SACRUM VSAC VSACRAL S1 WAISTBACK WAISTCBACK"),
    ("", "pelvis", "MIDASIS MIDPSIS MASIS MPSIS PV1 PV2 PV3 PV4 WAIST ROOT"),
    ("", "spine", "L1 L2 L3 L4 L5 T12 LV1 LV3 LV5 TV12"),
    ("vertebra", "chest", "C7 CV7 BACKTOP SPINETOP"),
    ("breastbone", "chest", "CLAV IJ SJN CHESTTOP JUGULARNOTCH INCISURAJUGULARIS SUPRASTERNALE STERNUM"),
    ("", "chest", "T1 T2 T3 T4 T5 T6 T7 T8 T9 T10 T11 TV2 TV7 TV8 TV10 STRN MIDCLAVICLE PX SXS XIPHOID TR1 TR2 TR3 "
     "CHEST CHESTLOW OFFSET"),
    ("", "head", "HEAD HEADFRONT HEADTOP HEADREAR HEADBACK HEADSIDE TOPHEAD FRONTHEAD REARHEAD FOREHEAD VERTEX SGL"),
)  # fmt: skip
_SIDED = (
    ("asis", "pelvis", "ASIS ASI IAS WAISTFRONT FWT FRONTWAIST"),
    ("psis", "pelvis", "PSIS PSI IPS WAISTBACK BWT BACKWAIST"),
    ("", "pelvis", "ILIACCREST ILIAC ICT HIP WAIST"),
    ("", "chest", "BAK BAC BACK OFF CLAVICLE SCAPULA SCAP SCAPULARSPINE CLAV"),
    ("head_front", "head", "FHD FRONTHEAD HEADFRONT"),
    ("head_back", "head", "BHD BACKHEAD HEADBACK"),
    ("", "head", "HEAD EAR TEMPLE"),
    ("shoulder", "collar", "SHOULDER SHO ACR ACROMION ACROMIUM SHOULDERTOP CAJ AC"),
    ("", "collar", "ASH PSH SHOULDERBACK SHOULDERFRONT"),
    ("elbow", "upper_arm", "ELBOW ELB ELBL ELBOWLATERAL ELBOWLAT LELBOW ELBOWOUT LEL HLE LATERALEPICONDYLE"),
    ("elbow_in", "upper_arm", "ELBOWMEDIAL ELBOWMED MELBOW MELB ELBM ELBIN ELBOWIN MEL HME MEDIALEPICONDYLE"),
    ("shoulder_center", "upper_arm", "SJC SHOULDERJOINT SHOULDERCENTER"),
    ("elbow_center", "upper_arm", "EJC ELBOWJOINT ELBOWCENTER"),
    ("", "upper_arm", "UPA UARM UPPERARM ARM BICEPS BICEP TRICEPS UARMHIGH UA1 UA2 UA3"),
    ("wrist", "forearm", "WRIST WRA WRI WRISTLATERAL WRISTLAT LWRIST WRISTOUT RADIUS FARADIUS RSP RADIALSTYLOID"),
    ("wrist_in", "forearm", "WRB WRISTMEDIAL WRISTMED MWRIST WRISTIN ULNA FAULNA USP ULNARSTYLOID"),
    ("wrist_center", "forearm", "WJC WRISTJOINT WRISTCENTER"),
    ("", "forearm", "FRA FRM FARM FOREARM FASUPERIOR FA1 FA2 FA3"),
    ("", "hand", "FIN FINGER HAND HND KNUCKLE MC2 MC3 MC5 HM2 HM5 HANDOUT HANDIN THM THUMB INDEX2 INDEX PINKY"),
    ("knee", "thigh", "KNEE KNE LFC KNEELATERAL KNEELAT KNEEOUT LFE FLE LEP LE LKNEE"),
    ("knee_in", "thigh", "KNEEMEDIAL KNEEMED MFC KNM KNE2 KNEIN KNEM KNEEIN MKNE MKNEE MFE FME MEP ME"),
    ("knee_center", "thigh", "KJC KNEEJOINT KNEECENTER"),
    ("", "thigh", "THI THIGH TH TH1 TH2 TH3 TH4 GTR GT FTC TROCH TROCHANTER THIGHUPPER THIGHFRONT THIGHREAR "
     "THIGHFRONTLOW HJC HIPCENTER HIPJOINT"),
    ("ankle", "shank", "ANKLE ANK LMAL ANKLELATERAL ANKLELAT ANKLEOUT FAL LM LANKLE LATERALMALLEOLUS"),
    ("ankle_in", "shank", "ANKLEMEDIAL ANKLEMED MMAL MED ANK2 ANKIN ANKM ANKLEIN MANK MANKLE TAM MM MEDIALMALLEOLUS"),
    ("ankle_center", "shank", "AJC ANKLEJOINT ANKLECENTER"),
    ("", "shank", "TIB TIBIA TB1 TB2 TB3 TB4 SHA SHANK SHN SHIN SH1 SH2 SH3 SH4 SK1 SK2 SK3 SK4 HF TT TTC FAX FIB "
     "SHANKUPPER SHANKFRONT SHANKREAR SHINFRONTHIGH"),
    ("heel", "foot", "HEEL HEE CAL CALC CALCANEUS FCC CA HEELBACK"),
    ("toe", "foot", "TOE MT2 MTP2 FM2 2META SMH SM FOREFOOT2 MT3 TOETIP BIGTOE TOE1 MT1 MTP1 FM1 TOEIN TOEMED VMH FMH "
     "FM HALLUX HLX FOREFOOTIN"),
    ("ball_out", "foot", "MT5 MTP5 FM5 5META TOEOUT TOELAT D5M VM TOE5 FOREFOOTOUT FOREFOOT5"),
    ("", "foot", "FOO FOOT FT1 FT2 FT3 P5M D1M P1M NAV MIDFOOT MIDFOOTSUP MIDFOOTLAT"),
)  # fmt: skip
_METATARSALS = {"MT1", "MT2", "MT3", "MT5", "MTP1", "MTP5"}
_TOES = {"HLX", "HALLUX", "BIGTOE", "TOETIP"}
_SIDES = (("LEFT", "left"), ("RIGHT", "right"), ("L", "left"), ("R", "right"))
_INSIDE = re.compile(r"(WAIST|HEAD)(LEFT|RIGHT|L|R)(FRONT|BACK)")
"""Names with the side in the middle, as OptiTrack's WaistLFront."""
_SHORTEST_BEFORE_SIDE = 4
"""Characters that a name must have before a side at its end that no separator precedes: HEEL is not the left HEE."""
_APPENDED = (r"$", r"_(\d+|study)$", r"v$")
"""What is appended to names: nothing; _2, _3... by readers to repeated ones, _study by OpenCap; v to virtual copies."""
_COPY = 100
"""Added to the rank of names with something appended: originals are preferred."""
NEEDED_LANDMARKS = ("asis", "knee", "ankle", "toe")
"""Landmarks that both sides need for a person to be fitted, besides psis or the sacrum."""


class _Entry(NamedTuple):
    landmark: str
    part: str
    rank: int


class _Label(NamedTuple):
    """A marker's name, taken apart."""

    subject: str
    side: str
    plain: str
    entry: _Entry


def _index(rows: Iterable[tuple[str, str, str]]) -> dict[str, _Entry]:
    return {
        name: _Entry(landmark, part, rank) for landmark, part, names in rows for rank, name in enumerate(names.split())
    }


_ALONE, _ON_A_SIDE = _index(_MIDLINE), _index(_SIDED)
LANDMARKS: tuple[str, ...] = tuple(dict.fromkeys(row[0] for row in _MIDLINE if row[0])) + tuple(
    f"{side}_{landmark}" for side in ("left", "right") for landmark in dict.fromkeys(row[0] for row in _SIDED if row[0])
)
"""Every landmark that a marker can be mapped to."""


def find_marker_parts(names: Iterable[str]) -> dict[str, str]:
    """Return the body part of every marker with a known name, e.g. {"R.Knee": "right_thigh"}.

    A marker on a joint belongs to the part above it: knees to the thigh, ankles to the shank.
    """
    labels = {name: label for name in names if (label := _take_apart(name)) is not None}
    # Sets with metatarsal markers put "toe" on the toe; those without (Plug-in-Gait) put it on the head of the
    # second metatarsal, which moves with the foot.
    toes = _TOES | ({"TOE"} if any(label.plain in _METATARSALS for label in labels.values()) else set())
    parts = {}
    for name, (_, side, plain, entry) in labels.items():
        part = "toes" if side and plain in toes else entry.part
        parts[name] = part if not side or part in ("pelvis", "chest", "head") else f"{side}_{part}"
    return parts


def find_landmarks(names: Iterable[str], mapping: Mapping[str, str] | None = None) -> dict[str, tuple[str, ...]]:
    """Return the markers of every landmark ("left_knee", "sacrum"...) that has any, the preferred first.

    `mapping` names the marker of a landmark where the names are not known; it has precedence. Of several subjects, the
    one with most landmarks is used.
    """
    known = list(names)
    labels = {name: label for name in known if (label := _take_apart(name)) is not None and label.entry.landmark}
    counts = Counter(label.subject for label in labels.values() if label.subject)
    subject = max(counts, key=lambda name: counts[name]) if counts else ""
    found: dict[str, list[tuple[int, str]]] = {}
    for name, label in labels.items():
        if label.subject in ("", subject):
            key = f"{label.side}_{label.entry.landmark}" if label.side else label.entry.landmark
            found.setdefault(key, []).append((label.entry.rank, name))
    chosen = {landmark: tuple(name for _, name in sorted(ranked)) for landmark, ranked in found.items()}
    for landmark, name in (mapping or {}).items():
        if landmark not in LANDMARKS:
            raise InputError(f"unknown landmark '{landmark}'", fix=f"landmarks: {', '.join(LANDMARKS)}")
        if name not in known:
            raise InputError(f"no marker '{name}' for {landmark}", fix=f"markers: {', '.join(known)}")
        chosen[landmark] = (name,)
    return chosen


def format_marker_template(names: Iterable[str]) -> str:
    """Return the text of a mapping file to fill in: every landmark, known markers, and the markers to choose from."""
    known = list(names)
    found = find_landmarks(known)
    lines = [
        "# Landmark: marker. Fill in those marked 'needed', and psis on both sides or the sacrum.",
        "# Others may stay empty. _in is the inner side of a joint, _center its centre.",
        "",
    ]
    for landmark in LANDMARKS:
        guess = f" {quote_name(found[landmark][0])}" if landmark in found else ""
        needed = landmark.partition("_")[2] in NEEDED_LANDMARKS and not guess
        lines.append(f"{landmark}:{guess}" + ("  # needed" if needed else ""))
    return "\n".join([*lines, "", "# Markers of this file:", *(f"#   {make_printable(name)}" for name in known), ""])


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


def list_marker_names(landmark: str) -> list[str]:
    """Return the names of a landmark without side, the preferred first, for messages."""
    return [name for row in (*_MIDLINE, *_SIDED) if row[0] == landmark for name in row[2].split()]


def _take_apart(name: str) -> _Label | None:
    """Return subject, side and landmark of "Ann:R.Knee" or "Ann_RKNE"; None where the name is not known."""
    subject, _, own = name.rpartition(":")
    for appended in _APPENDED:
        text = re.sub(appended, "", own, flags=re.IGNORECASE)
        words = [word for word in re.split(r"[^A-Za-z0-9]+", text.upper()) if word]
        for first in range(len(words)):
            side, plain = _split_side(words[first:])
            entry = (_ON_A_SIDE if side else _ALONE).get(plain)
            if entry is not None:
                entry = entry._replace(rank=entry.rank + (_COPY if text != own else 0))
                return _Label(":".join((subject, *words[:first])).strip(":"), side, plain, entry)
    return None


def _split_side(words: list[str]) -> tuple[str, str]:
    """Return the side and the name without it; midline and unknown names have no side."""
    whole = "".join(words)
    if whole in _ALONE:
        return "", whole
    sides = dict(_SIDES)
    if inside := _INSIDE.fullmatch(whole):
        return sides[inside[2]], inside[1] + inside[3]
    for spelling, side in _SIDES:
        rest = whole.removeprefix(spelling)
        if rest != whole and rest in _ON_A_SIDE:
            return side, rest
    if words[-1] in sides and "".join(words[:-1]) in _ON_A_SIDE:
        return sides[words[-1]], "".join(words[:-1])
    for spelling, side in _SIDES:
        rest = whole.removesuffix(spelling)
        if rest != whole and len(rest) >= _SHORTEST_BEFORE_SIDE and rest in _ON_A_SIDE:
            return side, rest
    return "", whole
