"""Print a pip constraints file with the oldest version that the packages allow for each declared dependency."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


def list_oldest(*projects: dict) -> list[str]:
    """Return `name==version` for each `name>=version` in the dependencies and extras, with its environment marker.

    Constraints have no extras: `jax[cuda12]>=1` becomes `jax==1`. A requirement of gambol itself
    (`gambol[video]`) is left out. Any other form is an error: a dependency
    without a lower bound has no oldest version to test.
    """
    lists = [[one["dependencies"], *one["optional-dependencies"].values()] for one in projects]
    declared = [requirement for each in lists for requirements in each for requirement in requirements]
    foreign = [requirement for requirement in declared if requirement.partition("[")[0] != "gambol"]
    found = [
        (requirement, re.fullmatch(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)(;.*)?", requirement)) for requirement in foreign
    ]
    if unbounded := [requirement for requirement, match in found if not match]:
        raise SystemExit(f"expected 'name>=version' in pyproject.toml, got: {', '.join(unbounded)}")
    return sorted({f"{match[1]}=={match[2]}{match[3] or ''}" for _, match in found if match})


if __name__ == "__main__":
    files = (REPOSITORY / "pyproject.toml", REPOSITORY / "evidence" / "pyproject.toml")
    print("\n".join(list_oldest(*(tomllib.loads(file.read_text())["project"] for file in files))))
