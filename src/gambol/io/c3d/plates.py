"""Compute the force on the body from the channels of a force plate: C3D plate types 1 to 4.

All units are SI. Plate axes follow the C3D standard: origin in the middle of the surface, corner 1 at (+x, +y),
corner 2 at (-x, +y), corner 3 at (-x, -y), and z down into the floor.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.recording import ForcePlate

CHANNEL_COUNTS = {1: 6, 2: 6, 3: 8, 4: 6}
"""Number of channels per plate type."""
MIN_LOAD = 20.0
"""Vertical load (N) below which the centre of pressure is undefined."""
MAX_PULL = 100.0
"""Largest downward pull (N) that sensor drift can explain; a floor cannot pull."""


def compute_surface_wrench(kind: int, channels: Array, origin: Array, calibration: Array | None) -> tuple[Array, Array]:
    """Return force and moment about the middle of the surface, (samples, 3) each, in plate axes.

    `channels` are (samples, 6 or 8): type 1 Fx Fy Fz Px Py Tz; types 2 and 4 Fx Fy Fz Mx My Mz about the
    transducers' origin, type 4 before `calibration` (6, 6); type 3 Fx12 Fx34 Fy14 Fy23 Fz1 Fz2 Fz3 Fz4.
    `origin` is the vector from the transducers to the middle of the surface; for type 3 it holds half the distances
    between the sensors along x and y, then the height.
    """
    if kind == 1:
        force, (x, y, torque) = channels[:, :3], channels[:, 3:].T
        fx, fy, fz = force.T
        return force, np.stack((y * fz, -x * fz, torque + x * fy - y * fx), axis=1)
    if kind == 3:
        force, moment = _four_sensors(channels, abs(origin[0]), abs(origin[1]))
        return force, moment - np.cross([0.0, 0.0, -abs(origin[2])], force)
    if calibration is not None:
        channels = channels @ calibration.T
    force, moment = channels[:, :3], channels[:, 3:]
    # Transducers lie below the surface and z points down, so z must be negative. Some systems write the opposite
    # vector, from the surface to the transducers.
    to_surface = -origin if origin[2] > 0.0 else origin
    return force, moment - np.cross(to_surface, force)


def _four_sensors(channels: Array, half_x: float, half_y: float) -> tuple[Array, Array]:
    """Return force and moment about the middle of four sensors, one near each corner."""
    fx12, fx34, fy14, fy23, fz1, fz2, fz3, fz4 = channels.T
    force = np.stack((fx12 + fx34, fy14 + fy23, fz1 + fz2 + fz3 + fz4), axis=1)
    moment = np.stack(
        (
            half_y * (fz1 + fz2 - fz3 - fz4),
            half_x * (fz2 + fz3 - fz1 - fz4),
            half_y * (fx34 - fx12) + half_x * (fy14 - fy23),
        ),
        axis=1,
    )
    return force, moment


def compute_plate_axes(corners: Array) -> Array | None:
    """Return the rotation matrix from plate axes to those of `corners` (4, 3); None where they span no area."""
    one, two, three, four = corners
    x, y = one + four - two - three, one + two - three - four
    z = np.cross(x, y)
    area = np.linalg.norm(z)
    if not (np.isfinite(area) and area > 1e-6):
        return None
    x, z = x / np.linalg.norm(x), z / area
    return np.stack((x, np.cross(z, x), z), axis=1)


def records_action(vertical: Array) -> bool:
    """Return whether `vertical` (samples,), upward, is the force on the plate rather than on the body."""
    pull, push = -float(np.nanmin(vertical, initial=0.0)), float(np.nanmax(vertical, initial=0.0))
    return pull > max(MAX_PULL, push)


def build_force_plate(force: Array, moment: Array, corners: Array, axes: Array, frame_time: float) -> ForcePlate:
    """Return the plate in world axes, from force and moment on the body about the surface's middle in plate axes."""
    upward = axes[:, 2] * (1.0 if axes[2, 2] > 0.0 else -1.0)
    in_world = force @ axes.T
    loaded = in_world @ upward >= MIN_LOAD
    fx, fy, fz = force.T
    mx, my, mz = moment.T
    fz = np.where(loaded, fz, np.nan)
    x, y = -my / fz, mx / fz
    torque = np.where(loaded, mz - (x * fy - y * fx), 0.0)
    in_plate = np.stack((x, y, np.zeros_like(x)), axis=1)
    return ForcePlate(
        corners=corners,
        force=in_world,
        center_of_pressure=corners.mean(axis=0) + in_plate @ axes.T,
        free_moment=torque * float(axes[:, 2] @ upward),
        frame_time=frame_time,
    )
