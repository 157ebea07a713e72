"""The report of `check`: whole, escaped, and readable in a real browser without a network."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gambol.cli import main
from gambol.io import samples, save
from gambol.metrics.check import check
from gambol.metrics.figures import Check
from gambol.metrics.report import check_report_html


@pytest.fixture(scope="module")
def good() -> Check:
    return check(samples.jump())


@pytest.fixture(scope="module")
def bad() -> Check:
    walk = samples.walk()
    q = walk.q.copy()
    q[len(q) // 2 :, 2] += 1.0
    return check(replace(walk, q=q))


@pytest.mark.browser
def test_the_page_opens_from_disk_and_shows_figures_and_curves(good: Check, bad: Check, tmp_path: Path, page) -> None:
    path = tmp_path / "report.html"
    path.write_text(check_report_html([("good", good), ("<b>bad</b> & $x", bad)]), encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    assert asked == [path.as_uri()]
    assert [h.strip() for h in page.locator("h2").all_inner_texts()] == [
        "good every figure in its band",
        f"<b>bad</b> & $x {bad.verdict}",
    ]
    for n, found in enumerate((good, bad)):
        section = page.locator(f"#clip-{n}")
        names = section.locator("tbody tr td:nth-child(2)").all_inner_texts()
        assert names == [figure.name for figure in found.measures]
        marked = section.locator("tr.outside-row td:nth-child(2)").all_inner_texts()
        assert marked == [figure.name for figure in found.measures if not figure.passes]
        box = section.locator("svg").bounding_box()
        assert box["width"] > 400
        assert section.locator("svg text", has_text="Ground force, vertical").count() == 1
    assert bad.verdict.startswith("a viewer would not accept this: body changes its velocity")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def run(monkeypatch, capsys, *words: object) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["gambol", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_the_command_writes_it_and_replaces_nothing_unasked(tmp_path: Path, monkeypatch, capsys) -> None:
    clip, report = tmp_path / "stand.bvh", tmp_path / "report.html"
    save(samples.stand(), clip)
    code, out, _ = run(monkeypatch, capsys, "check", clip, "--report", report)
    assert code == 0
    assert out.splitlines()[-1] == str(report)
    assert "<title>gambol check: stand</title>" in report.read_text("utf-8")
    report.write_text("mine")
    assert run(monkeypatch, capsys, "check", clip, "--report", report)[0] == 2
    assert report.read_text() == "mine"
    code, out, _ = run(monkeypatch, capsys, "check", clip, "--report", report, "--overwrite", "--json", "-")
    assert (code, json.loads(out)[0]["name"]) == (0, "stand")
    assert report.stat().st_size > 10_000
    code, _, err = run(monkeypatch, capsys, "check", clip, "--report", tmp_path / "report.pdf")
    assert code == 2
    assert "name it .html" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.html", "stand.bvh"]
