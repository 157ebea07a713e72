"""Rotation vectors about a reference pose, and the encodings of a layout's channels."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.features.encoding import (
    ROTATION_ENCODINGS,
    apply_rotation_vectors,
    compute_rotation_vectors,
    count_encoded,
    decode_rotations,
    encode_rotations,
)
from gambol.geometry import quaternions as quat

RANDOM = np.random.default_rng(5)
REFERENCE = quat.normalise(RANDOM.normal(size=(6, 4)))
JOINTS = (4, 0, 3)


def test_a_turn_from_the_reference_is_its_rotation_vector() -> None:
    vectors = RANDOM.uniform(-1.0, 1.0, (7, 2, 9))
    rotations = apply_rotation_vectors(vectors, REFERENCE, JOINTS)
    assert rotations.shape == (7, 2, 6, 4)
    np.testing.assert_allclose(compute_rotation_vectors(rotations, REFERENCE, JOINTS), vectors, atol=1e-12)
    # In the order of the joints as given; the vector is in the frame of the joint itself.
    turn = quat.multiply(REFERENCE[4], quat.exp(vectors[..., :3]))
    np.testing.assert_allclose(rotations[..., 4, :], turn, atol=1e-12)


def test_other_joints_stay_as_in_the_reference() -> None:
    rotations = apply_rotation_vectors(RANDOM.normal(size=(5, 9)), REFERENCE, JOINTS)
    np.testing.assert_array_equal(rotations[:, [1, 2, 5]], np.tile(REFERENCE[[1, 2, 5]], (5, 1, 1)))


def test_the_sign_of_a_quaternion_does_not_matter() -> None:
    rotations = quat.normalise(RANDOM.normal(size=(5, 6, 4)))
    np.testing.assert_allclose(
        compute_rotation_vectors(-rotations, REFERENCE, JOINTS),
        compute_rotation_vectors(rotations, REFERENCE, JOINTS),
        atol=1e-12,
    )


@pytest.mark.parametrize("coding", ROTATION_ENCODINGS)
def test_channels_and_back(coding: str) -> None:
    channels = RANDOM.uniform(-1.0, 1.0, (8, 10))
    numbers = encode_rotations(channels, coding)
    assert numbers.shape[-1] == count_encoded(10, coding) == {"log": 10, "quaternion": 12}[coding]
    np.testing.assert_allclose(decode_rotations(numbers, coding), channels, atol=1e-12)
    np.testing.assert_array_equal(numbers[:, -4:], channels[:, -4:])


def test_sums_of_quaternions_are_normalised() -> None:
    channels = RANDOM.uniform(-1.0, 1.0, (8, 10))
    numbers = encode_rotations(channels, "quaternion")
    numbers[:, :-4] *= 2.5
    np.testing.assert_allclose(decode_rotations(numbers, "quaternion"), channels, atol=1e-12)
