"""What a push changes: body points, centre of mass and next foothold, of learned walkers and of answers by steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.respond.latent.examples import NormalWalk, SolvedExample
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.points import BodyPoints
from gambol_evidence.reproduce.responsive.walker_trials import PushedRun, run_walker

SECOND = 30
"""Frames of deviations that are compared."""
_SWINGS, _LANDED = 0.6, 0.3
"""Speeds (m/s) above which a foot swings, and below which it has landed."""
_AFTER = 10
"""Frames after the onset from which the push is over and its lean follows the model."""
_REACTED = 6
"""Frames after the onset before which a landing foot is not the answer."""


class LandedFoot(NamedTuple):
    """The first foot that lands after a push."""

    frame: float
    side: int
    place: Array
    """(2,) metres."""


class PushDeviation(NamedTuple):
    """A pushed motion minus the same motion without the push, from the onset on."""

    points: Array
    """(SECOND, points, 3) metres."""
    centre: Array
    """(SECOND, 3) metres, of the centre of mass."""
    foothold: Array
    """(2,) metres by which the next foothold is displaced."""
    later: float
    """Seconds by which that foot lands later; this and the foothold are not numbers where no foot lands."""

    def measure_reaction(self) -> float:
        """Return the mean distance (m) that body points move relative to the centre of mass after the push."""
        moved = (self.points - self.centre[:, None])[_AFTER:]
        return float(np.linalg.norm(moved, axis=2).mean())

    def measure_error(self, truth: PushDeviation) -> float:
        """Return the mean distance of body points from those of a true deviation, relative to its size."""
        apart = np.linalg.norm(self.points - truth.points, axis=2).mean()
        return float(apart / np.linalg.norm(truth.points, axis=2).mean())


def measure_deviation(points: BodyPoints, pushed: Array, calm: Array) -> PushDeviation:
    """Compare poses (frames, dofs) with and without a push; both begin at the onset, in the same place."""
    (places, centres), (before, centres_before) = points.locate(pushed), points.locate(calm)
    ours = find_landing(places[:, points.feet])
    theirs = find_landing(before[:, points.feet], (ours.side,))
    shown = slice(1, SECOND + 1)
    return PushDeviation(
        (places - before)[shown],
        (centres - centres_before)[shown],
        ours.place - theirs.place,
        FRAME_TIME * (ours.frame - theirs.frame),
    )


def find_landing(ends: Array, sides: Sequence[int] = (0, 1)) -> LandedFoot:
    """Return the first landing of the left (0) or right (1) foot, by the places (frames, 4, 3) of heels and balls.

    It is not a number where no foot lands.
    """
    feet = ends.reshape(len(ends), 2, 2, 3).mean(axis=2)
    speeds = np.linalg.norm(np.diff(feet, axis=0), axis=2) / FRAME_TIME
    found = LandedFoot(np.nan, sides[0], np.full(2, np.nan))
    for side in sides:
        swings = False
        for frame, speed in enumerate(speeds[:, side], start=1):
            landed = swings and speed < _LANDED
            if landed and frame >= _REACTED:
                if not found.frame <= frame:
                    found = LandedFoot(frame, side, feet[frame, side, :2])
                break
            swings = speed > _SWINGS or (swings and not landed)
    return found


def deviate_walker(run: PushedRun) -> PushDeviation:
    """Return what a push changes in a learned walker."""
    calm = [run.start, *run_walker(run.walker, run.start, None, len(run.states))]
    return measure_deviation(
        run.walker.decoder.layout.points, run.poses, np.array([one.gait.body.pose for one in calm])
    )


def deviate_example(points: BodyPoints, walk: NormalWalk, example: SolvedExample) -> PushDeviation:
    """Return what a push changes in an answer by steps."""
    pushed = example.poses[example.onset :]
    return measure_deviation(points, pushed, walk.loop.at(example.start + example.onset + np.arange(len(pushed))))
