"""Of findings one after the other, those are mended that can be, and what makes it worse is not kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gambol.io import samples
from gambol.judge.finding import Finding
from gambol.judge.pops import POP
from gambol.motion.motion import Motion
from gambol.spacetime.mending import mend_findings


def _find(motion: Motion) -> list[Finding]:
    """Return a finding per letter of the name."""
    return [Finding(POP, "body", float(ord(letter)), float(ord(letter)), 4.0) for letter in motion.name]


@pytest.mark.parametrize(
    ("name", "left", "count"),
    [("", "", 0), ("abc", "b", 2), ("b", "b", 0), ("bbabb", "bbbb", 1), (31 * "a", 31 * "a", 0)],
)
def test_what_can_be_mended_is(name: str, left: str, count: int) -> None:
    """An "a" and a "c" can; the change that should mend a "b" makes two of it."""

    def mend(motion: Motion, finding: Finding) -> Motion:
        letter = chr(int(finding.start))
        return replace(motion, name=motion.name.replace(letter, "bb" if letter == "b" else "", 1))

    found, number = mend_findings(replace(samples.stand(), name=name), _find, mend)
    assert (found.name, number) == (left, count)
