"""No test fails because the machine is busy: tests read no clock, do not sleep, and share one limit for hangs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests import waiting
from tests.conftest import TESTS

CLOCKS = {"perf_counter", "monotonic", "process_time", "thread_time", "default_timer", "getrusage"}
WAITS = {"wait", "join", "communicate", "wait_for", "wait_closed", "wait_for_selector", "set_default_timeout"}
WORDS = re.compile(rf"{'|'.join(CLOCKS)}|\b(?:{'|'.join(WAITS)})\(|sleep|timeout|deadline|time\.time|from time")
"""What a module with something to find contains."""
# Modules that may use clocks, and what for.
ALLOWED = {
    "waiting.py": "has the limit",
    "hostile/answering.py": "measures how long a command answers no signal, for docs/results/kills.json",
    "hostile/attempt.py": "stops commands at random moments",
    "hostile/kills.py": "measures how long commands take to stop, for docs/results/kills.json",
    "hostile/pages.py": "attacks pages for as long as it is told to",
    "hostile/trial.py": "measures the slowest input, for docs/results/torture.json",
}


def find_clocks(code: str) -> Iterator[tuple[int, str]]:
    """Find clocks that are read, sleeps, and limits that are numbers: line and name."""
    for node in ast.walk(ast.parse(code)) if WORDS.search(code) else ():
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) if name.removesuffix("_ns") in CLOCKS:
                yield node.lineno, name
            case ast.ImportFrom(module="time" | "timeit"):
                yield node.lineno, f"from {node.module}"
            case ast.Attribute(value=ast.Name(id="time"), attr="time" | "time_ns"):
                yield node.lineno, "time.time"
            case ast.Call(func=ast.Attribute(attr="sleep"), args=[first]) if not _is_number(first, 0):
                yield node.lineno, "sleep"
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
                limits = [word.value for word in node.keywords if word.arg in ("timeout", "deadline")]
                if any(_is_number(limit) for limit in [*limits, *(node.args if name in WAITS else ())]):
                    yield node.lineno, f"{name} with a limit of its own"


def _is_number(node: ast.expr, value: float | None = None) -> bool:
    known = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return known and value in (None, node.value)


def test_tests_do_not_depend_on_how_fast_the_machine_is() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{line}: {name}"
        for path in sorted(TESTS.rglob("*.py"))
        if str(path.relative_to(TESTS)) not in ALLOWED
        for line, name in find_clocks(path.read_text())
    ]
    assert not found, "measure speed in `gambol bench`, and wait with tests/waiting.py:\n" + "\n".join(found)


def test_what_hangs_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def hang() -> None:
        while True:
            pass

    monkeypatch.setattr(waiting, "LIMIT", 0.1)
    with pytest.raises(AssertionError, match=r"not ended after 0\.1 s"), waiting.must_end():
        hang()
    assert not waiting.wait_for(lambda: False, waiting.LIMIT)
    assert waiting.wait_for(lambda: True)


def test_modules_that_may_use_clocks_use_them() -> None:
    assert [name for name in ALLOWED if not any(find_clocks((TESTS / name).read_text()))] == []


@pytest.mark.parametrize(
    "code",
    [
        "time.perf_counter()",
        "from time import process_time",
        "clock = time.monotonic_ns",
        "time.time()",
        "time.sleep(0.1)",
        "await asyncio.sleep(period)",
        "job.wait(timeout=60)",
        "thread.join(10.0)",
        "page.get_by_text('a').wait_for(timeout=40_000)",
        "settings(deadline=200)",
    ],
)
def test_clocks_are_found(code: str) -> None:
    assert any(find_clocks(code))


@pytest.mark.parametrize(
    "code",
    [
        "job.wait(LIMIT)",
        "await asyncio.sleep(0)",
        "', '.join(words)",
        "monkeypatch.setattr(robots, 'process_time', ticks)",
        "settings(deadline=None)",
    ],
)
def test_what_does_not_depend_on_the_machine_is_not_found(code: str) -> None:
    assert not any(find_clocks(code))
