"""The report of `check` as one page that opens from disk: every figure with its band, and the curves behind them."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

from gambol.metrics.check import Check
from gambol.metrics.figures import Figure
from gambol.render.curves import curves_svg
from gambol.version import __version__

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #222226; background: #fbfaf8; margin: 2rem auto; padding: 0 1.2rem;
  max-width: 1080px; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin: 0 0 .6rem; }
section { background: white; border: 1px solid #e4e1db; border-radius: 8px; padding: 1.1rem 1.3rem; margin: 1.4rem 0;
  overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: #6b6a68; border-bottom: 1px solid #cfccc5; padding: .25rem .6rem; }
td { border-bottom: 1px solid #eeece7; padding: .25rem .6rem; vertical-align: top; }
td.value { text-align: right; font-variant-numeric: tabular-nums; }
td.value, td.name { white-space: nowrap; }
td.source { color: #6b6a68; }
.mark { display: inline-block; min-width: 4.2rem; text-align: center; border-radius: 4px; font-size: .8rem;
  font-weight: 600; padding: .05rem .35rem; }
.inside { background: #dcefe0; color: #1d6b36; } .outside { background: #f8d9d7; color: #a3201f; }
.nothing { background: #efeeea; color: #77756f; }
tr.outside-row td { background: #fdf3f2; }
p.note { background: #fff4d6; border-left: 4px solid #e0b13c; padding: .4rem .7rem; margin: .5rem 0; }
svg { width: 100%; height: auto; margin-top: 1rem; }
footer { color: #8a8883; font-size: .85rem; }
"""


def to_page(checked: Sequence[tuple[str, Check]]) -> str:
    """The page of clips, given by name and check: a list of them, where there are several, and a section for each."""
    title = checked[0][0] if len(checked) == 1 else f"{len(checked)} clips"
    entries = "".join(
        f'<tr><td><a href="#clip-{n}">{html.escape(name)}</a></td><td class="name">{_verdict(found)}</td>'
        f"<td>{html.escape(', '.join(f.name for f in found.figures if not f.passes))}</td></tr>"
        for n, (name, found) in enumerate(checked)
    )
    listed = f"<section><table><tbody>{entries}</tbody></table></section>" if len(checked) > 1 else ""
    sections = "".join(_section(name, found, n) for n, (name, found) in enumerate(checked))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>gambol check: {html.escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>How physical is it? {html.escape(title)}</h1>{listed}{sections}"
        f"<footer>gambol check {__version__}. Forces are estimated from the motion alone.</footer></body></html>\n"
    )


def _section(name: str, found: Check, number: int) -> str:
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in found.notes)
    rows = "".join(map(_row, found.figures))
    return (
        f'<section id="clip-{number}"><h2>{html.escape(name)} {_verdict(found)}</h2>{notes}'
        "<table><thead><tr><th></th><th>figure</th><th>value</th><th>unit</th><th>band</th>"
        f"<th>where the band comes from</th></tr></thead><tbody>{rows}</tbody></table>"
        f"{curves_svg(found.physics, f'clip {number}')}</section>"
    )


def _verdict(found: Check) -> str:
    outside = sum(not figure.passes for figure in found.figures)
    words = f"{outside} outside" if outside else "every figure in its band"
    return f'<span class="mark {"outside" if outside else "inside"}">{words}</span>'


def _row(figure: Figure) -> str:
    absent = math.isnan(figure.value)
    kind, word = ("nothing", "-") if absent else ("inside", "ok") if figure.passes else ("outside", "outside")
    name, unit, band, source = map(html.escape, (figure.name, figure.unit, str(figure.band), figure.source))
    return (
        f'<tr class="{kind}-row"><td><span class="mark {kind}">{word}</span></td><td class="name">{name}</td>'
        f'<td class="value">{figure.written}</td><td>{unit}</td><td class="name">{band}</td>'
        f'<td class="source">{source}</td></tr>'
    )
