"""Retarget a clip of a person to a robot by inverse kinematics, from one bent posture.

Some frames are solved from it, each on its own, then together; all frames from what is between these.

Soles are planned first (`soles`). The hips take the person's path, scaled; pelvis, chest and head the person's
orientations; trunk, arms and legs the directions of the person's. Wrists are drawn towards the person's, scaled about
the hips, but not as much as to bend an arm that is straight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.contacts.timeline import Contacts
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP, lengths
from gambol.motion.kinematics import place
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import solve_apart
from gambol.poses.targets import BodyTarget, aim_point, orient_joint, stay_near
from gambol.poses.together import solve_together
from gambol.robots.biped import Biped, BodyPlace
from gambol.robots.capsules import measure_narrowest
from gambol.robots.references.clearing import move_apart
from gambol.robots.references.flights import find_aloft, find_flight_rise, raise_flights
from gambol.robots.references.person import PersonBodies, TrackedPerson
from gambol.robots.references.reach import bring_within_reach
from gambol.robots.references.separation import SeparatedPoses
from gambol.robots.references.sole_path import SolePath
from gambol.robots.references.soles import plan_soles
from gambol.robots.sole_shapes import find_sole, level_sole
from gambol.stages.feet import SIDES

_RESTING, _SWINGING, _TILTED, _HIPS = 10.0, 2.0, 0.3, 0.5
"""Weights of corners of soles that rest, of the middles of those that swing and of their corners where they are low, of
corners elsewhere, and of the hips."""
_LOW = 0.02
"""Height (m) at which a sole that swings follows its path less: below, it could touch the ground."""
_BONES = (("upper_arm", "forearm", 1.0), ("forearm", "hand", 1.0), ("thigh", "shank", 0.3), ("shank", "foot", 0.3))
"""Bones that point where the person's do, and the weights of their ends."""
_TRUNK, _HANDS = 1.0, 0.3
"""Weights of the shoulders, seen from the hips in the person's direction, and of the wrists, at the person's places."""
_TURNED = (("pelvis", 0.5), ("chest", 0.4), ("head", 0.2))
"""Links that turn as bodies of a person do, and the weights of points that show it."""
_SMOOTH, _SMOOTH_BASE = 0.15, 3.0
"""Costs of differences from the mean of the frames beside, at 60 frames per second: of turns in m per rad (a speed that
changes by 0.1 rad per frame costs as much as an error of 8 mm), and of the base in m per m. Without the latter, a
foothold that is hard to reach would pull the base there in the frame in which the foot begins to rest."""
_STEP_WIDTH = 0.1
"""Distance between the feet of a person who walks, as a share of the length of a leg."""
_BESIDE = 0.02
"""Metres between legs that pass each other."""
_DAMPING, _LESS, _RELIEF = 0.03, 0.01, 0.1
"""At first, and from the solution of the first rounds on: with less, half of the first steps would be too large. The
factor by which it decreases."""
_APART = 0.06
"""Seconds between frames that are solved from a bent posture: every flat stance has one."""
_PLANS = 3
"""Most times that footholds out of reach are moved."""
_FLIGHTS, _EVEN = 3, 0.0005
"""Most times that flights are raised to fall freely, and the rise (m) below which they do."""
_STIFFER, _FIRST_ROUNDS = 10.0, 4
"""Times that cost in the first rounds, so that frames on different solutions come together."""
USED_SPEED = 0.97
"""Share of the largest speeds of joints that is used."""
_FASTEST = 20.0
"""Largest speed (rad/s) of a joint without a limit."""


def plan_robot_soles(biped: Biped, person: TrackedPerson, contacts: Contacts, scale: float) -> dict[str, SolePath]:
    """Return the paths of the soles of a robot that moves as a person does, from the contacts of the person's feet."""
    soles = {side: level_sole(biped, side) for side in SIDES}
    return plan_soles(person, contacts, scale, soles, find_widening(biped, person.character, scale))


def find_widening(biped: Biped, person: Character, scale: float) -> float:
    """Return how much farther apart (m) the feet of a robot are than those of a person, scaled.

    Its hips may be wider, or its legs too thick for such steps.
    """
    hips = [biped.locate(f"{side}_thigh") for side in SIDES]
    own = [person.skeleton.offsets[person.skeleton.index(f"{side}_thigh")] for side in SIDES]
    return max(
        0.0,
        float(np.linalg.norm(hips[0] - hips[1]) - scale * np.linalg.norm(own[0] - own[1])),
        measure_narrowest(biped) + _BESIDE - scale * _STEP_WIDTH * person.leg_length,
    )


def pose_robot(
    biped: Biped, person: PersonBodies, scale: float, soles: Mapping[str, SolePath], frame_time: float
) -> tuple[Array, Mapping[str, SolePath]]:
    """Return the coordinates (frames, dofs) of a robot that moves as a person does, and the paths of its soles.

    Soles are on the given paths where these are within reach. `frame_time` is that of the robot, to which its largest
    speeds refer.
    """
    every = max(1, int(_APART / frame_time + 1e-6))
    keys = slice(0, None, every)
    body, guess = aim_body(biped, person, scale)
    soles = move_apart(biped, soles)
    for _ in range(_PLANS):
        targets = [*body, *place_feet(biped, soles)]
        posed = solve_apart(PoseProblem(biped.skeleton, targets, stay_near(biped.skeleton, guess)), guess[keys], keys)
        nearer = bring_within_reach(biped, soles, keys, place(biped.skeleton, posed))
        if all(nearer[side] is soles[side] for side in SIDES):
            break
        soles = move_apart(biped, nearer)
    apart = SeparatedPoses(biped, [*body, *place_feet(biped, soles)], guess, posed)
    stiff, steps = (find(biped, every * frame_time) for find in (find_stiffness, find_steps))
    posed = solve_together(
        apart, posed, keys, _STIFFER * stiff, steps=steps, rounds=_FIRST_ROUNDS, damping=_DAMPING, relief=_RELIEF
    )
    posed = guess + _interpolate(posed - guess[keys], every, len(guess))
    stiff, steps = (find(biped, frame_time) for find in (find_stiffness, find_steps))
    whole = slice(0, len(posed))
    posed = solve_together(apart, posed, whole, stiff, steps=steps, damping=_LESS, relief=_RELIEF)
    dynamics, aloft = Dynamics(biped.description.character), find_aloft(soles)
    for _ in range(_FLIGHTS if aloft.any() else 0):
        rise = find_flight_rise(dynamics.center_of_mass(posed)[:, 2], aloft, frame_time)
        if np.abs(rise).max() < _EVEN:
            break
        person, soles = person.shift(rise[:, None] / scale * UP), raise_flights(biped, soles, rise)
        posed[:, 2] += rise
        targets = [*aim_body(biped, person, scale)[0], *place_feet(biped, soles)]
        apart = SeparatedPoses(biped, targets, guess, posed)
        posed = solve_together(apart, posed, whole, stiff, steps=steps, damping=_LESS, relief=_RELIEF)
    return posed, soles


def _interpolate(values: Array, every: int, frames: int) -> Array:
    """Return values (n, numbers) at every so many frames for all of them (frames, numbers)."""
    return np.stack([np.interp(np.arange(frames), every * np.arange(len(values)), each) for each in values.T], axis=1)


def aim_body(biped: Biped, person: PersonBodies, scale: float) -> tuple[list[BodyTarget], Array]:
    """Return the targets of a robot that moves as a person does, without its soles, and bent postures at its hips."""
    left, right = (biped.places[f"{side}_thigh"] for side in SIDES)
    middle, path = 0.5 * (left.point + right.point), scale * person.positions["pelvis"]
    hips = BodyPlace(left.joint, middle)
    body = [
        aim_point(*hips, path, _HIPS),
        _raise_trunk(biped, hips, person),
        *_place_hands(biped, hips, person, scale),
    ]
    body += [*_turn_links(biped, person), *_point_limbs(biped, person)]
    start = np.repeat(biped.bent[None], len(path), axis=0)
    turned = quat.multiply(person.rotations["pelvis"], quat.conjugate(biped.frame))
    start[:, 3:6] = angles_about(np.eye(3)[::-1], quat.make_continuous(turned))
    start[:, :3] = path - quat.rotate(turned, hips.locate(biped.standing)[0] - biped.standing.positions[0, 0])
    return body, start


def find_stiffness(biped: Biped, frame_time: float) -> Array:
    """Return the cost (dofs,) of squared differences of coordinates from the mean of those before and after."""
    costs = np.array([_SMOOTH if dof.kind == "turn" else _SMOOTH_BASE for dof in biped.skeleton.dofs])
    return np.asarray((costs / (60.0 * frame_time) ** 2) ** 2)


def find_steps(biped: Biped, frame_time: float) -> Array:
    """Return the largest changes (dofs,) of coordinates from frame to frame."""
    return np.asarray(USED_SPEED * np.minimum(biped.description.speeds, _FASTEST) * frame_time)


def _raise_trunk(biped: Biped, hips: BodyPlace, person: PersonBodies) -> BodyTarget:
    """Let the middle between the shoulders be in the person's direction from the hips, at the robot's own distance."""
    chest = biped.places["chest"].joint
    middle = np.mean([biped.locate(f"{side}_upper_arm") for side in SIDES], axis=0)
    own = quat.rotate(quat.conjugate(biped.standing.rotations[0, chest]), middle - biped.standing.positions[0, chest])
    along = np.mean([person.positions[f"{side}_upper_arm"] for side in SIDES], axis=0) - person.positions["pelvis"]
    goal = lengths(middle - hips.locate(biped.standing)[0]) * along / lengths(along)[:, None]
    return aim_point(chest, own, goal, _TRUNK, *hips)


def _place_hands(biped: Biped, hips: BodyPlace, person: PersonBodies, scale: float) -> Iterator[BodyTarget]:
    """Draw wrists towards the person's, scaled about the hips."""
    for side in SIDES:
        goal = scale * (person.positions[f"{side}_hand"] - person.positions["pelvis"])
        yield aim_point(*biped.places[f"{side}_hand"], goal, _HANDS, *hips)


def _turn_links(biped: Biped, person: PersonBodies) -> Iterator[BodyTarget]:
    """Let links turn from their standing orientations as bodies of the person do from axes ahead, left and up."""
    for part, weight in _TURNED:
        if part not in biped.places:
            continue
        joint = biped.places[part].joint
        goal = quat.multiply(person.rotations[part], biped.orient_standing(joint))
        yield from orient_joint(joint, goal, weight)


def _point_limbs(biped: Biped, person: PersonBodies) -> Iterator[BodyTarget]:
    """Let bones of arms and legs point where the person's do."""
    for side in SIDES:
        for one, other, weight in ((f"{side}_{upper}", f"{side}_{lower}", weight) for upper, lower, weight in _BONES):
            start, end = biped.places[one], biped.places[other]
            along = person.positions[other] - person.positions[one]
            goal = lengths(biped.locate(other) - biped.locate(one)) * along / lengths(along)[:, None]
            yield aim_point(end.joint, end.point, goal, weight, start.joint, start.point)


def place_feet(biped: Biped, soles: Mapping[str, SolePath]) -> Iterator[BodyTarget]:
    """Let soles follow their paths: wholly where they rest; where they swing high, middles more than their tilt."""
    for side in SIDES:
        foot, corners = biped.places[f"{side}_foot"].joint, find_sole(biped, side)
        goals = soles[side].find_corners(level_sole(biped, side))
        low = np.exp(-((soles[side].find_heights(level_sole(biped, side)).min(axis=1) / _LOW) ** 2))
        # A sole that swings may be tilted more than its ankle can: the body must not make up for that.
        most = np.where(soles[side].touching, _RESTING, _SWINGING)
        yield aim_point(foot, corners.mean(axis=0), goals.mean(axis=1), _SWINGING)
        for corner, goal in zip(corners, goals.swapaxes(0, 1), strict=True):
            yield aim_point(foot, corner, goal, _TILTED + (most - _TILTED) * low)
