"""Make standing people of a recorded pair that touches hands while walking.

The arm that touches moves as recorded up to the contact, trunk, head and the other arm less than that. Then hands go
back instead of passing each other. The pelvis stays near its place at the contact and the legs stay in one pose, with
both feet flat and side by side. People begin and end at rest with hanging arms.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.measure import require_rig
from gambol.features.layout import Layout
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import follow_minimum_jerk
from gambol.geometry.vectors import UP, lengths
from gambol.interaction.trials import Trial
from gambol.interaction.variations import move_contact
from gambol.legs.rig import measure_legs, place_rig_legs, reach_ankles
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.interaction.upper_body import PersonUpperBody, find_headings, find_upper_body

_REST = 0.5
"""Seconds added before and after the recording."""
_RAISE, _LOWER = 0.6, 0.6
"""Seconds of the recording over which people leave the rest pose, and return to it."""
_REBOUND, _STOP = 0.75, 0.25
"""Share of the reversed approach in the movement after the contact, and seconds until it has that share: hands that
pass each other in the recording go back."""
_TRUNK, _SWING = 0.6, 0.25
"""Shares that are kept of the movement of trunk and head, and of the arm that does not touch: both balance steps."""
_FACING = 0.8
"""Share of the angle between heading and partner by which people turn to each other: right hands meet right of both."""
_CLOSER = 0.15
"""Metres by which people stand closer to each other than they pass: arms of both can then reach around the contact."""
_STILL = 0.15
"""Share of the frames in which a foot counts as flat on the ground: those in which it moves least."""
_BENT = 0.99
"""Distance from hip to ankle of a standing leg, relative to a straight one."""
_BEHIND = 0.04
"""Metres by which ankles are behind the hips, so that the centre of mass is above the feet."""


def make_standing(trial: Trial) -> Trial:
    """Return a trial in which both people stand near the place of the contact and turn to each other."""
    one, two = (person.placement.positions[trial.contact, 0] for person in trial.people)
    away = (two - one) * [1.0, 1.0, 0.0]
    first, second = (
        _make_person_stand(trial, person, hand.side, toward)
        for person, hand, toward in zip(trial.people, trial.hands, (away, -away), strict=True)
    )
    standing = replace(trial, people=(first, second), contact=trial.contact + round(_REST / trial.frame_time))
    return move_contact(standing, _find_middle(standing) - standing.place)


def _make_person_stand(trial: Trial, person: Motion, hand: str, away: Array) -> Motion:
    """Return a person who stands; `away` (3,) is the horizontal vector to the other one at the contact."""
    body, heading = find_upper_body(person), float(find_headings(person)[trial.contact])
    angle = np.arctan2(away[1], away[0]) - heading
    heading += _FACING * float(np.arctan2(np.sin(angle), np.cos(angle)))
    place = person.placement.positions[trial.contact, 0] + 0.5 * _CLOSER * away / np.linalg.norm(away)
    pose = _stand(person, body, place, heading)

    rest, last = round(_REST / trial.frame_time), len(trial) - 1
    frames = np.clip(np.arange(len(trial) + 2 * rest) - rest, 0, last)
    back = np.clip(2 * trial.contact - frames, 0, last)
    rebound = _REBOUND * follow_minimum_jerk((frames - trial.contact) * trial.frame_time / _STOP)
    recorded = local_frames(person.skeleton, person.q).rotations[:, body.joints]
    moved = quat.slerp(recorded[frames], recorded[back], rebound[:, None, None])
    kept = np.full(len(person.skeleton.names), _TRUNK)
    for side, arm in body.arms.items():
        kept[list(arm)] = 1.0 if side == hand else _SWING
    share = _fade_rest(np.arange(len(frames)) * trial.frame_time, last * trial.frame_time)
    rotations = np.repeat(local_frames(person.skeleton, pose.q).rotations, len(frames), axis=0)
    part = share[:, None, None] * kept[list(body.joints), None]
    rotations[:, body.joints] = quat.slerp(rotations[:, body.joints], moved, part)
    return replace_rotations(replace(pose, q=np.repeat(pose.q, len(frames), axis=0)), rotations)


def _find_middle(trial: Trial) -> Array:
    """Return the place (3,) at the height of the contact half-way between the shoulders of both arms."""
    shoulders = [
        person.placement.positions[trial.contact, require_rig(person).parts[f"{hand.side}_upper_arm"]]
        for person, hand in zip(trial.people, trial.hands, strict=True)
    ]
    middle = quat.rotate(quat.conjugate(trial.frame.turn), np.mean(shoulders, axis=0) - trial.frame.origin)
    return np.array([*middle[:2], trial.place[2]])


def _fade_rest(times: Array, duration: float) -> Array:
    """Return how much (0 to 1) of the recorded movement is made at times (s)."""
    end = duration + 1.5 * _REST
    return follow_minimum_jerk(np.minimum(times / (_REST + _RAISE), (end - times) / (_LOWER + 0.5 * _REST)))


def _stand(person: Motion, body: PersonUpperBody, place: Array, heading: float) -> Motion:
    """Return one frame of a person at rest, above a place (3,), with both feet flat on the ground."""
    legs = measure_legs(
        Layout(person.skeleton, require_rig(person), person.origin, (0,), body.rest, np.zeros((2, 2, 3)), 0.0)
    )
    rotations = body.rest[None].copy()
    rotations[0, 0] = quat.multiply(quat.from_axis_angle(UP, np.array(heading)), body.rest[0])
    flat = [_find_flat_foot(person, side) for side in SIDES]
    feet = quat.multiply(
        quat.from_axis_angle(UP, heading - find_headings(person)[flat]),
        person.placement.rotations[flat, legs.joints[:, 2]],
    )
    heights = person.placement.positions[flat, legs.joints[:, 2], 2]
    hips = place_rig_legs(legs, rotations, place[None]).hips[0]
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    goals = np.column_stack([(hips - _BEHIND * ahead)[:, :2], heights])
    straight = _BENT * (lengths(legs.bones[:, 1]) + lengths(legs.bones[:, 2]))
    drop = (hips[:, 2] - heights - np.sqrt(straight**2 - _BEHIND**2)).max()
    root = place - drop * UP
    rotations = reach_ankles(legs, rotations, root[None], goals[None], feet[None])
    return replace_rotations(person[:1], rotations, root[None])


def _find_flat_foot(person: Motion, side: str) -> int:
    """Return the frame in which the toes are lowest, of those in which the ankle moves least."""
    parts, places = require_rig(person).parts, person.placement.positions
    speeds = lengths(np.gradient(places[:, parts[f"{side}_foot"]], axis=0))
    still = np.flatnonzero(speeds <= np.quantile(speeds, _STILL))
    return int(still[places[still, parts[f"{side}_toes"], 2].argmin()])
