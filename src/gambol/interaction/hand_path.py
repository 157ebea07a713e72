"""Read the path of a hand from a CSV file."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from gambol.errors import InputError, missing_file_error
from gambol.geometry.arrays import Array

_FIX = "write x, y and z in metres, a sample per line"
_MISSING = ("", "nan", "na", "null")


def load_hand_path(path: Path) -> Array:
    """Return samples (n, 3) in metres; NaN where one is missing. A first line with names is skipped."""
    if not path.is_file():
        raise missing_file_error(path)
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = [line for line in csv.reader(file) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"not a CSV file: {error}", file=path, fix=_FIX) from None
    if lines and not any(_is_number(cell) or _is_missing(cell) for cell in lines[0]):
        lines = lines[1:]
    if not lines:
        raise InputError("no samples", file=path, fix=_FIX)
    return np.array([_parse(line, number, path) for number, line in enumerate(lines, start=1)])


def _parse(line: list[str], number: int, path: Path) -> list[float]:
    if len(line) != 3:
        raise InputError(f"sample {number} has {len(line)} columns, expected 3", file=path, fix=_FIX)
    for cell in line:
        if not _is_number(cell) and not _is_missing(cell):
            raise InputError(f"sample {number}: '{cell[:20]}' is not a number", file=path, fix=_FIX)
    numbers = [float(cell) if _is_number(cell) else np.nan for cell in line]
    return numbers if np.isfinite(numbers).all() else [np.nan] * 3


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in _MISSING
