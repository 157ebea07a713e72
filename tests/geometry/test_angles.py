import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, RotationSpline

from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about, find_safest_axes, find_safest_order, gimbal_margin, whole_turns

T = np.linspace(0, 1, 400)


def turning(axes: np.ndarray, angles: np.ndarray) -> np.ndarray:
    out = quat.from_axis_angle(axes[0], angles[:, 0])
    for k in (1, 2):
        out = quat.multiply(out, quat.from_axis_angle(axes[k], angles[:, k]))
    return out


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (2, 0, 1), (1, 2, 0), (0, 2, 1), (1, 0, 2)])
def test_angles_give_the_rotation_back_and_run_on_smoothly(order: tuple[int, int, int]) -> None:
    axes = np.eye(3)[list(order)]
    true = np.stack((20 * T, 1.2 * np.sin(9 * T), -15 * T), axis=1)
    angles = angles_about(axes, turning(axes, true))
    same = np.abs(np.sum(turning(axes, angles) * turning(axes, true), axis=1))
    np.testing.assert_allclose(same, 1.0, atol=1e-12)
    assert np.abs(np.diff(angles, axis=0)).max() < 1.1 * np.abs(np.diff(true, axis=0)).max()


def test_passing_over_the_pole_does_not_jump() -> None:
    """The middle angle runs past 90 degrees; the other triple would flip two angles by 180."""
    axes = np.eye(3)[[2, 1, 0]]
    true = np.stack((0.3 * T, 3.0 * T, 0.2 * T), axis=1)
    angles = angles_about(axes, turning(axes, true))
    np.testing.assert_allclose(angles - angles[0], true - true[0], atol=1e-6)


def test_axes_need_not_be_the_coordinate_axes() -> None:
    axes = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    true = np.stack((T, 0.5 * T, -T), axis=1)
    np.testing.assert_allclose(angles_about(axes, turning(axes, true)), true, atol=1e-12)


def test_safest_order_avoids_gimbal_lock() -> None:
    """A full turn about y locks every order that has y in the middle."""
    rotations = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 6.0 * T)
    order = find_safest_order(rotations)
    assert order[1] != 1
    assert gimbal_margin(angles_about(np.eye(3)[list(order)], rotations)) > 0.99
    assert gimbal_margin(angles_about(np.eye(3)[[2, 1, 0]], rotations)) < 0.1


@pytest.mark.parametrize("seed", range(6))
def test_there_are_always_axes_without_gimbal_lock(seed: int) -> None:
    """A tumble through any orientations locks every order of the coordinate axes, but not the chosen axes."""
    keys = Rotation.random(6, rng=seed)
    rotations = quat.make_continuous(RotationSpline(np.arange(6), keys)(5 * T).as_quat(scalar_first=True))
    orders = [np.eye(3)[list(order)] for order in itertools.permutations(range(3))]
    usual = max(gimbal_margin(angles_about(order, rotations)) for order in orders)
    rest, axes = find_safest_axes(rotations)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    local = quat.multiply(quat.conjugate(rest), rotations)
    chosen = angles_about(axes, local)
    assert gimbal_margin(chosen) > max(0.25, usual)
    np.testing.assert_allclose(np.abs(np.sum(turning(axes, chosen) * local, axis=1)), 1.0, atol=1e-12)


def test_angles_without_whole_turns_are_within_half_a_turn() -> None:
    angles = np.linspace(-20.0, 20.0, 401)
    left = angles - whole_turns(angles)
    assert np.abs(left).max() <= np.pi + 1e-12
    np.testing.assert_allclose(np.exp(1j * left), np.exp(1j * angles), atol=1e-12)
