"""Change one number, operator or sign of a package at a time, and list the changes that its tests do not notice.

    python scripts/mutants.py terms --sample 80 --seed 1 --json terms.json
    python scripts/mutants.py terms --again terms.json      # only those that survived

A mutant swaps + and -, * and /, reverses a comparison (with an integer: moves it by one), drops a minus, halves a
float or adds 1 to an integer. Only code in functions is changed: module constants and defaults are choices, floats
up to 1e-6 or from 1e6 are guards, and numbers in messages are text. No file is written: each mutant is compiled in a
process of its own, forked after the libraries are loaded, with a copy of the kernels that the tests compile without
it (none for `body`, which names kernels by its own code). It first meets the tests that call its function, the fastest
first, then all others of tests/PACKAGE. Packages of gambol-evidence are `evidence/bench` and `evidence/reproduce`.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import SourceFileLoader
from pathlib import Path

os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = {"gambol": REPOSITORY / "src", "gambol_evidence": REPOSITORY / "evidence" / "src"}
LIBRARIES = ("casadi", "hypothesis", "matplotlib", "numpy", "pinocchio", "pytest", "scipy.optimize", "sklearn")
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Pow: ast.Mult, ast.FloorDiv: ast.Div, ast.Mod: ast.Mult,
}  # fmt: skip
MOVED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
REVERSED = MOVED | {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
TEXT = ("annotation", "returns", "decorator_list", "defaults", "kw_defaults", "format_spec")


def find_change(node: ast.AST) -> tuple[str, object] | None:
    """Return the attribute of a node that its mutant changes and the new value, or None."""
    if any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(node)):
        return None
    if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in OPERATORS:
        return "op", OPERATORS[type(node.op)]()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return "op", ast.UAdd()
    if isinstance(node, ast.Compare) and type(node.ops[0]) in MOVED:
        sides = (node.left, node.comparators[0])
        whole = any(type(getattr(side, "value", None)) is int or ast.unparse(side).startswith("len(") for side in sides)
        return "ops", [(MOVED if whole else REVERSED)[type(node.ops[0])](), *node.ops[1:]]
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return "value", node.value + 1
    if isinstance(node, ast.Constant) and type(node.value) is float and not 0.0 < node.value <= 1e-6:
        return ("value", 0.5 * node.value or 1.0) if node.value < 1e6 else None
    return None


def find_sites(node: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yield the nodes of function bodies in a fixed order, each with the outermost function it is in."""
    for name, field in ast.iter_fields(node):
        for child in field if isinstance(field, list) else [field]:
            if name in TEXT or isinstance(child, ast.Raise | ast.JoinedStr) or not isinstance(child, ast.AST):
                continue
            if function:
                yield child, function
            yield from find_sites(child, function or (child.name if isinstance(child, ast.FunctionDef) else ""))


def find_folder(package: str) -> Path:
    """Return the folder of a package relative to its source folder, such as gambol/terms."""
    of_evidence = package.startswith("evidence/")
    return Path("gambol_evidence", package.removeprefix("evidence/")) if of_evidence else Path("gambol", package)


def list_mutants(package: str) -> list[dict]:
    """Return all mutants of a package: file, line, function, text before and after, and the number of the node."""
    found = []
    folder = find_folder(package)
    for path in sorted((SOURCES[folder.parts[0]] / folder).rglob("*.py")):
        for index, (node, function) in enumerate(find_sites(ast.parse(path.read_text()))):
            before = ast.unparse(node)
            if change := find_change(node):
                setattr(node, *change)
                where = {
                    "file": str(path.relative_to(SOURCES[folder.parts[0]])),
                    "line": node.lineno,
                    "function": function,
                }
                found.append({**where, "before": before, "after": ast.unparse(node), "index": index})
    return found


class MutantLoader(SourceFileLoader):
    """Compiles the mutated module, and finds it."""

    def __init__(self, mutant: dict) -> None:
        source = SOURCES[mutant["file"].partition("/")[0]]
        super().__init__(mutant["file"][:-3].replace("/", "."), str(source / mutant["file"]))
        self.index = mutant["index"]

    def find_spec(self, name: str, *_: object) -> object:
        return importlib.util.spec_from_file_location(name, self.path, loader=self) if name == self.name else None

    def get_code(self, _: str) -> object:
        tree = ast.parse(Path(self.path).read_text())
        node = [site for site, _ in find_sites(tree)][self.index]
        setattr(node, *find_change(node))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


class Watch:
    """A pytest plugin: selects and sorts tests, and notes durations, functions called and the first failure."""

    def __init__(self, order: list[str] | None, package: str) -> None:
        self.order, self.folder, self.failed = order, find_folder(package), ""
        self.seconds: dict[str, float] = {}
        self.calls: dict[str, set[str]] = {}

    def pytest_collection_modifyitems(self, items: list) -> None:
        if self.order is not None:
            rank = {name: place for place, name in enumerate(self.order)}
            items[:] = sorted((item for item in items if item.nodeid in rank), key=lambda item: rank[item.nodeid])

    def pytest_runtest_logreport(self, report: object) -> None:
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        self.failed = self.failed or (report.nodeid if report.failed else "")

    def pytest_runtest_protocol(self, item: object) -> None:
        called = self.calls.setdefault(item.nodeid, set())

        def note(frame: object, event: str, _: object) -> None:
            if event == "call" and f"/{self.folder}/" in frame.f_code.co_filename:
                top = self.folder.parts[0]
                file = f"{top}/" + frame.f_code.co_filename.split(f"/{top}/")[1]
                called.update(f"{file}:{name}" for name in frame.f_code.co_qualname.split("."))

        if self.order is None:
            sys.setprofile(note)


def run_tests(package: str, mutant: dict | None, order: list[str] | None, answer: Path, cache: Path) -> None:
    """Run tests in this process and write what happened to a file; does not return."""
    import pytest

    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    sink = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(sink, stream)
    sys.path[:0] = map(str, SOURCES.values())
    os.environ["XDG_CACHE_HOME"] = str(cache)
    if mutant:
        sys.meta_path.insert(0, MutantLoader(mutant))
        os.environ["XDG_CACHE_HOME"] = str(answer.parent / "cache")
        if package != "body":
            shutil.copytree(cache, answer.parent / "cache")
    watch = Watch(order, package)
    files = sorted({name.split("::")[0] for name in order}) if order else [f"tests/{package}"]
    code = pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files], plugins=[watch])
    sys.setprofile(None)
    calls = {name: sorted(called) for name, called in watch.calls.items()}
    answer.write_text(json.dumps([int(code), watch.failed, watch.seconds, calls]))
    os._exit(0)


def run_in_fork(package: str, mutant: dict | None, order: list[str] | None, cache: Path, limit: float) -> tuple:
    """Run tests in a forked process; returns pytest's exit code, the first failure, durations and calls of tests."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        arguments = (package, mutant, order, answer, cache)
        child = multiprocessing.get_context("fork").Process(target=run_tests, args=arguments)
        child.start()
        child.join(limit)
        if child.is_alive():
            os.killpg(child.pid, signal.SIGKILL)
            child.join()
        return tuple(json.loads(answer.read_text())) if answer.exists() else (-1, "out of time, or a crash", {}, {})


def try_mutant(package: str, mutant: dict, seconds: dict, calls: dict, cache: Path) -> dict:
    """Return the mutant with the test that killed it, or None if it survived."""
    calling = {test for test, called in calls.items() if f"{mutant['file']}:{mutant['function']}" in called}
    for tests in (calling, seconds.keys() - calling):
        order = sorted(tests, key=seconds.__getitem__)
        limit = 30.0 + 5.0 * sum(seconds[test] for test in order)
        code, failed, *_ = run_in_fork(package, mutant, order, cache, limit) if order else (0, "")
        if code != 0:
            return {**mutant, "killed_by": failed or "an import"}
    return {**mutant, "killed_by": None}


def main() -> None:
    """Parse the command line, try the mutants, print the survivors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package")
    parser.add_argument("--sample", type=int, default=80, help="number of mutants, drawn at random (default: 80)")
    parser.add_argument("--seed", type=int, default=1, help="random seed of the sample (default: 1)")
    parser.add_argument("--again", type=Path, help="try only the survivors in this file")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time (default: 2)")
    parser.add_argument("--json", type=Path, help="write what became of every mutant to this file")
    chosen = parser.parse_args()
    for name in LIBRARIES:
        importlib.import_module(name)
    every = list_mutants(chosen.package)
    mutants = random.Random(chosen.seed).sample(every, min(chosen.sample, len(every)))
    if chosen.again:
        left = {(one["file"], one["index"]) for one in json.loads(chosen.again.read_text()) if not one["killed_by"]}
        mutants = [mutant for mutant in every if (mutant["file"], mutant["index"]) in left]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        code, failed, seconds, calls = run_in_fork(chosen.package, None, None, Path(folder), 3600.0)
        if code != 0:
            sys.exit(f"the tests fail without any change: {failed}")
        print(f"{len(mutants)} of {len(every)} mutants of {chosen.package}, {len(seconds)} tests", flush=True)
        done = []
        for one in pool.map(lambda mutant: try_mutant(chosen.package, mutant, seconds, calls, Path(folder)), mutants):
            done.append(one)
            if not one["killed_by"]:
                print(f"{one['file']}:{one['line']}: {one['before']}  ->  {one['after']}", flush=True)
            if chosen.json:
                chosen.json.write_text(json.dumps(done, indent=1))
    survived = sum(not one["killed_by"] for one in done)
    print(f"{survived} of {len(done)} survived ({survived / max(len(done), 1):.0%})")


if __name__ == "__main__":
    main()
