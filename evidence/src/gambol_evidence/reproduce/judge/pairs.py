"""Whether the judge finds damages of scenes: recorded pairs who are pushed into each other, and hands that part.

Somebody who walks and their mirror image at the middle of one hand's way are two people hand in hand; one falls behind.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP, lengths
from gambol.judge.judgement import judge_all
from gambol.judge.scenes import HANDS_APART, PEOPLE_INSIDE
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.judge.alarms import list_scenes
from gambol_evidence.reproduce.judge.damages import Damaged, locate_damage, shift_root
from gambol_evidence.reproduce.judge.moments import Window, track_joint
from gambol_evidence.reproduce.judge.movements import turn_about
from gambol_evidence.reproduce.judge.recordings import is_damaged, load_sound
from gambol_evidence.reproduce.judge.trials import DamageTrial, damage_claim, is_of

_INSIDE, _PARTED = "two people moved into each other", "partner who falls 35 cm behind a hand that is held"
_DISTANCE = 0.1
"""Metres between the pelvises of two people who are inside each other."""
_BEHIND, _FALLS = 0.35, 0.5
"""Metres by which a partner falls behind, and seconds in which it happens."""
_HELD, _WHILE = 0.2, 1.2
"""Distance (m) of hands up to which a walker and a mirror image are hand in hand, and seconds before and after."""
_OUTSIDE = frozenset[str]()


def measure_found_in_pairs(data: Path) -> Iterator[Claim]:
    """Yield the shares of the damages of scenes that are found."""
    sound = list(load_sound(data))
    outcomes = list[tuple[str, bool]]()
    for name, (one, other) in list_scenes(sound):
        inside = DamageTrial(partial(push_together, beside=one.motion), _INSIDE, frozenset({PEOPLE_INSIDE.name}))
        outcomes += [(name, found) for found in _try_pair(one.motion, other.motion, inside, name)]
    yield damage_claim("inside", _INSIDE, outcomes)
    behind, outcomes = DamageTrial(part_hands, _PARTED, frozenset({HANDS_APART.name}), times=1), []
    for one in filter(is_damaged, sound):
        outcomes += [(one.name, found) for found in _try_pair(one.motion, one.motion, behind, one.name)]
    yield damage_claim("behind", behind.words, outcomes)


def _try_pair(one: Motion, other: Motion, trial: DamageTrial, name: str) -> Iterator[bool]:
    """Yield whether each damage of the other person of a scene was found."""
    for number in range(trial.times):
        damaged = trial.damage(other, np.random.default_rng([crc32(name.encode()), number]))
        if damaged is not None:
            yield any(is_of(finding, damaged, trial) for finding in judge_all([one, damaged.motion]).findings)


def push_together(motion: Motion, random: np.random.Generator, beside: Motion) -> Damaged:
    """Move one person of a scene along the floor, so that both pelvises are 10 cm apart in a random frame."""
    frame = int(random.integers(min(len(motion), len(beside))))
    way = (track_joint(beside, "pelvis") - track_joint(motion, "pelvis"))[frame] * (1.0 - UP)
    share = 1.0 - _DISTANCE / max(float(np.linalg.norm(way)), _DISTANCE)
    moved = shift_root(motion, np.broadcast_to(share * way, (len(motion), 3)))
    return locate_damage(moved, _OUTSIDE, Window(frame, frame))


def part_hands(motion: Motion, random: np.random.Generator) -> Damaged | None:
    """Return a partner at the hand of somebody who walks straight, who falls behind; None of who does not."""
    side = str(random.choice(SIDES))
    partner = mirror_at_hand(motion, side)
    held = lengths(track_joint(motion, f"{side}_hand") - track_joint(partner, f"{_other(side)}_hand")) < _HELD
    first = round(_WHILE / motion.frame_time)
    start = int(random.integers(first, max(first + 1, len(motion) - 2 * first)))
    if len(motion) < start + 2 * first or not held[start - first : start + 2 * first].all():
        return None
    pelvis = track_joint(motion, "pelvis") * (1.0 - UP)
    ahead = pelvis[-1] - pelvis[0]
    share = np.clip((np.arange(len(motion)) - start) * motion.frame_time / _FALLS, 0.0, 1.0)
    behind = shift_root(partner, np.outer(-_BEHIND * smoothstep(share), ahead / np.linalg.norm(ahead)))
    return locate_damage(behind, _OUTSIDE, Window(start, len(motion) - 1))


def mirror_at_hand(motion: Motion, side: str) -> Motion:
    """Return the mirror image of somebody who walks, at the upright plane along the walk through the mean place."""
    pelvis, hand = track_joint(motion, "pelvis"), track_joint(motion, f"{side}_hand")
    ahead = (pelvis[-1] - pelvis[0])[:2]
    mirrored = reflect_motion(motion)
    angle = np.full(len(motion), 2.0 * np.arctan2(ahead[1], ahead[0]))
    whole, upright = Window(0, len(motion) - 1), np.broadcast_to(UP, (len(motion), 3))
    turned = turn_about(mirrored, whole, quat.from_axis_angle(upright, angle), np.zeros((len(motion), 3)))
    apart = (hand - track_joint(turned, f"{_other(side)}_hand")).mean(axis=0)
    return shift_root(turned, np.broadcast_to(apart, (len(motion), 3)))


def _other(side: str) -> str:
    return SIDES[1 - SIDES.index(side)]
