"""Claims: bands decide, nothing that was not measured holds, and only unknown failures fail a build."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import gambol_evidence.reproduce.ground_truth as suite
from gambol.cli import main
from gambol.fit.load import load
from gambol.metrics.figures import Band
from gambol_evidence.reproduce import claims
from gambol_evidence.reproduce.claims import Claim, Evidence, measure, read_known_failures
from gambol_evidence.reproduce.report import evidence_html


def make_claim(measured: float, band: Band = Band(high=1.0), name: str = "slide", **others) -> Claim:
    return Claim(name, "our bar", "feet do not slide", measured, "mm", "walk", band, **others)


@pytest.mark.parametrize(
    ("band", "measured", "holds", "expected"),
    [
        (Band(high=8.0), 7.9, True, "at most 8"),
        (Band(high=8.0), 8.1, False, "at most 8"),
        (Band(low=0.85), 0.84, False, "at least 0.85"),
        (Band(1.0, 2.0), 1.5, True, "1 to 2"),
        (Band(1.0, 2.0), math.nan, False, "1 to 2"),
        (Band(low=1.0), math.inf, False, "at least 1"),
        (Band(), math.nan, False, ""),
    ],
)
def test_bands_decide_and_only_finite_figures_hold(band: Band, measured: float, holds: bool, expected: str) -> None:
    claim = make_claim(measured, band)
    assert claim.holds == holds
    assert expected in str(claim.expected)


def test_json_has_the_fields_of_every_claim() -> None:
    facts = Evidence("edit", [make_claim(0.5), make_claim(math.nan)]).facts()
    first, second = facts["claims"]
    assert {"id", "claim", "source", "data", "holds", "by_construction"} <= set(first)
    assert (first["measured"], second["measured"], second["holds"]) == (0.5, None, False)
    assert {"date", "commit", "machine"} <= set(facts)
    json.dumps(facts, allow_nan=False)


def test_what_cannot_fail_is_not_counted() -> None:
    evidence = Evidence("edit", [make_claim(0.5), make_claim(2.0), make_claim(0.0, by_construction="it is set to 0")])
    assert evidence.summary == "1 of 2 hold; 1 by construction, not counted"


def test_known_failures_are_no_regressions_and_mended_ones_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "read_known_failures", lambda: {"edit": {"known": "reason", "mended": "reason"}})
    rows = [make_claim(2.0, name="known"), make_claim(0.5, name="mended"), make_claim(math.nan, name="new")]
    evidence = Evidence("edit", rows)
    assert [claim.id for claim in evidence.regressions] == ["new"]
    assert [claim.id for claim in evidence.mended] == ["mended"]


def test_every_known_failure_has_a_reason() -> None:
    assert all(len(reason) > 20 for listed in read_known_failures().values() for reason in listed.values())


def test_a_part_that_raises_is_a_claim_that_was_not_computed() -> None:
    def broken(width: float) -> Iterator[Claim]:
        yield make_claim(width)
        raise ValueError("no walk")

    first, second, third = measure([partial(broken, 0.5), lambda: iter([make_claim(0.1)])])
    assert first.holds
    assert (second.holds, second.computed, second.verdict) == (False, False, "NOT COMPUTED")
    assert "broken" in second.id
    assert second.data == "ValueError: no walk"
    assert third.holds


@pytest.mark.parametrize(("measured", "code"), [(0.5, 0), (2.0, 1), (math.nan, 1)])
def test_an_unknown_failure_fails_the_command(
    measured: float, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    page, out = tmp_path / "report.html", tmp_path / "rows.json"
    monkeypatch.setattr(suite, "run", lambda data: iter([make_claim(measured, motion=load("walk")[:20])]))
    words = ["gambol", "reproduce", "ground-truth", "--data", tmp_path, "--json", out, "--report", page]
    monkeypatch.setattr(sys, "argv", list(map(str, words)))
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == code
    shown = capsys.readouterr().out
    assert "feet do not slide" in shown
    assert "our bar; walk" in shown
    assert ("is not a known failure" in shown) == (code == 1)
    assert "data:image/png;base64," in page.read_text()
    assert json.loads(out.read_text())["claims"][0]["holds"] == (code == 0)


def test_the_report_groups_claims_by_their_wording_and_shows_regressions_first() -> None:
    rows = [make_claim(0.5, name="one"), make_claim(2.0, name="two <b>")]
    text = evidence_html(Evidence("edit", rows))
    assert text.count("<h2>feet do not slide</h2>") == 1
    assert text.index("Fails and is not known to") < text.index("feet do not slide")
    assert "two &lt;b&gt;" in text
