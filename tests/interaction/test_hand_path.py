"""Paths of hands from CSV files: names, missing samples, and what is not a path."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction.hand_path import load_hand_path

NAN = float("nan")


def load(folder: Path, text: str | bytes) -> list[list[float]]:
    path = folder / "hand.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_hand_path(path).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n4,5,6\n",
        "x,y,z\n1,2,3\n4,5,6",
        "\ufeffx,y,z\r\n1,2,3\r\n\r\n4,5,6\r\n",
        '" 1","2 ", 3\n4.0,5e0,+6\n',
    ],
)
def test_samples_are_read(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text) == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


@pytest.mark.parametrize("row", [",,", "nan,nan,nan", "1,2,", "NaN, 2, 3", "na,na,na", "null,null,null"])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_missing_samples_keep_their_place(tmp_path: Path, row: str, at: int) -> None:
    lines = ["1,2,3", "4,5,6"]
    lines.insert(at, row)
    found = np.array(load(tmp_path, "\n".join(lines)))
    assert found.shape == (3, 3)
    assert np.isnan(found[at]).all()
    np.testing.assert_array_equal(np.delete(found, at, axis=0), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no samples"),
        ("x,y,z\n", "no samples"),
        ("1,2\n", "sample 1 has 2 columns, expected 3"),
        ("x,y,z\n1,2,3\n1,2,3,4\n", "sample 2 has 4 columns"),
        ("1;2;3\n4;5;6\n", "columns, expected 3"),
        ("1,2,3\n4,five,6\n", "sample 2: 'five' is not a number"),
        ("1,2,3\n4,inf,6\n", "sample 2: 'inf' is not a number"),
        (b"\xff\xfe1\x00,\x002\x00", "not a CSV file"),
        ("1,2," + "9" * 200_000, "not a CSV file"),
        ("1,2,3\n4,5," + "x" * 1000, "sample 2: 'x{20}' is not"),
    ],
)
def test_what_is_not_a_path_is_an_error_of_one_line(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        load(tmp_path, text)
    assert "\n" not in str(error.value)
    assert "hand.csv" in str(error.value)
    assert "metres" in str(error.value)


def test_no_file_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none.csv", tmp_path):
        with pytest.raises(InputError, match="no such file"):
            load_hand_path(path)
