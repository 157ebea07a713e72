"""Where a figure was measured: machine, versions, date and commit, as written beside measured figures."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = ("gambol", "numpy", "scipy", "pin", "casadi", "mujoco", "bvhio", "upc-pymotion", "pyrvo")


def describe_run() -> dict[str, Any]:
    """Return date, commit and machine of this run, ready for JSON."""
    return {"date": datetime.now(UTC).date().isoformat(), "commit": find_commit(), "machine": describe_machine()}


def describe_machine() -> dict[str, Any]:
    """Return processor, cores, system and versions."""
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: found for name in _PACKAGES if (found := _version(name))},
    }


def find_commit(folder: Path = Path(__file__).parent) -> str:
    """Return the commit of a checkout, with "+" where files were changed since; empty outside a checkout."""
    try:
        commit = _git(folder, "rev-parse", "--short=12", "HEAD")
        changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", str(folder))
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
