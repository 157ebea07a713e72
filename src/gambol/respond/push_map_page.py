"""Draw a push map as an HTML page: the weakest point, then every push as a coloured cell."""

from __future__ import annotations

import html

import numpy as np

from gambol.drawing.heat_maps import HeatMaps, draw_heat_maps, draw_legend
from gambol.drawing.page import build_page
from gambol.drawing.stage_bar import STAGE_COLORS
from gambol.geometry.arrays import Array
from gambol.respond.push_map import DIRECTIONS, RECOVERY_TIME, PushMap

_STYLE = "<style>.dot { display: inline-block; width: .8em; height: .8em; margin: 0 .25em 0 .9em; }</style>"


def push_map_html(found: PushMap) -> str:
    """Return the page of a push map."""
    name = html.escape(found.clip)
    most = float(max(10.0 * np.ceil(found.peaks.max() / 10.0), 10.0))
    slowest = found.recoveries[~found.lost].max(initial=0.0)
    longest = RECOVERY_TIME if found.lost.any() else float(max(0.5 * np.ceil(slowest / 0.5), 0.5))
    return build_page(
        f"gambol push-map: {name}",
        f"{_STYLE}<h1>Push map of {name}</h1><p><b>{html.escape(summarise_push_map(found))}</b></p>{_facts(found)}"
        f"<section><h2>Largest deviation</h2>{draw_legend(most, 'degrees, worst joint')}"
        f"{draw_heat_maps(_maps(found, found.peaks, most))}</section>"
        f"<section><h2>Time to recovery</h2>{draw_legend(longest, 's after the push')}"
        f"{draw_heat_maps(_maps(found, found.recoveries, longest))}</section>"
        f"<section><h2>By body part</h2>{_table(found)}</section>",
    )


def summarise_push_map(found: PushMap) -> str:
    """Summarise a map in a sentence: where the clip is weakest, and how often it does not recover."""
    body, direction, force, phase = found.weakest
    cells, total = found.plan.shape[3], found.peaks.size
    joint, wait = found.joints[found.weakest].replace("_", " "), found.recoveries[found.weakest]
    when = f"{100 * phase / cells:.0f} to {100 * (phase + 1) / cells:.0f} % of the {_span(found)}"
    back = f"recovers in {wait:.1f} s" if np.isfinite(wait) else f"does not recover in {RECOVERY_TIME:g} s"
    lost, limited = int(found.lost.sum()), int(found.limited.sum())
    return (
        f"Weakest: the {_part(found, body)} pushed {list(DIRECTIONS)[direction]} at {when}, "
        f"{_support(found, phase)}: {found.forces[force]:.0f} N for {found.plan.duration:g} s deflect the {joint} "
        f"by {found.peaks[found.weakest]:.0f} degrees, and it {back}. It "
        f"{f'does not recover from {lost}' if lost else 'recovers from all'} of {total} pushes; "
        f"{limited or 'none'} of them bring a joint to its limit."
    )


def _support(found: PushMap, phase: int) -> str:
    """Return the support phase of most of a cell."""
    cells, frames = found.plan.shape[3], len(found.supports)
    inside = found.supports[frames * phase // cells : max(frames * (phase + 1) // cells, frames * phase // cells + 1)]
    name = max(set(inside), key=inside.count)
    return "in flight" if name == "flight" else f"on the {name}" if name.endswith("foot") else f"on {name}"


def _facts(found: PushMap) -> str:
    plan = found.plan
    stages = "".join(
        '<span class="dot" style="background:rgb({},{},{})"></span>'.format(*(round(255 * c) for c in STAGE_COLORS[s]))
        + html.escape(s)
        for s in dict.fromkeys(found.supports)
    )
    settings = ", ".join(f"{name} = {value:g}" for name, value in found.settings.items())
    rest = "" if found.cyclic else " The clip has no cycle: it is played forwards and backwards."
    return (
        f"<p>One push per cell, {plan.duration:g} s long, on a body of {found.mass:.0f} kg; left and right are the "
        f"character's own. Horizontal: the {_span(found)} of {found.seconds:.2f} s in percent; vertical: "
        f"the force in newtons, up to {plan.strongest:g} body weights. Recovered means that every joint stays "
        f"within 2 degrees of the clip.{rest} {settings}, seed {plan.seed}: every push has a random moment "
        f"within its cell and a direction within 15 degrees. Point at a cell for its figures.</p>"
        f"<p>Support phases, above every map:{stages}</p>"
    )


def _maps(found: PushMap, values: Array, most: float) -> HeatMaps:
    names = list(DIRECTIONS)

    def mark(*cell: int) -> str:
        return "lost" if found.lost[cell] else "limit" if found.limited[cell] else ""

    def describe(*cell: int) -> str:
        body, direction, force, _ = cell
        wait = found.recoveries[cell]
        return (
            f"{_part(found, body)}, {found.forces[force]:.0f} N {names[direction]} "
            f"({np.degrees(found.angles[cell]) % 360:.0f} degrees to the left of forward) at "
            f"{100 * found.phases[cell]:.0f} %: {found.joints[cell].replace('_', ' ')} "
            f"{found.peaks[cell]:.1f} degrees, "
            f"{f'recovered after {wait:.2f} s' if np.isfinite(wait) else 'not recovered'}"
            f"{', a joint at its limit' if found.limited[cell] else ''}"
        )

    return HeatMaps(
        values=values,
        most=most,
        rows=[_part(found, n) for n in range(len(found.plan.bodies))],
        columns=[f"pushed {name}" for name in names],
        ys=[f"{newtons:.0f}" for newtons in found.forces],
        y_title="force (N)",
        x_title=f"phase (% of the {_span(found)})",
        bar=found.supports,
        mark=mark,
        tooltip=describe,
    )


def _table(found: PushMap) -> str:
    rows = ""
    for n in range(len(found.plan.bodies)):
        peaks, waits = found.peaks[n], found.recoveries[n]
        side = list(DIRECTIONS)[int(np.argmax(peaks.mean(axis=(1, 2))))]
        limited, lost = int(found.limited[n].sum()), int(found.lost[n].sum())
        cells = (
            f"{np.median(peaks):.0f}", f"{peaks.max():.0f}", side, _seconds(np.median(waits)), _seconds(waits.max()),
            f"{limited} of {peaks.size}", f"{lost} of {peaks.size}",
        )  # fmt: skip
        rows += f'<tr><td class="name">{_part(found, n)}</td>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    return (
        "<table><thead><tr><th></th><th>median (degrees)</th><th>worst (degrees)</th><th>farthest when pushed</th>"
        "<th>back, median (s)</th><th>back, worst (s)</th><th>limits reached</th><th>not recovered</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _seconds(wait: float) -> str:
    return f"{wait:.2f}" if np.isfinite(wait) else "never"


def _part(found: PushMap, body: int) -> str:
    return found.plan.bodies[body].replace("_", " ")


def _span(found: PushMap) -> str:
    return "cycle" if found.cyclic else "clip"
