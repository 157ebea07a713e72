"""From the channels of a force plate to the force it gives the body: C3D's plate types 1 to 4.

Everything here is in SI units. A plate's own axes are those of the C3D standard: the origin in the middle
of the surface, corner 1 at (+x, +y), corner 2 at (-x, +y), corner 3 at (-x, -y), and z down into the floor.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.motion.recording import ForcePlate

CHANNEL_COUNTS = {1: 6, 2: 6, 3: 8, 4: 6}
"""How many channels a plate of each type has."""
MIN_LOAD = 20.0
"""Newtons of vertical load below which a centre of pressure says nothing."""
MAX_PULL = 100.0
"""Newtons that no floor pulls with: more than drift explains."""


def compute_surface_wrench(kind: int, channels: Array, origin: Array, calibration: Array | None) -> tuple[Array, Array]:
    """Force and moment about the middle of the surface, (samples, 3) each, plate axes.

    `channels` are (samples, 6 or 8): type 1 Fx Fy Fz Px Py Tz; types 2 and 4 Fx Fy Fz Mx My Mz about the
    transducers' origin, type 4 before `calibration` (6, 6); type 3 Fx12 Fx34 Fy14 Fy23 Fz1 Fz2 Fz3 Fz4.
    `origin` leads from the transducers to the middle of the surface; for type 3 it holds half the distances
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
    # Transducers lie under the surface and z points down. A positive z is the opposite vector, from the
    # surface to the transducers, which some systems write.
    to_surface = -origin if origin[2] > 0.0 else origin
    return force, moment - np.cross(to_surface, force)


def _four_sensors(channels: Array, half_x: float, half_y: float) -> tuple[Array, Array]:
    """Force and moment about the middle of four sensors, one near each corner."""
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
    """Rotation matrix from plate axes to those of `corners` (4, 3); None where they span no area."""
    one, two, three, four = corners
    x, y = one + four - two - three, one + two - three - four
    z = np.cross(x, y)
    area = np.linalg.norm(z)
    if not (np.isfinite(area) and area > 1e-6):
        return None
    x, z = x / np.linalg.norm(x), z / area
    return np.stack((x, np.cross(z, x), z), axis=1)


def records_action(vertical: Array) -> bool:
    """Whether `vertical` (samples,), up, must be what the body did to the plate: a floor only pushes."""
    pull, push = -float(np.nanmin(vertical, initial=0.0)), float(np.nanmax(vertical, initial=0.0))
    return pull > max(MAX_PULL, push)


def build_force_plate(force: Array, moment: Array, corners: Array, axes: Array, frame_time: float) -> ForcePlate:
    """The plate in the world, from force and moment on the body in plate axes about the surface's middle."""
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
