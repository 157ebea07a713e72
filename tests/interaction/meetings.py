"""Two standing people whose right hands meet, made of the sample `stand`, and a model learned from variations."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

import gambol as gb
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.interaction.model import InteractionModel, learn_interaction_model
from gambol.interaction.trials import Trial, find_trial
from gambol.interaction.variations import grid_shifts, move_contact
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.poses.reach import HandPoint, find_arm
from gambol_evidence.reproduce.interaction.warps import warp_trial

FRAMES, CONTACT = 61, 26
MEETING = np.array([0.5, -0.1, 1.2])
APART = 1.0
"""Metres between both people."""
PALM = HandPoint("right", np.array([0.0, -0.08, 0.0]))


def rise(frames: int = FRAMES, contact: int = CONTACT) -> Array:
    """How far (frames,) a hand is from rest, 0, to the contact, 1."""
    phases = np.interp(np.arange(frames), [0, contact, frames - 1], [0.0, 0.5, 1.0])
    return np.sin(np.pi * phases) ** 2


def move_person(person: Motion, heading: float, shift: Array) -> Motion:
    """Return a person turned about the world's z axis through the origin, then moved."""
    turn = quat.from_axis_angle(UP, np.array(heading))
    local = local_frames(person.skeleton, person.q)
    rotations = local.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    return replace_rotations(person, rotations, quat.rotate(turn, local.positions[:, 0]) + shift)


def extend_hand(person: Motion, meeting: Array, way: Array, lift: float = 0.0) -> Motion:
    """Return a person whose hand goes a way (frames,) to a meeting, in an arc with a height."""
    arm, local = find_arm(person, PALM), local_frames(person.skeleton, person.q)
    rest = arm.locate(local)
    goals = rest + way[:, None] * (meeting - rest) + lift * (4.0 * way * (1.0 - way))[:, None] * UP
    return replace_rotations(person, arm.reach(local, goals)[0])


@cache
def make_people(lift: float = 0.0, frames: int = FRAMES, contact: int = CONTACT) -> tuple[Motion, Motion]:
    """Person 1 near the origin, who looks along x, and person 2 opposite."""
    stand = gb.load("stand")
    still = replace(stand, q=np.tile(stand.q[:1], (frames, 1)), name="one")
    root = still.placement.positions[0, 0] * [1.0, 1.0, 0.0]
    one = move_person(still, 0.0, -root)
    two = replace(move_person(one, np.pi, np.array([APART, 0.0, 0.0])), name="two")
    way = rise(frames, contact)
    return extend_hand(one, MEETING, way, lift), extend_hand(two, MEETING, way, lift)


@cache
def make_trial(style: str = "neutral") -> Trial:
    """Neutral people are fast; gentle ones are slower and lift their hands."""
    people = make_people(0.06, 85, 38) if style == "gentle" else make_people()
    return find_trial(*people, style)


@cache
def make_trials() -> tuple[Trial, ...]:
    """Both styles with nine contact points each."""
    return tuple(
        move_contact(make_trial(style), shift) for style in ("neutral", "gentle") for shift in grid_shifts(0.08, 0.08)
    )


@cache
def make_paced_trials() -> tuple[Trial, ...]:
    """Neutral trials a tenth faster and slower up to the contact, and ahead or late in the middle of that way."""
    return tuple(
        warp_trial(make_trial(), (1.0 + change, 1.0), (skew, 0.0), 1.0 / 60.0)
        for change in (-0.1, 0.1)
        for skew in (-0.06, 0.06)
        for _ in range(5)
    )


@cache
def make_paced_model() -> InteractionModel:
    return learn_interaction_model(make_paced_trials())


@cache
def make_model() -> InteractionModel:
    return learn_interaction_model(make_trials())
