"""Parse a C3D file into arrays in the file's own units and axes.

The c3d package does the parsing. Sizes are checked against the file before frames are read, and any exception that the
package raises becomes an InputError.
"""

from __future__ import annotations

import io
import struct
import warnings
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array

_BLOCK = 512
_PROCESSORS = (84, 85, 86)
_BIG_ENDIAN = 86
_COMPUTED = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS")
_FIX = "export it again from the capture software, or check that the copy is complete"


@dataclass(frozen=True, eq=False)
class PlateParameters:
    """The FORCE_PLATFORM group: arrays whose first axis is the plate; any may be shorter than `used`."""

    used: int
    types: Array
    corners: Array
    """(plates, 4, 3)."""
    origins: Array
    """(plates, 3)."""
    channels: NDArray[np.intp]
    """(plates, 6 or 8), counted from 1."""
    calibrations: Array
    """(plates, 6, 6) rows are Fx Fy Fz Mx My Mz."""
    zero: tuple[int, int]
    """First and last frame without load, counted from 1; (1, 0) where the file states none."""


@dataclass(frozen=True, eq=False)
class Contents:
    """Points and analogue samples, with the parameters that describe them."""

    labels: tuple[str, ...]
    points: Array
    """(frames, points, 4): x, y, z and the residual, negative where the point was not visible."""
    rate: float
    unit: str
    screen_up: str
    """The axis that points up on screen, such as "+Z"; empty where the file does not state it."""
    computed: frozenset[str]
    """Labels of points that hold angles, forces, moments or powers instead of positions."""
    analog: Array
    """(samples, channels)."""
    analog_rate: float
    analog_labels: tuple[str, ...]
    analog_units: tuple[str, ...]
    plates: PlateParameters


def read_contents(path: Path) -> Contents:
    """Parse a file; raise InputError for any defect."""
    try:
        raw = path.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _contents(raw, path)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"damaged C3D file ({reason})", file=path, fix=_FIX) from None


def _contents(raw: bytes, path: Path) -> Contents:
    from gambol.io.c3d.tolerant import TolerantReader

    if len(raw) < 2 * _BLOCK or raw[1] != 0x50:
        raise InputError("not a C3D file: the second byte is not 80", file=path, fix=_FIX)
    reader = TolerantReader(io.BytesIO(_with_distinct_parameters(raw)))
    rate, analog_rate = _decimal(reader.point_rate), _decimal(reader.analog_rate)
    if not (np.isfinite(rate) and rate > 0.0):
        raise InputError(f"the frame rate must be positive, got {rate} per second", file=path, fix=_FIX)
    if reader.analog_used and not (np.isfinite(analog_rate) and analog_rate > 0.0):
        raise InputError(f"the sample rate must be positive, got {analog_rate} per second", file=path, fix=_FIX)
    points, analog = _frames(reader, _check_size(reader, len(raw), path))
    return Contents(
        labels=_series(reader, "POINT:LABELS", points.shape[1], "point"),
        points=points,
        rate=rate,
        unit=_text(reader, "POINT:UNITS"),
        screen_up=_text(reader, "POINT:Y_SCREEN").upper(),
        computed=frozenset(label for name in _COMPUTED for label in _all_strings(reader, f"POINT:{name}")),
        analog=analog,
        analog_rate=analog_rate,
        analog_labels=_series(reader, "ANALOG:LABELS", analog.shape[1], "channel"),
        analog_units=_series(reader, "ANALOG:UNITS", analog.shape[1], ""),
        plates=_plates(reader),
    )


def _with_distinct_parameters(raw: bytes) -> bytes:
    """Move parameters that repeat a name within their group into unnamed groups.

    Vicon's software appends the subject's measurements again at every run of its model; the c3d package rejects
    repeated names.
    """
    patched = bytearray(raw)
    start = (raw[0] - 1) * _BLOCK
    blocks, processor = raw[start + 2 : start + 4]
    if processor not in _PROCESSORS:
        raise ValueError(f"byte order {processor} is none of {_PROCESSORS}")
    entries = []
    position = start + 4
    while position + 2 < min(start + blocks * _BLOCK, len(raw)):
        length, group = struct.unpack_from("bb", raw, position)
        after_name = position + 2 + abs(length)
        if length == 0 or group == 0:
            break
        entries.append((position + 1, group, raw[position + 2 : after_name].upper()))
        (offset,) = struct.unpack_from(">h" if processor == _BIG_ENDIAN else "<h", raw, after_name)
        if offset <= 0:
            break
        position = after_name + offset
    spare = iter(sorted(set(range(1, 128)) - {abs(group) for _, group, _ in entries}))
    repeats: dict[tuple[int, bytes], int] = {}
    moved: dict[tuple[int, int], int] = {}
    for place, group, name in entries:
        if group > 0:
            count = repeats[group, name] = repeats.get((group, name), -1) + 1
            if count:
                moved[group, count] = moved.get((group, count)) or next(spare)
                patched[place] = moved[group, count]
    return bytes(patched)


def _check_size(reader: Any, size: int, path: Path) -> int:
    """Return the number of frames; check, before anything is allocated, that they fit into the file."""
    from gambol.io.c3d.tolerant import count_frames, list_frame_counts

    if not np.isfinite(reader.point_scale):
        raise InputError(f"the scale of the points is {reader.point_scale}", file=path, fix=_FIX)
    word = 4 if reader.point_scale < 0.0 else 2
    words = 4 * int(reader.point_used) + int(reader.analog_used) * int(reader.analog_per_frame)
    available = size - (int(reader.header.data_block) - 1) * _BLOCK
    stated = list_frame_counts(reader)
    if words == 0 or not stated:
        raise InputError("the file holds neither markers nor analogue channels", file=path, fix=_FIX)
    frames = count_frames(reader, available, words * word)
    if frames is None:
        room = max(available, 0) // (words * word)
        raise InputError(
            f"the file was cut: it declares {max(stated)} frames and has room for {room}", file=path, fix=_FIX
        )
    return frames


def _frames(reader: Any, frames: int) -> tuple[Array, Array]:
    points, channels = int(reader.point_used), int(reader.analog_used)
    each = int(reader.analog_per_frame) if channels else 0
    all_points = np.empty((frames, points, 4))
    analog = np.empty((frames * each, channels))
    read = 0
    for read, (_, frame, samples) in enumerate(islice(reader.read_frames(copy=False), frames), start=1):
        all_points[read - 1] = frame[:, :4]
        if each:
            analog[(read - 1) * each : read * each] = samples.T
    if read < frames:
        raise ValueError(f"frame {read + 1} cannot be read")
    return all_points, np.where(np.isfinite(analog), analog, np.nan)


def _plates(reader: Any) -> PlateParameters:
    def numbers(name: str) -> Array:
        return _numbers(reader.get(f"FORCE_PLATFORM:{name}"))

    used = numbers("USED").ravel()
    zero = numbers("ZERO").ravel()
    calibration = numbers("CAL_MATRIX")
    square = calibration.ndim > 1 and calibration.shape[-2:] == (6, 6)
    channels = np.atleast_2d(numbers("CHANNEL"))
    return PlateParameters(
        used=int(used[0]) if used.size else 0,
        types=numbers("TYPE").ravel(),
        corners=_rows(numbers("CORNERS"), (4, 3)),
        origins=_rows(numbers("ORIGIN"), (3,)),
        channels=channels.astype(np.intp) if channels.ndim == 2 else np.empty((0, 0), dtype=np.intp),
        # The file's first index, the force, varies fastest: as read, each row holds one channel.
        calibrations=_rows(calibration if square else np.empty(0), (6, 6)).swapaxes(1, 2),
        # Some systems count the first frame as 0.
        zero=(max(int(zero[0]), 1), int(zero[1])) if zero.size == 2 else (1, 0),
    )


def _rows(values: Array, shape: tuple[int, ...]) -> Array:
    """Return (n, *shape) with as many complete items as there are."""
    each = int(np.prod(shape))
    flat = values.ravel()
    return flat[: flat.size // each * each].reshape(-1, *shape)


def _numbers(parameter: Any) -> Array:
    if parameter is None or 0 in parameter.dimensions:
        return np.empty(0)
    if parameter.bytes_per_element not in (2, 4) or len(parameter.bytes) != parameter.total_bytes:
        raise ValueError(f"parameter {parameter.name} is damaged")
    if not parameter.dimensions:
        return np.array([parameter.int16_value if parameter.bytes_per_element == 2 else parameter.float_value], float)
    array = parameter.int16_array if parameter.bytes_per_element == 2 else parameter.float_array
    return np.where(np.isfinite(array), array, np.nan).astype(float)


def _strings(parameter: Any) -> list[str]:
    # The package allocates one cell per declared string: make sure the bytes are present.
    if parameter is None or 0 in parameter.dimensions or len(parameter.bytes) != parameter.total_bytes:
        return []
    return [text.replace("\0", " ").strip() for text in np.ravel(parameter.string_array).tolist()]


def _all_strings(reader: Any, name: str) -> list[str]:
    """Return a list of strings that continues in NAME2, NAME3... beyond 255 entries."""
    strings, part = _strings(reader.get(name)), 2
    while (more := reader.get(f"{name}{part}")) is not None:
        strings += _strings(more)
        part += 1
    return strings


def _series(reader: Any, name: str, count: int, kind: str) -> tuple[str, ...]:
    """Return exactly `count` strings; missing ones are named by `kind` and their number."""
    strings = (_all_strings(reader, name) + [""] * count)[:count]
    return tuple(text or (f"{kind}{i}" if kind else "") for i, text in enumerate(strings, start=1))


def _text(reader: Any, name: str) -> str:
    return next(iter(_strings(reader.get(name))), "")


def _decimal(rate: float) -> float:
    """Return the decimal number that a single-precision value was rounded from."""
    return float(str(np.float32(rate)))
