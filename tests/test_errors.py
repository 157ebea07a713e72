"""Messages are one line of printable characters, whatever files and users give."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from gambol.errors import MAX_MESSAGE, GambolError, InputError, MissingExtra


@pytest.mark.parametrize(
    "error",
    [
        GambolError("two\nlines\tand\x1b[31m red \u202e \udcff \x00"),
        InputError("x" * 10_000, file=Path("a" * 250), line=3, fix="y" * 10_000),
        InputError("\x07" * 10_000),
        MissingExtra("a\nb", "video"),
    ],
)
def test_messages_are_a_line_of_printable_characters(error: GambolError) -> None:
    text = str(error)
    assert text.isprintable()
    assert 0 < len(text) <= MAX_MESSAGE
    assert len(f"gambol: {text}") <= 300


def test_what_to_do_is_not_cut_off() -> None:
    text = str(InputError("no " + "long " * 100, file="x.bvh", fix="do this"))
    assert text.startswith("x.bvh: no long")
    assert text.endswith("…; do this")


def test_what_was_in_the_way_is_shown() -> None:
    assert str(InputError("no key 'a\x1b'", file=Path("/tmp/x.yaml"), line=2)) == r"x.yaml, line 2: no key 'a\x1b'"


def test_workers_can_send_errors() -> None:
    error = pickle.loads(pickle.dumps(InputError("wrong", file="x.bvh", line=2, fix="right")))
    assert (str(error), error.line, error.fix) == ("x.bvh, line 2: wrong; right", 2, "right")
