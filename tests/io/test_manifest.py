"""Tables of reference motions that were stopped, cut off or damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gambol.errors import InputError
from gambol.io.manifest import KEPT, MANIFEST, Manifest

ROW: dict[str, Any] = {"member": 0, "key": "a", "status": KEPT, "file": "000.npz", "clearance_cm": 1.5}


def test_a_row_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({**ROW, "member": 1}) + "\n" + json.dumps(ROW) + "\n" + '{"member": 2')
    assert list(Manifest(tmp_path, int).rows) == [0, 1]
    assert len((tmp_path / MANIFEST).read_text().splitlines()) == 2


@pytest.mark.parametrize(
    "change",
    [
        {"clearance_cm": float("nan")},
        {"clearance_cm": float("inf")},
        {"file": None},
        {"file": "../000.npz"},
        {"file": "/000.npz"},
        {"file": 3},
        {"member": True},
        {"member": "0"},
        {"status": None},
        {"key": 5},
    ],
)
def test_a_damaged_row_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({**ROW, **change}) + "\n")
    with pytest.raises(InputError, match="not a table of results that gambol wrote"):
        Manifest(tmp_path, int)
