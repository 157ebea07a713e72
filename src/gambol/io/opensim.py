"""Read and write OpenSim's text files: markers (TRC), tables (MOT, STO); read FORCES files that accompany a TRC."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.c3d.plates import MIN_LOAD
from gambol.io.marker_axes import METRES, find_up_axis, format_up_note, nearest_axis, rotation_to_z_up
from gambol.motion.marker_names import make_unique
from gambol.motion.recording import ForcePlate, Markers, Table

_OLD_KEYS = ("name", "datacolumns", "datarows", "range", "otherdata")
"""Keys that older files separate from their value by a space."""
_ROWS = ("nrows", "datarows")
_SIZES = (*_ROWS, "ncolumns", "datacolumns", "range")
"""Header keys that state the size of the table. OpenSim itself writes wrong numbers of columns."""
_MOST_GAPS = 20
"""Largest ratio of declared cells to characters of data; beyond it the header is wrong and nothing is allocated."""
_SAME_STEP = 0.01
"""Relative difference up to which the time column and the header's rate agree."""


def read_trc(path: Path) -> Markers:
    """Read markers in metres, z up. Empty cells become gaps (NaN)."""
    lines = _lines(path)
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise InputError("not a TRC file", file=path, line=1, fix="the first line must begin with PathFileType")
    head = dict(zip(lines[1].split(), lines[2].split(), strict=False))
    rate, unit = _number(head, "DataRate", path), head.get("Units", "").lower()
    frames, count = int(_number(head, "NumFrames", path)), int(_number(head, "NumMarkers", path))
    if unit not in METRES:
        raise InputError(f"unknown unit of length '{unit}'", file=path, line=3, fix=f"known units: {', '.join(METRES)}")
    named = make_unique(_cells(lines[3])[2:])
    if not 1 <= count <= len(named):
        raise InputError(f"NumMarkers is {count}, but {len(named)} markers are named", file=path, line=4)
    rows = [(number, line) for number, line in enumerate(lines[5:], start=6) if line.strip()]
    if len(rows) != frames or not rows:
        raise InputError(
            f"NumFrames is {frames}, but there are {len(rows)} rows of data",
            file=path,
            fix="export it again, or set NumFrames to the number of rows if none is missing",
        )
    # Motion Analysis software names virtual markers after the NumMarkers real ones, mostly without data.
    cells = _with_gaps(rows, 2 + 3 * len(named), path)[:, : 2 + 3 * count]
    names = named[:count]
    positions = METRES[unit] * cells[:, 2:].reshape(-1, count, 3)
    up, reason = find_up_axis(names, positions, otherwise="+Y")
    frame_time, notes = _frame_time(rate, cells[:, 1])
    return Markers(
        names=names,
        positions=positions @ rotation_to_z_up(up).T,
        frame_time=frame_time,
        name=path.stem,
        notes=(format_up_note(up, reason), *notes),
    )


def read_table(path: Path) -> Table:
    """Read the columns of a MOT or STO file, in the file's units; `header` has all entries but the sizes."""
    lines = _lines(path)
    end = next((i for i, line in enumerate(lines) if line.strip().lower() == "endheader"), None)
    if end is None or end + 1 >= len(lines):
        raise InputError("no line 'endheader'", file=path, fix="MOT and STO files need it above the column names")
    name, header = _header(lines[:end])
    labels = _cells(lines[end + 1])
    if not labels or labels[0].lower() != "time" or len(set(labels)) != len(labels):
        raise InputError("the first column must be 'time' and column names must be unique", file=path, line=end + 2)
    rows = [(number, line) for number, line in enumerate(lines[end + 2 :], start=end + 3) if line.strip()]
    declared = next((value for key, value in header.items() if key.lower() in _ROWS), str(len(rows)))
    if declared != str(len(rows)):
        raise InputError(f"the header declares {declared} rows, but there are {len(rows)}", file=path)
    values = _dense(rows, len(labels), path)
    if not np.isfinite(values[:, 0]).all():
        raise InputError("a time is not a finite number", file=path)
    return Table(
        labels=tuple(labels[1:]),
        values=values[:, 1:],
        times=values[:, 0],
        header={key: value for key, value in header.items() if key.lower() not in _SIZES},
        name=name or path.stem,
    )


def format_sto(table: Table) -> str:
    """Return the table as text of a MOT or STO file; reading it back gives the same numbers."""
    _check_labels(table)
    name = " ".join(table.name.split())
    head = [
        f"name={name}" if "=" in name else name,
        *_entries(table),
        f"nRows={len(table)}",
        f"nColumns={len(table.labels) + 1}",
        "endheader",
        "\t".join(("time", *table.labels)),
    ]
    return "\n".join([*head, *_rows_of(table, "\t")]) + "\n"


def format_csv(table: Table) -> str:
    """Return the table as comma-separated text: header lines that begin with #, labels, numbers."""
    _check_labels(table)
    labels = io.StringIO()
    csv.writer(labels, lineterminator="").writerow(("time", *table.labels))
    head = [f"# {entry}" for entry in (f"name={table.name}", *_entries(table))]
    return "\n".join([*head, labels.getvalue(), *_rows_of(table, ",")]) + "\n"


def read_forces(path: Path) -> tuple[ForcePlate, ...]:
    """Read the plates of a Motion Analysis FORCES file (N and mm): force on the body, centre of pressure, torque.

    The file does not state the corners of the plates: they are NaN.
    """
    lines = _lines(path)
    if lines[0].strip() != "[Force Data]" or len(lines) < 5:
        raise InputError("not a FORCES file", file=path, line=1, fix="the first line must be [Force Data]")
    head = dict(line.split("=", 1) for line in lines[1:4] if "=" in line)
    rate = _number(head, "SampleRate", path)
    count, samples = (
        int(_number(head, "NumberOfForcePlates", path)),
        int(_number(head, "NumberOfSamples", path)),
    )
    rows = [(number, line) for number, line in enumerate(lines[5:], start=6) if line.strip()]
    if len(rows) != samples or len(lines[4].split()) != 1 + 7 * count:
        raise InputError(f"the data do not match the {samples} rows and {count} plates of the header", file=path)
    cells = _dense(rows, 1 + 7 * count, path)[:, 1:].reshape(-1, count, 7)
    forces = cells[:, :, :3]
    up = nearest_axis(forces.reshape(-1, 3)[np.argmax(np.nanmax(np.abs(forces), axis=2))])
    turn = rotation_to_z_up(up)
    plates = []
    for force, point, torque in zip(
        forces.swapaxes(0, 1), cells[:, :, 3:6].swapaxes(0, 1), cells[:, :, 6].T, strict=True
    ):
        in_world = force @ turn.T
        loaded = in_world[:, 2:] >= MIN_LOAD
        at = np.where(loaded, 0.001 * point @ turn.T, np.nan)
        plates.append(ForcePlate(np.full((4, 3), np.nan), in_world, at, 0.001 * torque, 1.0 / rate))
    return tuple(plates)


def _lines(path: Path) -> list[str]:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    if b"\0" in raw:
        raise InputError("binary data where text is expected", file=path)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _number(head: dict[str, str], key: str, path: Path) -> float:
    """Return a positive number of a header: a rate or a count."""
    try:
        value = float(head.get(key, "").strip())
    except ValueError:
        value = np.nan
    if not (np.isfinite(value) and value > 0.0):
        raise InputError(f"{key} must be a positive number, not '{head.get(key, '')}'", file=path)
    return value


def _frame_time(rate: float, times: Array) -> tuple[float, tuple[str, ...]]:
    """Return the header's frame time, unless the time column differs: downsampled files often keep the old rate."""
    mean = (times[-1] - times[0]) / max(len(times) - 1, 1)
    if not (np.isfinite(mean) and mean > 0.0) or abs(mean * rate - 1.0) <= _SAME_STEP:
        return 1.0 / rate, ()
    usual = float(np.nanmedian(np.diff(times)))
    step = usual if abs(usual / mean - 1.0) <= _SAME_STEP else float(mean)
    return step, (f"the frame time {step:.6g} s is from the time column: it disagrees with DataRate {rate:g}",)


def _header(lines: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the table's name and header entries; a line without separator is a key without value."""
    name, header = "", {}
    for number, line in enumerate(text.strip() for text in lines):
        first, _, rest = line.partition(" ")
        if "=" in line:
            key, _, value = line.partition("=")
        elif first.lower() in _OLD_KEYS and rest:
            key, value = first, rest
        elif number == 0:
            key, value = "name", line
        else:
            key, value = line, ""
        if key.strip().lower() == "name":
            name = value.strip()
        elif key.strip():
            header[key.strip()] = value.strip()
    return name, header


def _cells(line: str) -> list[str]:
    """Return the labels of a line separated by tabs, else by spaces; repeated and trailing tabs are ignored."""
    return [cell.strip() for cell in line.split("\t") if cell.strip()] if "\t" in line else line.split()


def _with_gaps(rows: list[tuple[int, str]], width: int, path: Path) -> Array:
    """Return cells (rows, width) of tab-separated lines, NaN where one is empty or the line ends early."""
    try:
        values = np.loadtxt([line.rstrip() for _, line in rows], delimiter="\t", ndmin=2, comments=None)
        if values.shape[1] == width:
            return _finite(values)
    except ValueError:
        pass
    if len(rows) * width > _MOST_GAPS * sum(len(line) for _, line in rows) + 1_000_000:
        raise InputError(f"rows have far fewer than the {width} declared cells", file=path, line=rows[0][0])
    values = np.full((len(rows), width), np.nan)
    for i, (number, line) in enumerate(rows):
        cells = _row(line.split("\t"), width, number, path)
        values[i, : len(cells)] = cells
    return _finite(values)


def _row(cells: list[str], width: int, number: int, path: Path) -> list[float]:
    while len(cells) > width and not cells[-1].strip():
        cells = cells[:-1]
    if len(cells) > width:
        raise InputError(f"{len(cells)} cells, but {width} are declared", file=path, line=number)
    try:
        return [float(cell) if cell.strip() else np.nan for cell in cells]
    except ValueError as error:
        raise InputError(f"a cell is not a number ({error})", file=path, line=number) from None


def _dense(rows: list[tuple[int, str]], width: int, path: Path) -> Array:
    """Return numbers (rows, width); every line must be complete."""
    if not rows:
        raise InputError("no rows of data", file=path)
    try:
        values = np.loadtxt([line for _, line in rows], ndmin=2, comments=None)
        if values.shape[1] == width:
            return values
    except ValueError:
        pass
    for number, line in rows:
        cells = line.split()
        if len(cells) != width:
            raise InputError(f"{len(cells)} cells, expected {width}", file=path, line=number)
        _row(cells, width, number, path)
    raise InputError("the rows are not all numbers", file=path)


def _finite(values: Array) -> Array:
    return np.where(np.isfinite(values), values, np.nan)


def _entries(table: Table) -> list[str]:
    """Return the header lines, without sizes that could contradict the table."""
    entries = [f"{key}={value}" if value else key for key, value in table.header.items() if key.lower() not in _SIZES]
    return [" ".join(entry.split()) for entry in entries]


def _rows_of(table: Table, separator: str) -> Iterator[str]:
    rows = np.column_stack((table.times, table.values)).tolist()
    return (separator.join(map(repr, row)) for row in rows)


def _check_labels(table: Table) -> None:
    for label in table.labels:
        if label != label.strip() or not label or "\t" in label or "\n" in label or "\r" in label:
            raise InputError(
                f"invalid column name {label!r}",
                fix="names must not be empty or contain tabs, line breaks or outer spaces",
            )
