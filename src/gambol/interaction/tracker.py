"""Follow the phase, the pace and the contact point of a meeting from the path of one hand.

A hand sample does not tell the phase: a hand that hangs may wait or have returned, and a slow high hand looks like a
fast low one. A bank of extended Kalman filters follows several hypotheses at once; new ones begin while the hand rests.
The state of each is the phase, the logarithm of its rate, the contact point and the intensity of the style; what is
measured is the mean path of the hand. Samples that no hypothesis explains are taken as outliers, and missing ones let
all hypotheses go on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.interaction.course import LARGEST_SHARE, GoalSpace

_HYPOTHESES = 24
_STATE = 6
"""Phase, log rate, three coordinates of the contact point, and intensity of the style."""
_GOAL = slice(2, 5)
_INTENSITY = 5
_INTENSITY_SPREAD = 0.25
"""Standard deviation of the intensity of a style, whose mean is 1."""
_PHASE_SPREAD = 0.02
_GOAL_WALK = 0.03
"""Change (m) of the contact point within a second."""
_LEAST_SPREAD = 0.02
"""Least standard deviation (m) of the contact point."""
_BEGIN = 0.5
"""Seconds in which a resting hand begins to move, in the mean."""
_OUTLIER = 0.02
"""Share of samples that are outliers, anywhere in _ROOM cubic metres."""
_ROOM = 4.0
_GATE = 16.0
"""Squared distance, in standard deviations, beyond which a sample does not correct a hypothesis."""
_TOGETHER = 0.08
"""Difference of phases of hypotheses that are averaged."""
_FARTHEST_RATE = 1.2
"""Largest difference of a log rate from that of the trials."""


@dataclass(frozen=True, eq=False)
class HandCourse:
    """The mean path of a hand in one style: coefficients of goal features over phases."""

    space: GoalSpace
    table: Array
    """(2, phases, 10, 3) of 1 and of the features of the goal (m): neutral, and what the style adds."""
    slopes: Array
    """(2, phases, 10, 3) derivatives by the phase."""
    spread: float
    """Standard deviation (m) of a measured hand about it."""
    log_rate: Array
    """(2,) mean logarithm of the phase per second: neutral, and what the style adds."""
    log_rate_spread: float
    log_rate_walk: float
    """Change of the log rate within a second (standard deviation)."""

    def predict(self, means: Array) -> tuple[Array, Array]:
        """Return places (n, 3) of the hand in states (n, 6), and their derivatives (n, 3, 6)."""
        last = self.table.shape[1] - 1
        at = means[:, 0] * last
        before = np.minimum(at.astype(int), last - 1)
        share, intensity = (at - before)[:, None, None], means[:, _INTENSITY, None, None]
        neutral, added = (1.0 - share) * self.table[:, before] + share * self.table[:, before + 1]
        table = neutral + intensity * added
        slopes = self.slopes[0, before] + intensity * self.slopes[1, before]
        features = np.ones((len(means), 1, 10))
        features[:, 0, 1:] = self.space.describe(means[:, _GOAL])
        jacobian = np.zeros((len(means), 3, _STATE))
        jacobian[:, :, 0] = (features @ slopes)[:, 0]
        jacobian[:, :, _GOAL] = table[:, 1:].transpose(0, 2, 1) @ self.space.differentiate(means[:, _GOAL])
        jacobian[:, :, _INTENSITY] = (features @ added)[:, 0]
        return (features @ table)[:, 0], jacobian


class BankState(NamedTuple):
    """Hypotheses; the first is that the hand rests."""

    means: Array
    """(n, 6)."""
    covariances: Array
    """(n, 6, 6)."""
    weights: Array
    """(n,) probabilities."""
    unexplained: float = 0.0
    """Seconds of samples since one was last explained by a hypothesis."""


class MeetingEstimate(NamedTuple):
    """What the hand tells about the meeting."""

    phase: float
    rate: float
    """Phase per second; 0 while the hand rests."""
    goal: Array
    """(3,) contact point (m)."""
    unexplained: float
    """Seconds of samples since one was last explained."""


def start_bank(course: HandCourse) -> BankState:
    """Return hypotheses before any sample: the hand rests, or is anywhere before the contact."""
    means = np.tile(_first_mean(course), (_HYPOTHESES, 1))
    means[1:, 0] = np.linspace(0.0, 0.5, _HYPOTHESES - 1)
    covariances = np.tile(_first_covariance(course), (_HYPOTHESES, 1, 1))
    weights = np.full(_HYPOTHESES, 0.5 / (_HYPOTHESES - 1))
    weights[0] = 0.5
    return BankState(means, covariances, weights)


def follow_hand(
    course: HandCourse, bank: BankState, hand: Array | None, seconds: float
) -> tuple[BankState, MeetingEstimate]:
    """Return the hypotheses and the estimate after some seconds, given the place (3,) of the hand or None."""
    moved = _begin(course, _predict(course, bank, seconds), seconds)
    if hand is not None:
        moved, explained = _correct(course, moved, hand)
        moved = moved._replace(unexplained=0.0 if explained else bank.unexplained + seconds)
    return moved, _estimate(moved)


def _first_mean(course: HandCourse) -> Array:
    return np.concatenate(([0.0, course.log_rate.sum()], course.space.mean, [1.0]))


def _first_covariance(course: HandCourse) -> Array:
    covariance = np.diag([_PHASE_SPREAD**2, course.log_rate_spread**2, 0.0, 0.0, 0.0, 0.0])
    covariance[_GOAL, _GOAL] = course.space.covariance + _LEAST_SPREAD**2 * np.eye(3)
    # A stronger style is faster or slower as well.
    by_intensity = np.zeros(_STATE)
    by_intensity[[1, _INTENSITY]] = course.log_rate[1], 1.0
    return covariance + _INTENSITY_SPREAD**2 * np.outer(by_intensity, by_intensity)


def _predict(course: HandCourse, bank: BankState, seconds: float) -> BankState:
    means, covariances = bank.means.copy(), bank.covariances.copy()
    forward = np.exp(means[1:, 1]) * seconds
    means[1:, 0] = np.minimum(means[1:, 0] + forward, 1.0)
    # F C Fᵀ with F = 1, but for the phase that grows with the rate.
    covariances[1:, 0] += forward[:, None] * covariances[1:, 1]
    covariances[1:, :, 0] += forward[:, None] * covariances[1:, :, 1]
    covariances[1:, 1, 1] += course.log_rate_walk**2 * seconds
    covariances[:, [2, 3, 4], [2, 3, 4]] += _GOAL_WALK**2 * seconds
    return bank._replace(means=means, covariances=covariances)


def _begin(course: HandCourse, bank: BankState, seconds: float) -> BankState:
    """Return the bank with a hypothesis that begins now, in place of the least likely one."""
    least, weight = 1 + int(bank.weights[1:].argmin()), bank.weights[0] * seconds / _BEGIN
    if bank.weights[least] >= weight:
        return bank
    means, covariances, weights = (array.copy() for array in bank[:3])
    means[least] = _first_mean(course)
    covariances[least] = _first_covariance(course)
    weights[least] = weight
    return bank._replace(means=means, covariances=covariances, weights=weights / weights.sum())


def _correct(course: HandCourse, bank: BankState, hand: Array) -> tuple[BankState, bool]:
    """Return the bank given a sample, and whether a hypothesis explains it."""
    places, slopes = course.predict(bank.means)
    slopes[0, :, 0] = 0.0
    error = hand - places
    across = bank.covariances @ slopes.transpose(0, 2, 1)
    expected = slopes @ across
    expected[:, [0, 1, 2], [0, 1, 2]] += course.spread**2
    inverse = np.linalg.inv(expected)
    gains = across @ inverse
    distances = np.einsum("ni,nij,nj->n", error, inverse, error)
    likelihood = np.exp(-0.5 * distances) * np.sqrt(np.linalg.det(inverse)) / (2.0 * np.pi) ** 1.5
    near = distances < _GATE
    gains *= near[:, None, None]
    means = bank.means + (gains @ error[:, :, None])[:, :, 0]
    means[:, 0] = np.clip(means[:, 0], 0.0, 1.0)
    means[:, 1] = course.log_rate.sum() + np.clip(means[:, 1] - course.log_rate.sum(), -_FARTHEST_RATE, _FARTHEST_RATE)
    means[:, _GOAL] = course.space.clamp(means[:, _GOAL])
    means[:, _INTENSITY] = np.clip(means[:, _INTENSITY], 0.0, LARGEST_SHARE)
    weights = bank.weights * ((1.0 - _OUTLIER) * likelihood + _OUTLIER / _ROOM)
    weights = np.maximum(weights / weights.sum(), 1e-9)
    best = int(weights.argmax())
    # Joseph's form: covariances stay positive however long a hand rests.
    kept = np.eye(_STATE) - gains @ slopes
    noise = course.spread**2 * gains @ gains.transpose(0, 2, 1)
    covariances = kept @ bank.covariances @ kept.transpose(0, 2, 1) + noise
    return BankState(means, covariances, weights), bool(near[best])


def _estimate(bank: BankState) -> MeetingEstimate:
    best = bank.means[bank.weights.argmax(), 0]
    weights = bank.weights * (np.abs(bank.means[:, 0] - best) < _TOGETHER)
    weights /= weights.sum()
    mean = weights @ bank.means
    rate = float(np.exp(mean[1])) * (1.0 - float(weights[0]))
    return MeetingEstimate(float(mean[0]), rate, mean[_GOAL], bank.unexplained)
