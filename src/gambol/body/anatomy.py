"""Assemble the human body of YL08 (section 4): 18 bodies, 6 degrees of freedom at the root, 24 above, 12 below.

Joints are hinges (knee, elbow), saddle joints (lumbar spine, collar, wrist, ankle) and ball joints (hip, shoulder,
chest, head) about anatomical axes. In the rest pose the body stands with the arms hanging and the palms facing in;
every joint's frame has x forward, y left, z up. Flexion, abduction and outward rotation are positive. The joint limits
are our own choice, and wide.
"""

from __future__ import annotations

import numpy as np

from gambol.body.anthropometry import Anthropometry, SegmentShares
from gambol.body.build import Build
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Dof, Skeleton, Vector

_Turn = tuple[Vector, float, float]
_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_FREE = 10_000.0

# Axis and limits in degrees, for the left side of paired parts; the right side mirrors x and z.
_TURNS: dict[str, tuple[_Turn, ...]] = {
    "pelvis": ((_Z, -_FREE, _FREE), (_Y, -_FREE, _FREE), (_X, -_FREE, _FREE)),
    "spine": ((_Y, -40, 85), (_X, -45, 45)),
    "chest": ((_Y, -40, 60), (_X, -45, 45), (_Z, -65, 65)),
    "head": ((_Z, -95, 95), (_Y, -75, 75), (_X, -60, 60)),
    "collar": ((_X, -30, 60), (_Z, -45, 45)),
    "upper_arm": (((0.0, -1.0, 0.0), -110, 200), (_X, -80, 190), (_Z, -130, 130)),
    "forearm": (((0.0, -1.0, 0.0), -15, 165),),
    "hand": (((-1.0, 0.0, 0.0), -95, 95), ((0.0, -1.0, 0.0), -60, 60)),
    "thigh": (((0.0, -1.0, 0.0), -50, 150), (_X, -50, 95), (_Z, -75, 75)),
    "shank": ((_Y, -12, 165),),
    "foot": (((0.0, -1.0, 0.0), -75, 50), ((-1.0, 0.0, 0.0), -50, 50)),
    "toes": (((0.0, -1.0, 0.0), -60, 95),),
}
_ARM = (("collar", "chest"), ("upper_arm", "collar"), ("forearm", "upper_arm"), ("hand", "forearm"))
_LEG = (("thigh", "pelvis"), ("shank", "thigh"), ("foot", "shank"))
_TREE = (
    ("pelvis", ""), ("spine", "pelvis"), ("chest", "spine"), ("head", "chest"),
    *((f"{s}_{part}", parent if parent in ("chest", "pelvis") else f"{s}_{parent}")
      for limb in (_ARM, _LEG) for s in ("left", "right") for part, parent in limb),
)  # fmt: skip
_TRUNK_PARTS = {"pelvis": (0.0, 0.2416), "spine": (0.2416, 0.5986), "chest": (0.5986, 1.0)}
"""Where the table's lower, middle and upper trunk begin and end, as shares of the distance from hips to neck (de Leva's
men)."""
_COLLAR = 0.1
"""Share of the upper trunk's mass that moves with each collar."""


def assemble_human(build: Build, mass: float, table: Anthropometry, toes: bool) -> tuple[Skeleton, Array, Array, Array]:
    """Return skeleton, masses (joints,), centres of mass (joints, 3) and inertias (joints, 3, 3) of a person.

    `mass` is the total in kg. Segment quantities are in the frames of their joints, as in `Character`.
    """
    if not 0.0 < mass < 500.0:
        raise InputError(f"mass {mass} kg is outside 0 to 500 kg", fix="give the mass in kilograms")
    tree = [(part, parent) for part, parent in _TREE for part, parent in _with_toes(part, parent, toes)]
    names, parents, offsets, ends = _joints(build, tree)
    dofs = [Dof(0, "slide", axis) for axis in (_X, _Y, _Z)]
    for joint, label in enumerate(names):
        dofs += [Dof(joint, "turn", axis, *np.radians(limits)) for axis, *limits in _turns_of(label)]
    skeleton = Skeleton(names, parents, offsets, tuple(dofs), ends=ends)
    segments = {part: _segment(part, build, table, toes) for part, _ in tree}
    scale = mass / sum(m for m, _, _ in segments.values())
    masses, centers, inertias = np.zeros(len(names)), np.zeros((len(names), 3)), np.zeros((len(names), 3, 3))
    for part, (share, center, radii) in segments.items():
        joint = names.index(part)
        masses[joint] = share * scale
        centers[joint] = center
        inertias[joint] = np.diag(masses[joint] * radii**2)
    return skeleton, masses, centers, inertias


def _with_toes(part: str, parent: str, toes: bool) -> list[tuple[str, str]]:
    side, _, base = part.partition("_")
    return [(part, parent), (f"{side}_toes", part)] if toes and base == "foot" else [(part, parent)]


def _joints(
    build: Build, tree: list[tuple[str, str]]
) -> tuple[tuple[str, ...], tuple[int, ...], Array, frozenset[int]]:
    """Return names, parents, offsets and ends in depth-first order; tips follow their parts and have no dofs."""
    names: list[str] = []
    parents: list[int] = []
    offsets: list[Array] = []
    ends: set[int] = set()
    for part, parent in tree:
        names.append(part)
        parents.append(names.index(parent) if parent else -1)
        offsets.append(build.tips[part.replace("toes", "ball")] if part.endswith("toes") else build.offsets[part])
        has_toes = (part.replace("foot", "toes"), part) in tree
        for tip in _tips_of(part, has_toes):
            ends.add(len(names))
            names.append(f"{tip}_tip")
            parents.append(names.index(part))
            from_ball = build.tips[part.replace("toes", "ball")] if part.endswith("toes") else np.zeros(3)
            offsets.append(build.tips[tip] - from_ball)
    return tuple(names), tuple(parents), np.array(offsets), frozenset(ends)


def _tips_of(part: str, has_toes: bool) -> list[str]:
    side, _, base = part.partition("_")
    points = {"hand": [part], "toes": [f"{side}_toe"]}
    points["foot"] = [f"{side}_heel", f"{side}_ball"] + ([] if has_toes else [f"{side}_toe"])
    return ["head"] if part == "head" else points.get(base, [])


def _turns_of(label: str) -> list[_Turn]:
    if label.endswith("_tip"):
        return []
    if not label.startswith(("left_", "right_")):
        return list(_TURNS[label])
    mirror = -1.0 if label.startswith("right_") else 1.0
    base = label.partition("_")[2]
    return [((mirror * x, y, mirror * z), low, high) for (x, y, z), low, high in _TURNS[base]]


def _segment(part: str, build: Build, table: Anthropometry, toes: bool) -> tuple[float, Array, Array]:
    """Return share of mass, centre and radii of gyration (x, y, z) of a body, in its joint's frame."""
    side, _, base = part.partition("_")
    if part in _TRUNK_PARTS:
        return _trunk_segment(part, build, table)
    if part == "head":
        share = table.shares["head"]
        length = float(build.tips["head"][2])
        return share.mass, np.array([0.0, 0.0, share.center * length]), _radii(share, length)
    if base == "collar":
        bone = build.offsets[f"{side}_upper_arm"]
        chest = table.shares["chest"]
        return _COLLAR * chest.mass, 0.5 * bone, np.full(3, 0.3 * float(np.linalg.norm(bone)))
    if base in ("foot", "toes"):
        return _foot_segment(side, base, build, table, toes)
    share = table.shares[base]
    bone = build.tips[part] if base == "hand" else build.offsets[f"{side}_{_NEXT[base]}"]
    length = float(np.linalg.norm(bone))
    return share.mass, share.center * bone + [share.forward * length, 0.0, 0.0], _radii(share, length)


_NEXT = {"upper_arm": "forearm", "forearm": "hand", "thigh": "shank", "shank": "foot"}


def _trunk_segment(part: str, build: Build, table: Anthropometry) -> tuple[float, Array, Array]:
    heights = np.cumsum([0.0] + [float(build.offsets[p][2]) for p in ("spine", "chest", "head")])
    ahead = np.cumsum([0.0] + [float(build.offsets[p][0]) for p in ("spine", "chest", "head")])
    low, high = (share * heights[-1] for share in _TRUNK_PARTS[part])
    share = table.shares[part]
    mass = share.mass * (1.0 - 2.0 * _COLLAR) if part == "chest" else share.mass
    center = high - share.center * (high - low)
    joint = heights[("pelvis", "spine", "chest").index(part)]
    forward = float(np.interp(center, heights, ahead) - np.interp(joint, heights, ahead))
    forward += share.forward * float(heights[-1] - heights[1])
    return mass, np.array([forward, 0.0, center - joint]), _radii(share, high - low)


def _foot_segment(side: str, base: str, build: Build, table: Anthropometry, toes: bool) -> tuple[float, Array, Array]:
    heel, ball, toe = (build.tips[f"{side}_{tip}"] for tip in ("heel", "ball", "toe"))
    share = table.shares["foot"]
    length = float(toe[0] - heel[0])
    whole = heel + (toe - heel) * share.center + [0.0, 0.0, -0.5 * heel[2]]
    radii = np.array([share.longitudinal, share.transverse, share.sagittal]) * length
    if not toes:
        return share.mass, whole, radii
    # The toes have a fifth of the foot's mass; the rest is placed so that the centre of the whole foot does not move.
    front = 0.5 * (toe - ball) + [0.0, 0.0, 0.012]
    if base == "toes":
        return 0.2 * share.mass, front, 0.4 * radii
    return 0.8 * share.mass, (whole - 0.2 * (ball + front)) / 0.8, radii


def _radii(share: SegmentShares, length: float) -> Array:
    return np.array([share.sagittal, share.transverse, share.longitudinal]) * length
