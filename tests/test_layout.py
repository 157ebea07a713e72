"""The tests mirror the packages: the tests of a module are found under the module's own name."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import REPOSITORY, SLOW, TESTS

PACKAGE = REPOSITORY / "src" / "gambol"
EVIDENCE = REPOSITORY / "evidence" / "src" / "gambol_evidence"
# Test files without a counterpart in the packages, and what they test.
OTHERS = {
    "cli/test_strict.py": "what a viewer would not accept, said first by every command, and --strict",
    "hostile/test_kills.py": "long commands that are stopped by a signal",
    "hostile/test_pages.py": "live pages under random messages, bytes and connections",
    "wild/test_wild.py": "files of other people, from loading to pushing",
    "metamorphic/test_frames.py": "answers go along with a clip that is moved, turned, renamed or mirrored",
    "hostile/test_hostile.py": "damaged files and files that mean harm, of all readers",
    "drawing/test_props.py": "props of motions in all that is written and drawn",
    "terms/test_costs.py": "all costs as integrals over time",
    "terms/test_own_terms.py": "terms of a user in every verb that solves",
    "terms/test_derivatives.py": "all terms against finite differences",
    "respond/latent/test_mirror.py": "mirrored walks and pushes have mirrored answers",
    "interaction/test_model_file.py": "learned interactions as files",
    "respond/latent/test_walker_file.py": "learned walkers as files",
    "spacetime/families/test_family_file.py": "families as files",
    "respond/test_invariance.py": "answers do not depend on where a clip stands or faces",
    "robots/test_another_robot.py": "robots of other sizes than JVRC-1",
    "test_clocks.py": "tests/ itself",
    "test_docs.py": "README, CONTRIBUTING and docs/",
    "test_examples.py": "examples/",
    "test_gambol.py": "the names of the package and its verbs",
    "test_layout.py": "tests/ itself",
    "test_results.py": "docs/results and the tables made from them",
    "test_vocabulary.py": "the names of the package",
}


def test_each_test_file_has_a_counterpart() -> None:
    files = [path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")]
    without = {str(file) for file in files if not any(path.is_file() for path in counterparts(file))}
    assert without == set(OTHERS), "rename the file after the module that it tests, or correct OTHERS"


def test_what_is_marked_as_slow_exists() -> None:
    assert [path for path in SLOW if not (TESTS / path).exists()] == []


def counterparts(test: Path) -> list[Path]:
    """What `a/test_b.py` may test: the module `a/b.py`, the package `a/b`, or, if `a` is named `b`, all of `a`."""
    name = test.stem.removeprefix("test_")
    of_evidence = test.is_relative_to("evidence")
    folder = EVIDENCE / test.parent.relative_to("evidence") if of_evidence else PACKAGE / test.parent
    whole = [folder / "__init__.py"] if test.parent.name == name else []
    return [folder / f"{name}.py", folder / name / "__init__.py", *whole]
