"""Write the report of `gambol push` as an HTML page: deviation, recovery, and parts of the body."""

from __future__ import annotations

import html

from gambol.drawing.deviation import draw_deviation
from gambol.drawing.page import build_page
from gambol.respond.push_response import BODY_GROUPS, RECOVERED_DEGREES, PushResponse


def push_report_html(found: PushResponse) -> str:
    """Return the page of a response."""
    name = html.escape(found.fitted.source.name)
    degrees, second = found.peak
    back = "not within the clip" if found.recovery is None else f"{found.recovery:.2f} s after the last push"
    facts = {
        "largest deviation": f"{degrees:.1f} degrees, at {second:.2f} s",
        f"recovered (within {RECOVERED_DEGREES:g} degrees)": back,
        "feet": found.footwork,
        "balance": found.advice or "within what a person can do",
        "body": f"{found.fitted.character.mass:.1f} kg",
        "method": found.method,
    }
    rows = "".join(f"<tr><td>{key}</td><td>{html.escape(value)}</td></tr>" for key, value in facts.items())
    pushes = "".join(
        f"<tr><td>{html.escape(p.body)}</td><td>{', '.join(f'{x:g}' for x in p.force)} N ({p.axes} axes)</td>"
        f"<td>{p.start:g} s</td><td>{p.duration:g} s</td></tr>"
        for p in found.pushes
    )
    curves = {part: found.deviation(bodies) for part, bodies in BODY_GROUPS.items()}
    shaded = [(p.start, p.end, p.body.replace("_", " ")) for p in found.pushes]
    picture = draw_deviation(found.fitted.motion.times, curves, shaded, RECOVERED_DEGREES)
    return build_page(
        f"gambol push: {name}",
        f"<h1>{name}, pushed</h1><section><table><tbody>{rows}</tbody></table></section>"
        "<section><table><thead><tr><th>body</th><th>force</th><th>at</th><th>for</th></tr></thead>"
        f"<tbody>{pushes}</tbody></table>{picture}</section>",
    )
