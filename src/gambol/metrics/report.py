"""The report of `check` as one page that opens from disk: every figure with its band, and the curves behind them."""

from __future__ import annotations

import html
from collections.abc import Sequence

from gambol.drawing.curves import draw_curves
from gambol.drawing.page import build_page
from gambol.metrics.check import Check
from gambol.metrics.figures import Figure


def check_report_html(checked: Sequence[tuple[str, Check]]) -> str:
    """The page of clips, given by name and check: a list of them, where there are several, and a section for each."""
    title = checked[0][0] if len(checked) == 1 else f"{len(checked)} clips"
    entries = "".join(
        f'<tr><td><a href="#clip-{n}">{html.escape(name)}</a></td><td class="name">{_verdict(found)}</td>'
        f"<td>{html.escape(', '.join(f.name for f in found.measures if not f.passes))}</td></tr>"
        for n, (name, found) in enumerate(checked)
    )
    listed = f"<section><table><tbody>{entries}</tbody></table></section>" if len(checked) > 1 else ""
    sections = "".join(_section(name, found, n) for n, (name, found) in enumerate(checked))
    return build_page(
        f"gambol check: {html.escape(title)}",
        f"<h1>How physical is it? {html.escape(title)}</h1>{listed}{sections}"
        "<footer>Forces are estimated from the motion alone.</footer>",
    )


def _section(name: str, found: Check, number: int) -> str:
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in found.notes)
    rows = "".join(map(_row, found.measures))
    return (
        f'<section id="clip-{number}"><h2>{html.escape(name)} {_verdict(found)}</h2>{notes}'
        "<table><thead><tr><th></th><th>figure</th><th>value</th><th>unit</th><th>band</th>"
        f"<th>where the band comes from</th></tr></thead><tbody>{rows}</tbody></table>"
        f"{draw_curves(found.physics, f'clip {number}')}</section>"
    )


def _verdict(found: Check) -> str:
    outside = sum(not figure.passes for figure in found.measures)
    words = f"{outside} outside" if outside and found.judgeable else found.verdict
    return f'<span class="mark {"inside" if found.passes else "outside"}">{words}</span>'


def _row(figure: Figure) -> str:
    measured = ("inside", "ok") if figure.measured else ("nothing", "-")
    kind, word = measured if figure.passes else ("outside", "outside")
    source = figure.source if figure.measured else figure.absent
    name, unit, band, source = map(html.escape, (figure.name, figure.unit, str(figure.band), source))
    return (
        f'<tr class="{kind}-row"><td><span class="mark {kind}">{word}</span></td><td class="name">{name}</td>'
        f'<td class="value">{figure.written}</td><td>{unit}</td><td class="name">{band}</td>'
        f'<td class="source">{source}</td></tr>'
    )
