"""Where a figure was measured: machine, versions, date and commit, as written beside measured figures."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import gambol

_PACKAGES = ("gambol", "numpy", "scipy", "pin", "casadi", "mujoco", "bvhio", "upc-pymotion", "pyrvo")
_SOURCES = (Path(__file__).parent, Path(gambol.__file__).parent)
"""Folders of the code that measures and of the code that is measured."""


def describe_run() -> dict[str, Any]:
    """Return date, commit and machine of this run, ready for JSON."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": find_commit(*_SOURCES),
        "machine": describe_machine(),
    }


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, system and versions."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def find_commit(*folders: Path) -> str:
    """Return the commit of a checkout, with "+" where files in the folders were changed since; empty outside one."""
    try:
        commit = _git(folders[0], "rev-parse", "--short=12", "HEAD")
        changed = _git(folders[0], "status", "--porcelain", "--untracked-files=no", "--", *map(str, folders))
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f"{commit}+" if changed else commit


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
