"""Build HTML pages for reports, in one style."""

from __future__ import annotations

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
svg, img { width: 100%; height: auto; margin-top: 1rem; }
p.hint { color: #6b6a68; font-size: .85rem; margin: 1rem 0 0; }
svg[data-time] { cursor: col-resize; touch-action: pan-y; user-select: none; }
footer { color: #8a8883; font-size: .85rem; }
"""


def build_page(title: str, body: str) -> str:
    """Return a page with a title and a body, both already escaped."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>{body}"
        f"<footer>gambol {__version__}</footer></body></html>\n"
    )
