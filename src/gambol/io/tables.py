"""Write motions and recordings as tables: CSV, MOT and STO."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.io.opensim import format_csv, format_sto
from gambol.io.output import atomic_write
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers, Recording, Table
from gambol.motion.skeleton import Skeleton
from gambol.version import __version__

TABLE_EXTENSIONS = (".csv", ".mot", ".sto")


def save_table(table: Table, path: Path) -> Path:
    """Write a table as .csv, .mot or .sto."""
    check_table_path(path)
    with atomic_write(path) as temporary:
        text = format_csv(table) if path.suffix.lower() == ".csv" else format_sto(table)
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return path


def check_table_path(path: Path) -> None:
    """Raise InputError if a file cannot hold a table."""
    suffix = path.suffix.lower()
    if suffix not in TABLE_EXTENSIONS:
        raise InputError(f"a table cannot be written as '{suffix}'", file=path, fix="choose .csv, .mot or .sto")


def save_recording(recording: Recording | Markers | Table, path: Path) -> Path:
    """Write a recording: plates as .mot or .sto, markers as .csv, a table in any of these."""
    if isinstance(recording, Table):
        return save_table(recording, path)
    if path.suffix.lower() == ".csv":
        return save_table(tabulate_markers(recording.markers if isinstance(recording, Recording) else recording), path)
    if isinstance(recording, Recording) and recording.plates:
        return save_table(tabulate_plates(recording), path)
    raise InputError("the recording has no force plate", file=path, fix="write its markers as .csv")


def tabulate_joints(motion: Motion) -> Table:
    """Return the coordinates of a motion as columns, in the order of its dofs: degrees and metres, z up."""
    labels, signs = label_coordinates(motion.skeleton)
    units = [1.0 if dof.kind == "slide" else 180.0 / np.pi for dof in motion.skeleton.dofs]
    header = {"version": "1", "inDegrees": "yes", "gambol": __version__} | {
        key: str(value) for key, value in motion.made.items()
    }
    return Table(labels, motion.q * signs * units, motion.times, header, motion.name)


def label_coordinates(skeleton: Skeleton) -> tuple[tuple[str, ...], Array]:
    """Return a name for every coordinate, and the sign (dofs,) that refers it to the positive axis of that name."""
    labels, signs = [], []
    for column, dof in enumerate(skeleton.dofs):
        largest = int(np.argmax(np.abs(dof.axis)))
        plain = abs(dof.axis[largest]) > 0.999
        # An axis that is not x, y or z is named by its position among the joint's dofs.
        axis = "xyz"[largest] if plain else str(skeleton.columns(dof.joint).index(column) + 1)
        labels.append(f"{skeleton.names[dof.joint]}_{'t' if dof.kind == 'slide' else 'r'}{axis}")
        signs.append(np.sign(dof.axis[largest]) if plain else 1.0)
    return _unique(labels), np.array(signs)


def tabulate_markers(markers: Markers) -> Table:
    """Return marker positions as columns: metres, world axes (z up)."""
    labels = [f"{name}_{axis}" for name in markers.names for axis in "xyz"]
    times = np.arange(len(markers)) * markers.frame_time
    header = {"units": "m", "gambol": __version__}
    return Table(_unique(labels), markers.positions.reshape(len(markers), -1), times, header, markers.name)


def tabulate_plates(recording: Recording) -> Table:
    """Return force on the body (N), centre of pressure (m) and free moment (N m) per plate, y up as in OpenSim."""
    labels: list[str] = []
    columns: list[np.ndarray] = []
    for n, plate in enumerate(recording.plates, start=1):
        moment = np.zeros_like(plate.force)
        moment[:, 2] = plate.free_moment
        for prefix, values in (
            (f"ground_force_{n}_v", plate.force),
            (f"ground_force_{n}_p", np.nan_to_num(plate.center_of_pressure)),
            (f"ground_torque_{n}_", moment),
        ):
            labels += [f"{prefix}{axis}" for axis in "xyz"]
            columns += [values[:, 0], values[:, 2], -values[:, 1]]
    times = np.arange(len(columns[0])) * recording.plates[0].frame_time
    header = {"version": "1", "inDegrees": "no", "gambol": __version__}
    return Table(tuple(labels), np.stack(columns, axis=1), times, header, recording.name)


def _unique(labels: list[str]) -> tuple[str, ...]:
    seen: dict[str, int] = {}
    out = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        out.append(label if seen[label] == 1 else f"{label}_{seen[label]}")
    return tuple(out)
