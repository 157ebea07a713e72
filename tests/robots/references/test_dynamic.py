"""Contacts and clearances of soles on a slope."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.robots.biped import Biped, find_biped
from gambol.robots.references.dynamic import _list_clearances, _list_contacts
from gambol.robots.references.soles import SolePath
from gambol.robots.robot import load_robot
from gambol.robots.sole_shapes import level_sole

SLOPE = np.array([0.1, -0.05])


@pytest.fixture(scope="module")
def biped() -> Biped:
    return find_biped(load_robot().description)


def lay(biped: Biped) -> SolePath:
    """A sole that is level 1 cm above a slope, and in frames 3 to 6 on it."""
    touching = np.isin(np.arange(10), (3, 4, 5, 6))
    places = np.column_stack((np.linspace(0.0, 0.9, 10), np.zeros(10), np.where(touching, 0.0, 0.01)))
    path = SolePath(
        places, np.tile([1.0, 0.0, 0.0, 0.0], (10, 1)), np.zeros((10, 4)), np.tile(SLOPE, (10, 1)), ((3, 6),), touching
    )
    corners = path.find_corners(level_sole(biped, "left"))
    return SolePath(path.places, path.rotations, corners[..., :2] @ SLOPE, path.slopes, path.flat, touching)


def test_forces_are_about_the_normal_of_the_slope(biped: Biped) -> None:
    (contact,) = _list_contacts(biped, "left", lay(biped))
    assert (contact.first, contact.last) == (3, 6)
    np.testing.assert_allclose(contact.normal, np.append(-SLOPE, 1.0) / np.sqrt(1.0 + SLOPE @ SLOPE))


def test_corners_are_kept_above_the_slope(biped: Biped) -> None:
    """Wherever a corner is on the slope, it is at the height of its clearance."""
    path = lay(biped)
    clearances = list(_list_clearances(biped, "left", path, list(_list_contacts(biped, "left", path))))
    assert len(clearances) == 4
    for one in clearances:
        assert set(one.frames) <= {0, 1, 2, 7, 8, 9}
        for aside in ([0.0, 0.0], [0.3, -0.2]):
            points = np.append(aside, np.array(aside) @ SLOPE)
            np.testing.assert_allclose(one.normal @ points, one.height, atol=1e-12)
