import numpy as np
from scipy.spatial.transform import Rotation

from gambol.geometry import quaternions as quat

RNG = np.random.default_rng(5)
A, B = (Rotation.random(200, rng=RNG) for _ in range(2))


def wxyz(rotation: Rotation) -> np.ndarray:
    return rotation.as_quat(scalar_first=True)


def test_product_agrees_with_scipy() -> None:
    ours = quat.multiply(wxyz(A), wxyz(B))
    np.testing.assert_allclose(quat.to_matrix(ours), (A * B).as_matrix(), atol=1e-14)


def test_rotate_and_conjugate_agree_with_scipy() -> None:
    vectors = RNG.normal(size=(200, 3))
    np.testing.assert_allclose(quat.rotate(wxyz(A), vectors), A.apply(vectors), atol=1e-14)
    np.testing.assert_allclose(quat.rotate(quat.conjugate(wxyz(A)), vectors), A.inv().apply(vectors), atol=1e-14)


def test_from_axis_angle_agrees_with_scipy() -> None:
    axes = RNG.normal(size=(200, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    angles = RNG.uniform(-7, 7, size=200)
    expected = Rotation.from_rotvec(axes * angles[:, None]).as_matrix()
    np.testing.assert_allclose(quat.to_matrix(quat.from_axis_angle(axes, angles)), expected, atol=1e-14)


def test_matrix_round_trip_with_leading_axes() -> None:
    shaped = wxyz(A).reshape(4, 50, 4)
    back = quat.from_matrix(quat.to_matrix(shaped))
    assert back.shape == shaped.shape
    np.testing.assert_allclose(np.abs(np.sum(back * shaped, axis=-1)), 1.0, atol=1e-12)


def test_continuous_changes_signs_only() -> None:
    angles = np.linspace(0, 6 * np.pi, 300)
    smooth = quat.from_axis_angle(np.array([0.0, 0.6, 0.8]), angles)
    flipped = smooth * RNG.choice([-1.0, 1.0], size=(300, 1))
    mended = quat.make_continuous(flipped)
    np.testing.assert_allclose(np.abs(mended), np.abs(smooth))
    assert (np.sum(mended[1:] * mended[:-1], axis=1) > 0.9).all()


def test_exp_and_log_agree_with_scipy() -> None:
    vectors = np.concatenate((RNG.normal(size=(200, 3)), [[0.0, 0.0, 0.0], [1e-9, 0.0, 0.0], [0.0, 3.14, 0.0]]))
    turned = quat.exp(vectors)
    np.testing.assert_allclose(quat.to_matrix(turned), Rotation.from_rotvec(vectors).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(quat.log(turned), Rotation.from_rotvec(vectors).as_rotvec(), atol=1e-12)
    np.testing.assert_allclose(quat.log(-turned), quat.log(turned), atol=1e-14)
