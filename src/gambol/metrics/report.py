"""Write the report of `check` as an HTML page: every figure with its band, and the curves behind them."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Protocol

from gambol.drawing.curves import draw_curves
from gambol.drawing.page import build_page
from gambol.drawing.zoom import ZOOM_HINT, ZOOM_SCRIPT
from gambol.fit.physics import Physics
from gambol.metrics.figures import Figure


class Reported(Protocol):
    """What a report shows of a clip."""

    @property
    def measures(self) -> tuple[Figure, ...]: ...
    @property
    def notes(self) -> tuple[str, ...]: ...
    @property
    def physics(self) -> Physics | None: ...
    @property
    def passes(self) -> bool: ...
    @property
    def judgeable(self) -> bool: ...
    @property
    def verdict(self) -> str: ...


def check_report_html(checked: Sequence[tuple[str, Reported]]) -> str:
    """Return the page of clips, given by name: a list of them where there are several, and a section each."""
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
        f"<footer>Forces are estimated from the motion alone.</footer>{ZOOM_SCRIPT}",
    )


def _section(name: str, found: Reported, number: int) -> str:
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in found.notes)
    rows = "".join(map(_row, found.measures))
    curves = ZOOM_HINT + draw_curves(found.physics, f"clip {number}") if found.physics else ""
    return (
        f'<section id="clip-{number}"><h2>{html.escape(name)} {_verdict(found)}</h2>{notes}'
        "<table><thead><tr><th></th><th>figure</th><th>value</th><th>unit</th><th>band</th>"
        f"<th>source of the band</th></tr></thead><tbody>{rows}</tbody></table>"
        f"{curves}</section>"
    )


def _verdict(found: Reported) -> str:
    outside = sum(not figure.passes for figure in found.measures)
    words = f"{outside} outside" if outside and found.judgeable else found.verdict
    return f'<span class="mark {"inside" if found.passes else "outside"}">{words}</span>'


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
