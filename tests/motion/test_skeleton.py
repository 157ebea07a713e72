from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.motion.motion import CYCLIC, Motion
from gambol.motion.skeleton import Dof, Skeleton
from tests.motion.bodies import random_skeleton


def placed_by_matrices(skeleton: Skeleton, q: np.ndarray) -> np.ndarray:
    """World frames (joints, 4, 4) by an independent method: one matrix after the other."""
    world: list[np.ndarray] = []
    for joint, parent in enumerate(skeleton.parents):
        local = np.eye(4)
        local[:3, 3] = skeleton.offsets[joint]
        local[:3, :3] = Rotation.from_quat(skeleton.rests[joint], scalar_first=True).as_matrix()
        for value, dof in zip(q, skeleton.dofs, strict=True):
            if dof.joint == joint and dof.kind == "slide":
                local[:3, 3] += value * np.array(dof.axis)
            elif dof.joint == joint:
                local[:3, :3] = local[:3, :3] @ Rotation.from_rotvec(value * np.array(dof.axis)).as_matrix()
        world.append(local if parent < 0 else world[parent] @ local)
    return np.array(world)


@pytest.mark.parametrize("seed", range(12))
def test_placement_agrees_with_matrices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, joints=int(rng.integers(1, 12)))
    q = rng.normal(size=(3, len(skeleton.dofs)))
    placed = place(skeleton, q)
    for frame in range(3):
        expected = placed_by_matrices(skeleton, q[frame])
        np.testing.assert_allclose(placed.positions[frame], expected[:, :3, 3], atol=1e-12)
        np.testing.assert_allclose(quat.to_matrix(placed.rotations[frame]), expected[:, :3, :3], atol=1e-12)


@pytest.mark.parametrize("axes", [CYCLIC, CYCLIC.T, np.diag([-1.0, -1.0, 1.0]), Rotation.random(rng=1).as_matrix()])
def test_turning_the_world_turns_positions_and_keeps_angles(axes: np.ndarray) -> None:
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng)
    q = rng.normal(size=(4, len(skeleton.dofs)))
    slides = np.array([d.kind == "slide" for d in skeleton.dofs])
    turned = place(skeleton.change_axes(axes, 0.01), np.where(slides, 0.01 * q, q))
    np.testing.assert_allclose(turned.positions, 0.01 * place(skeleton, q).positions @ axes.T, atol=1e-12)


def test_data_cannot_be_changed() -> None:
    skeleton = Skeleton(("a",), (-1,), np.zeros((1, 3)), (Dof(0, "turn", (0.0, 0.0, 1.0)),))
    motion = Motion(skeleton, np.zeros((3, 1)), 0.01)
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        skeleton.offsets[0, 0] = 1.0


@pytest.mark.parametrize(
    ("names", "parents", "message"),
    [
        ((), (), "1 to"),
        (("a", "a"), (-1, 0), "two joints"),
        (("a", "b", "c", "d"), (-1, 0, 0, 1), "depth first"),
        (("a", "b"), (-1, 5), "depth first"),
        (("a", "b"), (0, -1), "root first"),
    ],
)
def test_bad_trees_are_refused(names: tuple[str, ...], parents: tuple[int, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Skeleton(names, parents, np.zeros((len(names), 3)), ())


@pytest.mark.parametrize(
    ("q", "frame_time", "message"),
    [
        (np.zeros((0, 1)), 0.1, "at least one frame"),
        (np.zeros((2, 2)), 0.1, "q must be"),
        (np.array([[0.0], [np.nan]]), 0.1, "frame 1, joint 'a'"),
        (np.zeros((2, 1)), 0.0, "positive"),
        (np.zeros((2, 1)), float("nan"), "positive"),
    ],
)
def test_bad_motions_are_refused(q: np.ndarray, frame_time: float, message: str) -> None:
    skeleton = Skeleton(("a",), (-1,), np.zeros((1, 3)), (Dof(0, "turn", (0.0, 0.0, 1.0)),))
    with pytest.raises(InputError, match=message):
        Motion(skeleton, q, frame_time)


def test_slices_keep_everything_else() -> None:
    skeleton = Skeleton(("a",), (-1,), np.zeros((1, 3)), (Dof(0, "turn", (0.0, 0.0, 1.0)),))
    motion = Motion(skeleton, np.arange(6.0)[:, None], 0.5, name="six")
    part = motion[2:5]
    assert (len(part), part.name, part.frame_time, part.duration) == (3, "six", 0.5, 1.0)
    assert part.q[:, 0].tolist() == [2.0, 3.0, 4.0]
    every_other = motion[::2]
    assert (every_other.frame_time, every_other.q[:, 0].tolist()) == (1.0, [0.0, 2.0, 4.0])
    for wrong in (slice(None, None, -1), 3):
        with pytest.raises(InputError, match="slices that go forward"):
            motion[wrong]  # type: ignore[index]
