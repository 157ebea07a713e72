"""Print a pip constraints file with the oldest version that pyproject.toml allows for each declared dependency."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def list_oldest(project: dict) -> list[str]:
    """Return `name==version` for each `name>=version` in the dependencies and extras, with its environment marker.

    Constraints have no extras: `jax[cuda12]>=1` becomes `jax==1`. A requirement of the project's own extras
    (`gambol[video]`) is left out. Any other form is an error: a dependency
    without a lower bound has no oldest version to test.
    """
    declared = [*project["dependencies"], *(r for extra in project["optional-dependencies"].values() for r in extra)]
    foreign = [requirement for requirement in declared if not requirement.startswith(f"{project['name']}[")]
    found = [
        (requirement, re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)(;.*)?", requirement)) for requirement in foreign
    ]
    if unbounded := [requirement for requirement, match in found if not match]:
        raise SystemExit(f"expected 'name>=version' in {PYPROJECT.name}, got: {', '.join(unbounded)}")
    return sorted({f"{match[1]}=={match[2]}{match[3] or ''}" for _, match in found if match})


if __name__ == "__main__":
    print("\n".join(list_oldest(tomllib.loads(PYPROJECT.read_text())["project"])))
