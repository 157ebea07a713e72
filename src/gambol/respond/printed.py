"""The response as printed (YL08, equations 2 to 6), kept for comparison: it diverges on recorded walks.

There is no torque along the near-unactuated coordinates, tracking within one frame, backward and central differences.
The constraint makes these coordinates a double integrator without restoring force, and the printed weight of damping,
10 per frame of 1/60 s, exceeds that of tracking, 200.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place, point_jacobian
from gambol.motion.motion import Motion
from gambol.motion.pushes import Push
from gambol.respond.actuation import Actuation, compute_actuation, upper_body_columns
from gambol.respond.clips import check_pushes
from gambol.respond.push_response import PushResponse

_TRACK, _DAMP, _DAMP_SPINE, _CHANGE = 200.0, 10.0, 30.0, 1.0 / 30.0
_DELAY = 0.2
_LOST = 50.0
"""Deviation (rad) at which the simulation is stopped."""
_REWEIGHTINGS = 12


def respond_to_pushes_as_printed(character: Character, clip: Motion, pushes: Sequence[Push], free: int) -> PushResponse:
    """Respond to pushes over a whole clip by the printed form, with principal components about the mean."""
    check_pushes(clip, pushes)
    fitted = fit(character, clip)
    poses = respond_to_targets_as_printed(fitted, compute_actuation(fitted, centred=True), pushes, free)
    return PushResponse(fitted, poses, tuple(pushes), f"as printed in YL08, k = {free}")


def respond_to_targets_as_printed(
    fitted: Fit, actuation: Actuation, pushes: Sequence[Push], free: int, *, squared: bool = True
) -> Array:
    """Return poses (frames, dofs), constant after divergence; sums of norms are minimised by reweighting."""
    character, targets, h = fitted.character, fitted.motion.q, fitted.motion.frame_time
    upper = upper_body_columns(character)[6:]
    dynamics = Dynamics(character)
    swinging, driven = actuation.free(free), actuation.directions[:, : len(upper) - free]
    weights = np.full(len(upper), _DAMP)
    weights[: _spine(fitted, upper)] = _DAMP_SPINE
    q, torque, began = targets.copy(), None, -np.inf
    for n in range(1, len(q) - 1):
        time = n * h
        acting = [p for p in pushes if p.start <= time < p.end]
        began = max([began, *(p.start for p in acting)])
        acceleration = (targets[n + 1] - 2.0 * targets[n] + targets[n - 1]) / h**2
        acceleration[upper] = (q[n - 1] - 2.0 * q[n])[upper] / h**2
        pulled = dynamics.torques(q[n], (q[n] - q[n - 1]) / h, acceleration)[upper]
        pulled -= _pushed(fitted, q[n], acting)[upper]
        inertia = dynamics.mass_matrix(q[n])[np.ix_(upper, upper)] / h**2
        aims = [
            (_TRACK * np.eye(len(upper)), _TRACK * targets[n + 1][upper]),
            (np.diag(weights) / h, weights / h * q[n][upper]),
        ]
        change = _CHANGE * max(0.0, 1.0 - (time - began) / _DELAY)
        if torque is not None and change > 0.0:
            aims.append((change / h * driven.T @ inertia, change / h * driven.T @ (torque - pulled)))
        new = _least(aims, swinging.T @ inertia, -swinging.T @ pulled, squared)
        if not np.abs(new - targets[n + 1][upper]).max() < _LOST:
            q[n + 1 :, upper] = q[n][upper]
            break
        q[n + 1, upper] = new
        torque = pulled + inertia @ new
    return q


def _spine(fitted: Fit, upper: list[int]) -> int:
    """Return the number of coordinates of lumbar spine and chest, which are one ball joint in the paper."""
    names = fitted.character.skeleton.names
    return sum(names[fitted.character.skeleton.dofs[c].joint] in ("spine", "chest") for c in upper)


def _pushed(fitted: Fit, pose: Array, pushes: Sequence[Push]) -> Array:
    """Return the generalised forces (dofs,) of pushes."""
    total = np.zeros(len(pose))
    for push in pushes:
        body = fitted.character.body(push.body)
        point = fitted.character.centers[body] if push.point is None else np.array(push.point)
        force = np.array(push.force)
        if push.axes == "body":
            force = quat.rotate(place(fitted.character.skeleton, pose[None]).rotations[0, body], force)
        total += point_jacobian(fitted.character.skeleton, pose[None], body, point)[0].T @ force
    return total


def _least(aims: Sequence[tuple[Array, Array]], constraint: Array, value: Array, squared: bool) -> Array:
    """Minimise the sum of norms, or of squares, subject to equation 2 (equation 6)."""
    size, held = constraint.shape[1], len(value)
    scales = np.ones(len(aims))
    found = np.zeros(size)
    for _ in range(1 if squared else _REWEIGHTINGS):
        hessian = sum(s * map_.T @ map_ for s, (map_, _) in zip(scales, aims, strict=True))
        gradient = sum(s * map_.T @ goal for s, (map_, goal) in zip(scales, aims, strict=True))
        system = np.block([[np.asarray(hessian), constraint.T], [constraint, np.zeros((held, held))]])
        found = np.linalg.lstsq(system, np.concatenate((np.asarray(gradient), value)), rcond=None)[0][:size]
        scales = np.array([1.0 / max(float(np.linalg.norm(map_ @ found - goal)), 1e-6) for map_, goal in aims])
    return found
