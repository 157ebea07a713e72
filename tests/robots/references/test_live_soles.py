"""Soles of a robot planned while a person moves: feet that slide or are found late, and blocks that begin elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.robots.references.live_soles import LiveSoles
from gambol.robots.references.sole_path import SolePath

SOLE = np.array([[-0.1, 0.05, 0.0], [-0.1, -0.05, 0.0], [0.1, 0.05, 0.0], [0.1, -0.05, 0.0]])
FOOT = np.array([[-0.1, 0.0, 0.0], [0.1, 0.0, 0.0]])
STANCES = ((20, 109), (135, 169))
FRAMES, AHEAD = 190, 15
SOON, LATE = 4, 19
"""Frames of a stance after which it is known."""


def make_path() -> SolePath:
    """A foot that steps ahead by a metre, slides by 1 mm per frame in every stance, and is tilted then by 3 degrees."""
    frames = np.arange(FRAMES)
    rests = np.zeros(FRAMES, dtype=bool)
    for first, last in STANCES:
        rests[first : last + 1] = True
    speed = np.where(rests, 0.001, 0.03)
    heights = np.where(rests, 0.0, 0.05 * np.sin(np.pi * (frames - 110) / 25.0) ** 2)
    places = np.column_stack((np.cumsum(speed), np.zeros(FRAMES), heights))
    turned = quat.from_axis_angle([0.0, 1.0, 0.0], np.where(rests, np.radians(3.0), 0.2))
    return SolePath(places, turned, np.zeros((FRAMES, 4)), np.zeros((FRAMES, 2)), STANCES, rests)


def play(block: int, begin: int, evidence: int, lost: int = FRAMES) -> tuple[Array, Array]:
    """Return places (frames, 3) and rotations (frames, 4) that are played from frame `begin` on.

    Stances are known after `evidence` frames of them, and no more from frame `lost` on.
    """
    path, played = make_path(), []
    soles = LiveSoles({"left": SOLE}, {"left": FOOT}, 1.0, 1.0 / 60.0, AHEAD, [])
    for now in range(begin, FRAMES - AHEAD - block, block):
        first, end = max(begin, now - 60), now + block + AHEAD
        known = tuple((max(a, first) - first, min(b, end - 1) - first) for a, b in STANCES if first <= b)
        seen = path.cut(slice(first, end))
        found = tuple((a, b) for a, b in known if b - a + 1 >= evidence and now < lost)
        plan = soles.plan(
            {"left": SolePath(seen.places, seen.rotations, seen.ground, seen.slopes, found, seen.touching)},
            first,
            now,
            now + block - 1,
        )["left"]
        span = slice(now - first, now - first + block)
        played.append((plan.places[span], plan.rotations[span]))
    return tuple(np.concatenate(each) for each in zip(*played, strict=True))  # type: ignore[return-value]


@pytest.mark.parametrize("evidence", [SOON, LATE])
def test_a_sole_stays_in_its_foothold_while_the_foot_slides(evidence: int) -> None:
    """Where it is found late, the sole rests as soon as it was led there."""
    places, rotations = play(4, 0, evidence)
    for first, last in STANCES:
        stance = slice(first + (0 if evidence == SOON else 10), last + 1)
        assert np.ptp(places[stance], axis=0).max() < 1e-9
        assert np.abs(quat.rotate(rotations[stance], [1.0, 0.0, 0.0])[:, 2]).max() < 1e-9


@pytest.mark.parametrize("evidence", [SOON, LATE])
def test_a_sole_is_led_to_its_foothold(evidence: int) -> None:
    places, rotations = play(4, 0, evidence)
    check_smoothness(places, rotations, 0.009)


def test_a_sole_leaves_a_foothold_that_was_none() -> None:
    places, rotations = play(4, 0, SOON, lost=20)
    check_smoothness(places, rotations, 0.0015)


def check_smoothness(places: Array, rotations: Array, largest: float) -> None:
    """Offsets from the path of the person change by less than `largest` (m) and 1 degree per frame."""
    path = make_path()
    offsets = (places - path.places[: len(places)])[:, 0]
    turns = quat.log(quat.multiply(rotations, quat.conjugate(path.rotations[: len(places)])))
    assert np.abs(offsets).max() > 0.004
    assert np.abs(np.diff(offsets)).max() < largest
    assert np.degrees(np.abs(np.diff(turns, axis=0)).max()) < 1.0


def test_plans_do_not_depend_on_blocks_or_on_the_beginning() -> None:
    places, rotations = play(4, 0, SOON)
    for block, begin in ((4, 2), (3, 0), (4, 113)):
        others, turned = play(block, begin, SOON)
        count = min(len(places) - begin, len(others))
        settled = 30 if begin > 2 else 0
        np.testing.assert_allclose(others[settled:count], places[begin + settled : begin + count], atol=1e-9)
        np.testing.assert_allclose(turned[settled:count], rotations[begin + settled : begin + count], atol=1e-9)
