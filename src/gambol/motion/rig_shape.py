"""Recognise a person in a skeleton by its shape: two legs, two arms, a head, and feet that point forward.

Joints that are named as helpers (IK targets, controls) do not count. Left and right are those of the joint names where
these have sides; else the direction of the feet decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.rig_names import find_helpers, split_side
from gambol.motion.skeleton import Skeleton

_ALIKE = 0.1
"""Largest relative difference in length between left and right limbs."""
_LOW = 0.12
"""Height above the lowest joint, as a share of the body's size, up to which a limb stands on the ground."""
_STANDING = 0.2
"""Least height of a limb that stands on the ground, as a share of its length."""


class _Pair(NamedTuple):
    branch: int
    limbs: tuple[list[int], list[int]]


def match_by_shape(skeleton: Skeleton, positions: Array, up: Array) -> dict[str, int]:
    """Return the body parts found in an upright pose (joints, 3); empty where it does not look like a person."""
    pairs = _mirrored_pairs(skeleton, positions)
    if len(pairs) < 2:
        return {}
    height = {id(p): float(np.mean([positions[limb[-1]] @ up for limb in p.limbs])) for p in pairs}
    legs = min(pairs, key=lambda p: height[id(p)])
    others = [p for p in pairs if not {*p.limbs[0], *p.limbs[1]} & {*legs.limbs[0], *legs.limbs[1]}]
    if not others:
        return {}
    arms = max(others, key=lambda p: _length(p.limbs[0], positions))
    leg_joints, arm_joints = (_long_bones(pair.limbs, positions) for pair in (legs, arms))
    if not leg_joints or not arm_joints:
        return {}

    forward = sum(
        positions[limb[-1]] - positions[joints[2]] for limb, joints in zip(legs.limbs, leg_joints, strict=True)
    )
    left = np.cross(up, forward)
    parts = {"pelvis": legs.branch} | find_back(skeleton, positions, up, legs.branch, arms.branch, arms.limbs)
    for pair, found, names in (
        (legs, leg_joints, ("thigh", "shank", "foot", "toes")),
        (arms, arm_joints, ("upper_arm", "forearm", "hand")),
    ):
        across = _named_order(skeleton, pair.limbs) or (positions[found[0][0]] - positions[found[1][0]]) @ left
        if abs(across) < 1e-9:
            return {}
        sides = ("left", "right") if across > 0 else ("right", "left")
        for side, joints, limb in zip(sides, found, pair.limbs, strict=True):
            following = [j for j in limb[limb.index(joints[2]) + 1 :] if j not in skeleton.ends]
            chain = [*joints, *following[:1]]
            parts |= {f"{side}_{name}": joint for name, joint in zip(names, chain, strict=False)}
            before = limb[: limb.index(joints[0])]
            if pair is arms and before:
                parts[f"{side}_collar"] = before[-1]
    return parts


def count_legs(skeleton: Skeleton, positions: Array, up: Array) -> int:
    """Return the number of limbs that stand on the ground in a pose (joints, 3); limbs come in mirrored pairs."""
    heights, size = positions @ up, float(np.ptp(positions, axis=0).max())
    low = float(heights.min()) + _LOW * size
    standing = [
        limb
        for pair in _mirrored_pairs(skeleton, positions)
        for limb in pair.limbs
        if heights[limb].min() < low and np.ptp(heights[limb]) > _STANDING * _length(limb, positions)
    ]
    inner = {joint for limb in standing for joint in limb[1:]}
    return len({limb[0] for limb in standing} - inner)


def stands_on_hands(parts: Mapping[str, int], positions: Array, up: Array) -> bool:
    """Return whether hands (or forearms, without hands) are as low as the feet, and the arms point down to them."""
    heights, size = positions @ up, float(np.ptp(positions, axis=0).max())
    for side in ("left", "right"):
        hand = parts.get(f"{side}_hand", parts[f"{side}_forearm"])
        shoulder, foot = (heights[parts[f"{side}_{part}"]] for part in ("upper_arm", "foot"))
        if not (heights[hand] - min(foot, heights.min()) < _LOW * size < shoulder - heights[hand]):
            return False
    return True


def find_back(
    skeleton: Skeleton, positions: Array, up: Array, pelvis: int, shoulders: int, arms: Iterable[Iterable[int]]
) -> dict[str, int]:
    """Return spine, chest, neck and head: the chain from pelvis to `shoulders`, and the highest tip above that.

    `shoulders` is the joint at which the `arms` (their joints) branch off.
    """
    helpers = find_helpers(skeleton.names, skeleton.parents)
    trunk = skeleton.path_to_root(shoulders)
    trunk = trunk[: trunk.index(pelvis)][::-1] if pelvis in trunk else []
    used = {joint for arm in arms for joint in arm}
    tips = [
        j
        for j in range(len(skeleton.names))
        if j not in helpers
        and not set(skeleton.children[j]) - helpers
        and not used & set(path := skeleton.path_to_root(j))
        and shoulders in path[1:]
    ]
    if not tips:
        return {}
    path = skeleton.path_to_root(max(tips, key=lambda j: positions[j] @ up))
    above = [j for j in path[: path.index(shoulders)][::-1] if j not in skeleton.ends]
    parts = dict(zip(("neck", "head"), (above[0], above[-1]), strict=True)) if len(above) > 1 else {}
    parts |= {"head": above[0]} if len(above) == 1 else {}
    parts |= {"chest": trunk[-1]} if trunk else {}
    return parts | ({"spine": trunk[0]} if len(trunk) > 1 else {})


def _named_order(skeleton: Skeleton, limbs: tuple[list[int], list[int]]) -> float:
    """Return 1 where the names say that the first limb is the left one, -1 for the right one, 0 where they do not."""
    one, other = ({split_side(skeleton.names[joint])[0] for joint in limb} - {""} for limb in limbs)
    if one == {"left"} and other == {"right"}:
        return 1.0
    return -1.0 if one == {"right"} and other == {"left"} else 0.0


def _mirrored_pairs(skeleton: Skeleton, positions: Array) -> list[_Pair]:
    helpers = find_helpers(skeleton.names, skeleton.parents)
    longest = _longest_limbs(skeleton, positions, helpers)
    size = float(np.ptp(positions, axis=0).max())
    pairs = []
    for branch, children in enumerate(skeleton.children):
        for a, b in combinations([child for child in children if child not in helpers], 2):
            lengths = [_length([branch, *longest[c]], positions) for c in (a, b)]
            alike = abs(lengths[0] - lengths[1]) < _ALIKE * max(lengths)
            alike &= {split_side(skeleton.names[joint])[0] for joint in (a, b)} in ({""}, {"left", "right"})
            if alike and min(lengths) > 0.2 * size and min(len(longest[a]), len(longest[b])) >= 3:
                pairs.append(_Pair(branch, (longest[a], longest[b])))
    return pairs


def _longest_limbs(skeleton: Skeleton, positions: Array, helpers: frozenset[int]) -> list[list[int]]:
    """Return for every joint the longest chain below it."""
    best: list[list[int]] = [[] for _ in skeleton.names]
    for joint in reversed(range(len(skeleton.names))):
        below = max(
            (best[c] for c in skeleton.children[joint] if c not in helpers),
            key=lambda chain: _length([joint, *chain], positions),
            default=[],
        )
        best[joint] = [joint, *below]
    return best


def _length(chain: list[int], positions: Array) -> float:
    return float(np.linalg.norm(np.diff(positions[chain], axis=0), axis=1).sum()) if len(chain) > 1 else 0.0


def _long_bones(limbs: tuple[list[int], list[int]], positions: Array) -> list[list[int]]:
    """Return for both limbs of a pair the joints that start the two long bones, and the joint that ends the second.

    Both sides use the same position in the chain: the two neighbouring bones whose shorter one is longest. An outer
    pair is preferred when its score is at least 85 % of the best, because a collar can be as long as a forearm.
    """
    count = min(map(len, limbs))
    lengths = np.mean([np.linalg.norm(np.diff(positions[limb[:count]], axis=0), axis=1) for limb in limbs], axis=0)
    if count < 3:
        return []
    shorter = np.minimum(lengths[:-1], lengths[1:])
    first = int(np.flatnonzero(shorter >= 0.85 * shorter.max())[-1])
    return [[limb[first], limb[first + 1], limb[first + 2]] for limb in limbs]
