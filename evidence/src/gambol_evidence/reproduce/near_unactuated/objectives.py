"""Additional objectives of YL08 section 5: keep a cup upright, keep away from obstacles.

The recordings show no cup: one is fixed to the right hand so that it is upright on average over the walk.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.respond.objectives import Obstacle, keep_out, upright
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.near_unactuated.coordinates import MORE, RECOVERED
from gambol_evidence.reproduce.near_unactuated.trials import (
    BEFORE,
    LEFT,
    RIGHT,
    PushOutcome,
    PushTrial,
    TrialWalk,
    TrialWalks,
    make_trial,
    play_trial,
)

_TORSO = ("spine", "chest")
_RADIUS = 0.08
_BESIDE = 0.05
"""Distance (m) from the path of the hand to the centre of an obstacle that it grazes."""


def measure_cup(walks: TrialWalks) -> Iterator[Claim]:
    """The cup stays upright: the torso turns if the arm that holds it is pushed, and stiffens if the other arm is."""
    for side, direction, claim, expected in (
        ("right", LEFT, "the torso turns to keep the cup upright", Band(low=MORE)),
        ("left", RIGHT, "the torso stiffens to keep the cup upright", Band(high=1.0 / MORE)),
    ):
        tilts, torsos = [], []
        for walk in walks.normal:
            axis = _upright_axis(walk)
            tried = make_trial(walk, (f"{side}_upper_arm",), (direction,))
            without, minding = (play_trial(tried, objectives=wishes) for wishes in
                                ((), (upright("right_hand", (axis[0], axis[1], axis[2])),)))  # fmt: skip
            calm = play_trial(PushTrial(walk, tried.targets, [[] for _ in tried.pushes]),
                        objectives=(upright("right_hand", (axis[0], axis[1], axis[2])),))  # fmt: skip
            tilts.append(np.median(_tilts(minding, axis)) / np.median(_tilts(without, axis)))
            torsos.append(np.median(_torso(minding, calm)) / np.median(without.of(*_TORSO)))
        text = f"{side} arm pushed: largest tilt of the cup in the right hand, with the objective over without"
        yield Claim(f"cup-{side}-tilt", "YL08 §5", text, float(np.mean(tilts)), "times", walks.names, Band(high=0.5))
        text = f"{side} arm pushed, {claim}: largest deviation of the torso, with the objective over without"
        yield Claim(f"cup-{side}-torso", "YL08 §5", text, float(np.mean(torsos)), "times", walks.names, expected)


def _upright_axis(walk: TrialWalk) -> Array:
    turns = quat.to_matrix(_hand(walk, walk.fitted.motion.q[: walk.cycle], "right_hand")[1])
    axis = turns[:, 2].mean(axis=0)
    return axis / np.linalg.norm(axis)


def _hand(walk: TrialWalk, poses: Array, hand: str) -> tuple[Array, Array]:
    """Return position of the centre (frames, 3) and rotation (frames, 4) of a hand."""
    character = walk.fitted.character
    joint = character.body(hand)
    placed = place(character.skeleton, poses)
    turns = placed.rotations[:, joint]
    return placed.positions[:, joint] + quat.rotate(turns, character.centers[joint]), turns


def _tilts(outcome: PushOutcome, axis: Array) -> Array:
    """Return the largest tilt (batch,) of the cup in degrees from the push on."""
    poses = outcome.poses[outcome.trial.walk.frames(BEFORE) :]
    turns = _hand(outcome.trial.walk, poses.reshape(-1, poses.shape[-1]), "right_hand")[1]
    cosines = (quat.to_matrix(turns)[:, 2] @ axis).reshape(poses.shape[:2])
    return np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max(axis=0)


def _torso(pushed: PushOutcome, calm: PushOutcome) -> Array:
    """Return the largest deviation (batch,) of the torso in degrees caused by the push, with the objective."""
    return PushOutcome(PushTrial(pushed.trial.walk, calm.poses, pushed.trial.pushes), pushed.poses, pushed.excess).of(
        *_TORSO
    )


def measure_obstacles(walks: TrialWalks) -> Iterator[Claim]:
    """Obstacles are avoided; one that is hit pushes the hand away."""
    clear: list[float] = []
    depths: list[float] = []
    left: list[float] = []
    for walk in walks.normal:
        quiet = PushTrial(walk, walk.targets((0,), 4.0), [[]])
        path, _ = _hand(walk, quiet.targets[:, 0], "left_hand")
        middle = path[walk.frames(0.8)]
        for beside, found in ((_BESIDE, clear), (0.0, depths)):
            x, y, z = middle + beside * walk.facing[1]
            sphere = Obstacle((x, y, z), (x, y, z), _RADIUS)
            outcome = play_trial(quiet, objectives=(keep_out("left_hand", sphere),))
            hand, _ = _hand(walk, outcome.poses[:, 0], "left_hand")
            found.append(float(np.min([sphere(point)[0] for point in hand])))
            left.append(float(outcome.left.max()))
    text = "an obstacle that the hand would graze, 3 cm deep, is avoided: least distance of the hand from its surface"
    yield Claim("obstacle-avoided", "YL08 §5", text, 100.0 * np.min(clear), "cm", walks.names, Band(low=0.0))
    text = "an obstacle on the path of the hand, 8 cm deep, pushes it away: largest penetration"
    yield Claim("obstacle-hit", "YL08 §5", text, -100.0 * np.min(depths), "cm", walks.names, Band(high=4.0))
    text = "the walk recovers after both obstacles: largest deviation 3 s after"
    yield Claim("obstacle-left", "YL08 §5", text, np.max(left), "deg", walks.names, Band(high=RECOVERED))
