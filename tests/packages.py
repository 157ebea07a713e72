"""Packages of other people, as pip leaves them: a module, and metadata with entry points."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest


def make_package(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, entries: Mapping[str, Mapping[str, str]], code: str
) -> None:
    """Install a package of one module for a test; `entries` has names by group, and what they name."""
    module = name.replace("-", "_")
    site = folder / name
    metadata = site / f"{module}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / f"{module}.py").write_text(code)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = (
        "\n".join((f"[{group}]", *(f"{entry} = {module}:{attribute}" for entry, attribute in names.items())))
        for group, names in entries.items()
    )
    (metadata / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(site)
    monkeypatch.delitem(sys.modules, module, raising=False)
    importlib.invalidate_caches()
