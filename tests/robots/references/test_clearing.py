"""Footholds that are moved apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.robots.biped import Biped
from gambol.robots.biped_file import load_biped
from gambol.robots.references.clearing import find_way_out, move_apart
from gambol.robots.references.sole_path import SolePath
from gambol.robots.sole_shapes import level_sole

BETWEEN = 0.01
SQUARE = np.array([(-0.5, 0.5), (-0.5, -0.5), (0.5, 0.5), (0.5, -0.5)])


@pytest.fixture(scope="module")
def biped() -> Biped:
    return load_biped("jvrc1")


def lay(size: Array, at: Array, angle: float) -> Array:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return at + SQUARE * size @ turn.T


def overlap(one: Array, other: Array, number: int = 60) -> bool:
    """Whether a point of a grid in one parallelogram is in the other."""
    grid = np.stack(np.meshgrid(*2 * [np.linspace(0.0, 1.0, number)]), axis=-1).reshape(-1, 2)
    points = one[0] + grid @ (one[1:3] - one[0])
    shares = np.linalg.solve((other[1:3] - other[0]).T, (points - other[0]).T)
    return bool(np.any(np.all((shares > 0.0) & (shares < 1.0), axis=0)))


@pytest.mark.parametrize("seed", range(12))
def test_a_way_out_is_the_shortest_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (lay(rng.uniform(0.1, 0.3, 2), rng.uniform(-0.1, 0.1, 2), rng.uniform(-3.0, 3.0)) for _ in range(2))
    (move,) = find_way_out(one[None], other[None])
    assert overlap(one, other) == (np.linalg.norm(move) > BETWEEN)
    assert not overlap(one, other + move)
    if np.linalg.norm(move) > 0.03:
        for angle in np.linspace(0.0, 2.0 * np.pi, 48):
            shorter = (np.linalg.norm(move) - BETWEEN - 0.01) * np.array([np.cos(angle), np.sin(angle)])
            assert overlap(one, other + shorter), angle


def make_path(place: tuple[float, float], height: float = 0.0) -> SolePath:
    """Rests flat from frame 4 to 9 of 20, and touches from 3 to 11."""
    touching = np.zeros(20, dtype=bool)
    touching[3:12] = True
    places = np.tile([*place, height], (20, 1))
    turned = np.tile(quat.IDENTITY, (20, 1))
    return SolePath(places, turned, np.full((20, 4), height), np.zeros((20, 2)), ((4, 9),), touching)


def test_feet_that_rest_in_each_other_move_apart_by_as_much(biped: Biped) -> None:
    """As far as they are in each other at most, here in the last frame in which both rest."""
    _, width, _ = np.ptp(level_sole(biped, "left"), axis=0)
    deep = 0.3 * width
    soles = {"left": make_path((0.0, 0.0)), "right": make_path((0.0, 0.5 * deep - width))}
    soles["right"].places[11, 1] = deep - width
    moved = move_apart(biped, soles)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        shift = moved[side].places - soles[side].places
        np.testing.assert_allclose(shift[3:12], np.tile([0.0, 0.5 * sign * (deep + BETWEEN), 0.0], (9, 1)), atol=1e-6)
        np.testing.assert_array_equal(moved[side].rotations, soles[side].rotations)
    again = move_apart(biped, moved)
    assert all(np.abs(again[side].places - moved[side].places).max() < 1e-9 for side in soles)


def test_one_foot_between_two_others_is_moved_from_both(biped: Biped) -> None:
    """The left foot rests twice while the right one does."""
    _, width, _ = np.ptp(level_sole(biped, "left"), axis=0)
    right = make_path((0.0, 0.0))
    touching = right.touching.copy()
    touching[7] = False
    places = np.tile([0.0, 0.8 * width, 0.0], (20, 1))
    places[8:] = [0.0, -0.9 * width, 0.0]
    left = replace(right, places=places, touching=touching, flat=((4, 6), (8, 9)))
    moved = move_apart(biped, {"left": left, "right": right})
    apart = moved["left"].places[:, 1] - moved["right"].places[:, 1]
    assert np.abs(apart[touching]).min() > width + 0.9 * BETWEEN


@pytest.mark.parametrize("case", ["beside", "one after the other", "above"])
def test_feet_that_are_apart_stay(biped: Biped, case: str) -> None:
    _, width, _ = np.ptp(level_sole(biped, "left"), axis=0)
    soles = {"left": make_path((0.0, 0.0)), "right": make_path((0.0, -0.5 * width))}
    if case == "beside":
        soles["right"] = make_path((0.0, -width - 1.1 * BETWEEN))
    elif case == "above":
        soles["right"] = make_path((0.0, -0.5 * width), height=0.17)
    else:
        soles["right"] = replace(soles["right"], touching=~soles["left"].touching)
    moved = move_apart(biped, soles)
    assert all(moved[side] is soles[side] for side in soles)
