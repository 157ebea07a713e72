"""Poses nearest to given ones with targets exactly in place, by the shortest steps that fulfil linearised targets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton
from gambol.poses.targets import BodyTarget, measure_targets

NEAR = 1e-4
"""Distance (m) from targets that is accepted."""
_ROUNDS, _STRIDE = 12, 0.3
"""Largest number of steps, and longest step (rad, m)."""
_DAMPING, _UPRIGHT = 1e-6, 0.1
"""Damping (m²), and relative freedom of the root to tilt."""


def project_poses(skeleton: Skeleton, targets: Sequence[BodyTarget], q: Array, tolerance: float = NEAR) -> Array:
    """Return the poses (frames, dofs) nearest to the given ones with targets in place, within joint limits."""
    lower, upper = skeleton.lower, skeleton.upper
    ease = np.array([1.0 if dof.joint or dof.kind == "slide" else _UPRIGHT for dof in skeleton.dofs])
    q = np.clip(q, lower, upper)
    for _ in range(_ROUNDS if targets else 0):
        residual, jacobian = measure_targets(skeleton, targets, q)
        if np.abs(residual).max() < tolerance:
            break
        eased = jacobian * ease
        matrix = eased @ jacobian.transpose(0, 2, 1) + _DAMPING * np.eye(residual.shape[1])
        step = (eased.transpose(0, 2, 1) @ np.linalg.solve(matrix, residual[..., None]))[..., 0]
        step *= np.minimum(1.0, _STRIDE / np.abs(step).max(axis=1, keepdims=True).clip(1e-9))
        q = np.clip(q - step, lower, upper)
    return q
