"""Write the report of `check` as an HTML page: every figure with its band, and the curves behind them."""

from __future__ import annotations

import base64
import html
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from gambol.drawing.curves import draw_curves
from gambol.drawing.faults import assign_findings
from gambol.drawing.page import build_page
from gambol.drawing.strip import save_strip
from gambol.drawing.zoom import ZOOM_HINT, ZOOM_SCRIPT
from gambol.metrics.figures import Check, Figure

_POSES = 6
"""Poses of findings that are drawn."""


def check_report_html(checked: Sequence[tuple[str, Check]], first: str = "") -> str:
    """Return the page of clips, given by name: a list of them where there are several, and a section each.

    `first` is a section before them.
    """
    title = checked[0][0] if len(checked) == 1 else f"{len(checked)} clips"
    entries = "".join(
        f'<tr><td><a href="#clip-{n}">{html.escape(name)}</a></td><td>{_verdict(found)}</td></tr>'
        for n, (name, found) in enumerate(checked)
    )
    listed = f"<section><table><tbody>{entries}</tbody></table></section>" if len(checked) > 1 else ""
    sections = "".join(_section(name, found, n) for n, (name, found) in enumerate(checked))
    return build_page(
        f"gambol check: {html.escape(title)}",
        f"<h1>How physical is it? {html.escape(title)}</h1>{listed}{first}{sections}"
        f"<footer>Forces are estimated from the motion alone.</footer>{ZOOM_SCRIPT}",
    )


def make_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a section with a table."""
    head = "".join(f"<th>{html.escape(one)}</th>" for one in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<section><h2>{html.escape(title)}</h2><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></section>"
    )


def _section(name: str, found: Check, number: int) -> str:
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in found.notes)
    rows = "".join(map(_row, found.measures))
    seen = "".join(f"<tr><td>{html.escape(str(one))}</td></tr>" for one in found.judgement.findings)
    faults = f"<h3>What a viewer sees</h3><table><tbody>{seen}</tbody></table>{_draw_faults(found)}" if seen else ""
    table = (
        "<table><thead><tr><th></th><th>figure</th><th>value</th><th>unit</th><th>band</th>"
        f"<th>source of the band</th></tr></thead><tbody>{rows}</tbody></table>"
    )
    curves = ZOOM_HINT + draw_curves(found.physics, f"clip {number}", found.judgement.findings) if found.physics else ""
    return (
        f'<section id="clip-{number}"><h2>{html.escape(name)} {_verdict(found)}</h2>{faults}{notes}'
        f"{table if rows else ''}{curves}</section>"
    )


def _draw_faults(found: Check) -> str:
    """Return a picture of the poses of the worst findings, with rings around the parts."""
    own = assign_findings(found.motions, found.judgement.findings)
    shown = [(motion, findings) for motion, findings in zip(found.motions, own, strict=True) if findings]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "faults.png"
        save_strip([motion for motion, _ in shown], path, _POSES, findings=[findings for _, findings in shown])
        data = base64.b64encode(path.read_bytes()).decode()
    return f'<img alt="Poses of the worst findings" src="data:image/png;base64,{data}">'


def _verdict(found: Check) -> str:
    return f'<span class="mark {"inside" if found.passes else "outside"}">{html.escape(found.verdict)}</span>'


def _row(figure: Figure) -> str:
    measured = ("inside", "ok") if figure.measured else ("nothing", "-")
    kind, word = measured if figure.passes else ("outside", "outside")
    unit, source = (figure.unit, figure.source) if figure.measured else ("", figure.reason)
    name, unit, band, source = map(html.escape, (figure.name, unit, str(figure.band), source))
    return (
        f'<tr class="{kind}-row"><td><span class="mark {kind}">{word}</span></td><td class="name">{name}</td>'
        f'<td class="value">{figure.formatted}</td><td>{unit}</td><td class="name">{band}</td>'
        f'<td class="source">{source}</td></tr>'
    )
