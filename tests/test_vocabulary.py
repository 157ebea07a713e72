"""One name, one thing: a public name is defined in one module of the packages."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import REPOSITORY

PACKAGES = (REPOSITORY / "src" / "gambol", REPOSITORY / "evidence" / "src" / "gambol_evidence")
# Commands have the names of the verbs that they call.
COMMANDS = "cli"
# Modules of one interface each: the YAML files that come with gambol; suites of claims and benchmarks.
INTERFACES = {"names", "find", "about", "run"}


def list_modules() -> list[tuple[Path, Path]]:
    """Return the folder of the package and the path of every module."""
    return [(package, path) for package in PACKAGES for path in sorted(package.rglob("*.py"))]


def public_names(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_a_public_name_is_defined_once() -> None:
    homes = defaultdict(list)
    for package, path in list_modules():
        parts = path.relative_to(package).with_suffix("").parts
        if parts[0] != COMMANDS:
            for name in public_names(ast.parse(path.read_text())):
                if not name.startswith("_"):
                    homes[name].append(".".join((package.name, *parts)))
    twice = {name: places for name, places in homes.items() if len(places) > 1 and name not in INTERFACES}
    assert not twice, "\n".join(f"{name}: {', '.join(places)}" for name, places in sorted(twice.items()))


def test_the_glossary_names_what_is_there() -> None:
    text = (REPOSITORY / "docs" / "glossary.md").read_text()
    rows = [line.split("|")[-2] for line in text.splitlines() if line.startswith("|") and "---" not in line]
    named = {name.split(".")[0] for row in rows for name in re.findall(r"`([A-Za-z_][\w.]*)`", row)} - {"gambol"}
    defined = {name for _, path in list_modules() for name in public_names(ast.parse(path.read_text()))}
    assert len(named) > 40
    assert not named - defined


def test_lines_of_docs_are_short() -> None:
    """100 columns, but for tables, pictures, comments and code."""
    long = []
    for path in (*(REPOSITORY / "docs").glob("*.md"), *REPOSITORY.glob("*.md")):
        code = False
        text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), path.read_text(), flags=re.DOTALL)
        for number, line in enumerate(text.splitlines(), start=1):
            code ^= line.lstrip().startswith("```")
            if not code and len(line) > 100 and not line.lstrip().startswith(("|", "![", "$$")):
                long.append(f"{path.name}:{number}")
    assert not long
