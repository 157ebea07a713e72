"""Read C3D, the format of motion laboratories: markers, force plates and analogue channels.

By convention plate channels hold the reaction, the force on the body, in the plate's own axes. Where that would mean
that the floor pulls, the channels hold the force on the plate, and their sign is reversed.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.c3d.contents import Contents, read_contents
from gambol.io.c3d.plates import (
    CHANNEL_COUNTS,
    build_force_plate,
    compute_plate_axes,
    compute_surface_wrench,
    records_action,
)
from gambol.io.marker_axes import METRES, find_up_axis, format_up_note, nearest_axis, rotation_to_z_up
from gambol.motion.marker_names import make_unique
from gambol.motion.recording import ForcePlate, Markers, Recording, Table

MAX_DRIFT = 100.0
"""Largest offset (N) in the frames stated as unloaded; a larger value means that the plate was loaded."""
_NEWTONS = {"kn": 1000.0}
_MOMENT = re.compile(r"(?:n|nt|newtons?)(mm|cm|m)")


def read_c3d(path: Path) -> Recording:
    """Read markers, plates and analogue channels of a trial in world axes; the table keeps the file's units."""
    contents = read_contents(path)
    length = _length_unit(contents, path)
    kept = [i for i, label in enumerate(contents.labels) if label not in contents.computed]
    names = make_unique(contents.labels[i] for i in kept)
    positions, residuals = _seen(contents.points[:, kept], length)
    up, reason = _up(contents, length, names, positions)
    turn = rotation_to_z_up(up)
    axes_note = format_up_note(up, reason)
    plates, plate_notes = _plates(contents, length, turn)
    left_out = len(contents.labels) - len(kept)
    notes = (
        axes_note,
        *((f"{left_out} computed points (angles, forces, moments, powers) left out",) if left_out else ()),
        *plate_notes,
    )
    return Recording(
        markers=Markers(
            names=names,
            positions=positions @ turn.T,
            frame_time=1.0 / contents.rate,
            residuals=residuals,
            name=path.stem,
            notes=(axes_note,),
        ),
        plates=plates,
        analog=_table(contents, path.stem),
        name=path.stem,
        notes=notes,
    )


def _length_unit(contents: Contents, path: Path) -> float:
    unit = contents.unit.lower() or "mm"
    if unit not in METRES:
        raise InputError(
            f"unknown unit of length '{contents.unit}'", file=path, fix=f"known units: {', '.join(METRES)}"
        )
    return METRES[unit]


def _seen(points: Array, length: float) -> tuple[Array, Array]:
    """Return positions and residuals in metres, NaN where a marker was not visible."""
    positions, residuals = points[:, :, :3], points[:, :, 3]
    # Some systems write an occluded marker as the origin with a valid residual.
    hidden = (residuals < 0.0) | ~positions.any(axis=2)
    return (
        np.where(hidden[:, :, None], np.nan, positions * length),
        np.where(hidden, np.nan, residuals * length),
    )


def _up(contents: Contents, length: float, names: tuple[str, ...], positions: Array) -> tuple[str, str]:
    """Return the signed axis of the file that points up, and the reason."""
    count = max(contents.plates.used, 0)
    corners = [four * length for four in contents.plates.corners[:count]]
    framed = [(four, axes) for four in corners if (axes := compute_plate_axes(four)) is not None]
    if framed:
        upward = -np.mean([axes[:, 2] for _, axes in framed], axis=0)
        axis = int(np.argmax(np.abs(upward)))
        seen = positions[np.isfinite(positions).all(axis=2)][:, axis]
        rise = np.median(seen) - np.mean([four[:, axis] for four, _ in framed]) if len(seen) else upward[axis]
        return nearest_axis(np.copysign(np.eye(3)[axis], rise)), "the force plates lie across it, below the markers"
    if re.fullmatch(r"[+-][XYZ]", contents.screen_up):
        return contents.screen_up, "the file states it as Y_SCREEN"
    return find_up_axis(names, positions, otherwise="+Z")


def _table(contents: Contents, name: str) -> Table:
    return Table(
        labels=make_unique(contents.analog_labels),
        values=contents.analog,
        times=np.arange(len(contents.analog)) / contents.analog_rate if len(contents.analog) else np.empty(0),
        header={"units": ",".join(contents.analog_units)} if any(contents.analog_units) else {},
        name=name,
    )


def _plates(contents: Contents, length: float, turn: Array) -> tuple[tuple[ForcePlate, ...], list[str]]:
    plates, notes = [], []
    for number in range(min(max(contents.plates.used, 0), len(contents.plates.types))):
        try:
            plate, messages = _plate(contents, number, length, turn)
            plates.append(plate)
            notes += [f"plate {number + 1}: {text}" for text in messages]
        except InputError as error:
            notes.append(f"plate {number + 1} left out: {error.problem}")
    return tuple(plates), notes


def _plate(contents: Contents, number: int, length: float, turn: Array) -> tuple[ForcePlate, list[str]]:
    """Return one plate and its notes; raise InputError where its parameters are incomplete."""
    given, notes = contents.plates, []
    if number >= min(map(len, (given.types, given.corners, given.origins, given.channels))):
        raise InputError("type, corners, origin or channels are missing")
    kind = int(given.types[number]) if np.isfinite(given.types[number]) else 0
    if kind not in CHANNEL_COUNTS:
        raise InputError(f"type {kind} is not supported")
    corners = given.corners[number] * length @ turn.T
    axes = compute_plate_axes(corners)
    if axes is None:
        raise InputError("the corners span no area")
    origin = np.nan_to_num(given.origins[number] * length)
    channels = given.channels[number, : CHANNEL_COUNTS[kind]] - 1
    if len(channels) < CHANNEL_COUNTS[kind] or channels.min() < 0 or channels.max() >= contents.analog.shape[1]:
        raise InputError("it refers to analogue channels that do not exist")
    calibration = None
    if kind == 4:
        if number >= len(given.calibrations):
            raise InputError("the calibration matrix is missing")
        calibration = given.calibrations[number] * np.repeat((1.0, length), 3)[:, None]
    units = [contents.analog_units[i] for i in channels]
    samples = contents.analog[:, channels] * _to_si(kind, units, length)
    offset = _offset(kind, samples, given.zero, len(contents.analog) // len(contents.points))
    drift = abs(compute_surface_wrench(kind, offset[None], origin, calibration)[0][0, 2])
    if drift > MAX_DRIFT:
        notes.append("loaded in the frames stated as ZERO, so its offset is not removed")
    elif np.isfinite(offset).all():
        samples = samples - offset
    force, moment = compute_surface_wrench(kind, samples, origin, calibration)
    if records_action(force @ axes[2]):
        force, moment = -force, -moment
        notes.append("it recorded the force on the plate: sign reversed")
    return build_force_plate(force, moment, corners, axes, 1.0 / contents.analog_rate), notes


def _offset(kind: int, samples: Array, zero: tuple[int, int], each: int) -> Array:
    """Return the mean of the unloaded frames, 0 where the file states none. Positions of type 1 have no offset."""
    first, last = zero
    quiet = samples[(first - 1) * each : last * each]
    if last < first or len(quiet) == 0:
        return np.zeros(samples.shape[1])
    return quiet.mean(axis=0) * (np.array([1, 1, 1, 0, 0, 1]) if kind == 1 else 1)


def _to_si(kind: int, units: list[str], length: float) -> Array:
    """Return factors to N, N m and m. Other units (some files leave V) count as N and N times the unit of length."""
    if kind == 4:
        return np.ones(6)
    forces = [_NEWTONS.get(unit.lower(), 1.0) for unit in units]
    if kind == 3:
        return np.array(forces)
    moments = [METRES[m[1]] if (m := _MOMENT.fullmatch(_letters(unit))) else length for unit in units]
    if kind == 1:
        return np.array([*forces[:3], *(METRES.get(unit.lower(), length) for unit in units[3:5]), moments[5]])
    return np.array(forces[:3] + moments[3:])


def _letters(unit: str) -> str:
    return re.sub(r"[^a-z]", "", unit.lower())
