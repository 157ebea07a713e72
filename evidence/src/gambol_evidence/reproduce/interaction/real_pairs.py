"""Recorded pairs of people (CMU), their mirror images, and variants of one recording that serve to learn another.

Two recordings of the same two people shaking hands are all there is: a model that is learned from variants of one and
tested on the other, unedited, shows what one recording can teach, and not how well other people are predicted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.trials import Trial, find_trial
from gambol.interaction.variations import move_contact
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.poses.reach import HandPoint
from gambol_evidence.reproduce.interaction.edited_trials import TRIAL_RATE, TrialSpread
from gambol_evidence.reproduce.interaction.warps import warp_trial
from gambol_evidence.reproduce.recordings import load_cmu_clip

HIGH_FIVE = ("20_11", "21_11")
HANDSHAKES = (("18_01", "19_01"), ("18_02", "19_02"))
_MIRROR = np.array([1.0, -1.0, 1.0])
"""Signs of vectors in the mirror image: left becomes right."""
_MIRROR_TURN = np.array([1.0, -1.0, 1.0, -1.0])
"""Signs of quaternions in the mirror image."""


def load_pair(data: Path, names: Sequence[str]) -> Trial:
    """Load both people of a recording, such as HIGH_FIVE, from the folder of recordings."""
    one, two = (load_cmu_clip(data, name) for name in names)
    return find_trial(one, two)


def make_variants(pair: Trial, seed: int, count: int = 12, place: float = 0.1) -> list[Trial]:
    """Return a recording at 30 frames per second and variants of it, `count` in all.

    Variants are warped in time as edited trials are, and their contacts moved by up to `place` (m) along every axis.
    """
    random, spread = np.random.default_rng(seed), TrialSpread()
    out = [resample_trial(pair)]
    while len(out) < count:
        durations = 1.0 + random.uniform(-spread.duration, spread.duration, 2)
        warped = warp_trial(pair, durations, random.uniform(-spread.skew, spread.skew, 2), 1.0 / TRIAL_RATE)
        out.append(move_contact(warped, random.uniform(-place, place, 3)))
    return out


def resample_trial(pair: Trial) -> Trial:
    """Return an unedited recording at 30 frames per second, with the contact on a frame."""
    return warp_trial(pair, (1.0, 1.0), (0.0, 0.0), 1.0 / TRIAL_RATE)


def mirror_trial(trial: Trial) -> Trial:
    """Return the mirror image of a trial: right hands become left hands."""
    one, two = (mirror_motion(person) for person in trial.people)
    first, second = (
        HandPoint("left" if hand.side == "right" else "right", _MIRROR * hand.point) for hand in trial.hands
    )
    return replace(trial, people=(one, two), hands=(first, second))


def mirror_motion(motion: Motion) -> Motion:
    """Return the mirror image of a motion across the world's xz plane, on the mirrored body.

    The joints' frames must be alike on both sides in the pose with all angles zero, as in every CMU BVH.
    """
    skeleton = motion.skeleton
    other = [_find_opposite(name, skeleton.names) for name in skeleton.names]
    local = local_frames(skeleton, motion.q).rotations[:, other] * _MIRROR_TURN
    mirrored = replace(skeleton, offsets=skeleton.offsets[other] * _MIRROR, rests=skeleton.rests[other] * _MIRROR_TURN)
    roots: Array = motion.placement.positions[:, 0] * _MIRROR
    return replace_rotations(replace(motion, skeleton=mirrored), local, roots)


def _find_opposite(name: str, names: Sequence[str]) -> int:
    """Return the index of the joint of the other side; of the joint itself if it has none."""
    for ours, other in (("Left", "Right"), ("Right", "Left"), ("L", "R"), ("R", "L")):
        if name.startswith(ours) and other + name.removeprefix(ours) in names:
            return names.index(other + name.removeprefix(ours))
    return names.index(name)
