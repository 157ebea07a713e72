"""Draw a push map as an HTML page: the weakest point, then every push as a coloured cell."""

from __future__ import annotations

import html

import numpy as np
from numpy.typing import NDArray

from gambol.drawing.heat_maps import HeatMaps, draw_heat_maps, draw_legend
from gambol.drawing.page import build_page
from gambol.drawing.stage_bar import STAGE_COLORS
from gambol.geometry.arrays import Array
from gambol.respond.push_map import DIRECTIONS, PushMap
from gambol.respond.push_response import RECOVERY_TIME
from gambol.stages.balance import OUTCOMES, OVERBALANCE, STEP_REACH

_STYLE = "<style>.dot { display: inline-block; width: .8em; height: .8em; margin: 0 .25em 0 .9em; }</style>"


def push_map_html(found: PushMap) -> str:
    """Return the page of a push map."""
    name = html.escape(found.clip)
    most = float(max(10.0 * np.ceil(found.peaks.max() / 10.0), 10.0))
    slowest = found.recoveries[~found.lost].max(initial=0.0)
    longest = RECOVERY_TIME if found.lost.any() else float(max(0.5 * np.ceil(slowest / 0.5), 0.5))
    farthest = 100.0 * found.leg_length * STEP_REACH
    response = "a joint reaches its limit", f"not back within {RECOVERY_TIME:g} s"
    person = np.array(("", "ring", "cross"))[found.outcomes]
    marks = np.where(found.lost, "cross", np.where(found.limited, "ring", ""))
    return build_page(
        f"gambol push-map: {name}",
        f"{_STYLE}<h1>Push map of {name}</h1><p><b>{html.escape(summarise_push_map(found))}</b></p>{_facts(found)}"
        "<section><h2>What a person would do</h2>"
        f"{draw_legend(round(farthest), 'cm outside the feet', 'would step', 'would fall')}"
        f"{draw_heat_maps(_maps(found, 100.0 * found.outside, farthest, person))}</section>"
        f"<section><h2>Largest deviation</h2>{draw_legend(most, 'degrees, worst joint', *response)}"
        f"{draw_heat_maps(_maps(found, found.peaks, most, marks))}</section>"
        f"<section><h2>Time to recovery</h2>{draw_legend(longest, 's after the push', *response)}"
        f"{draw_heat_maps(_maps(found, found.recoveries, longest, marks))}</section>"
        f"<section><h2>By body part</h2>{_table(found)}</section>",
    )


def summarise_push_map(found: PushMap) -> str:
    """Summarise a map: what a person would do, where the clip is weakest, and how often it does not recover."""
    body, direction, force, phase = found.weakest
    total = found.peaks.size
    joint, wait = found.joints[found.weakest].replace("_", " "), found.recoveries[found.weakest]
    back = f"is back in {wait:.1f} s" if np.isfinite(wait) else f"is not back in {RECOVERY_TIME:g} s"
    lost, limited = int(found.lost.sum()), int(found.limited.sum())
    return (
        f"{_summarise_person(found)} The response, which follows the clip, is weakest at the {_part(found, body)} "
        f"pushed {list(DIRECTIONS)[direction]} {_when(found, phase)}: {found.forces[force]:.0f} N for "
        f"{found.plan.duration:g} s deflect the {joint} by {found.peaks[found.weakest]:.0f} degrees, and it {back}. "
        f"It {f'does not return after {lost}' if lost else 'returns after all'} of {total} pushes; "
        f"{limited or 'none'} of them bring a joint to its limit."
    )


def _summarise_person(found: PushMap) -> str:
    """Say how many pushes a person would stand, answer by a step or fall from, and the weakest of the last."""
    stands, steps, falls = np.bincount(found.outcomes.ravel(), minlength=3)
    counts = (
        f"Of {found.outcomes.size} pushes a person would withstand {stands} in place, recover from {steps} by a step, "
        f"and fall from {falls}"
    )
    if not falls:
        return f"{counts}."
    thrown = found.outcomes == OUTCOMES.index("falls")
    force = int(np.argmax(thrown.any(axis=(0, 1, 3))))
    farthest = np.where(thrown[:, :, force], found.outside[:, :, force], -1.0)
    _, direction, phase = np.unravel_index(int(np.argmax(farthest)), farthest.shape)
    return (
        f"{counts}, the weakest of which is {found.forces[force]:.0f} N {list(DIRECTIONS)[direction]} "
        f"{_when(found, int(phase))}."
    )


def _when(found: PushMap, phase: int) -> str:
    """Return the phases of a cell and their support, in words."""
    cells = found.plan.shape[3]
    share = f"{100 * phase / cells:.0f} to {100 * (phase + 1) / cells:.0f} %"
    return f"at {share} of the {_span(found)}, {_support(found, phase)}"


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
        f"the force in newtons, up to {plan.strongest:g} body weights. What a person would do is judged by the "
        "extrapolated centre of mass (position plus velocity times √(height / g)): up to "
        f"{100.0 * OVERBALANCE:.0f} cm outside the feet no step is needed, and steps catch up to {STEP_REACH:g} leg "
        f"lengths, {100.0 * STEP_REACH * found.leg_length:.0f} cm. The response follows the clip and never falls: it "
        f"is back when every joint stays within 2 degrees of the clip.{rest} {settings}, seed {plan.seed}: every push "
        "has a random moment within its cell and a direction within 15 degrees. Point at a cell for its figures.</p>"
        f"<p>Support phases, above every map:{stages}</p>"
    )


def _maps(found: PushMap, values: Array, most: float, marks: NDArray[np.str_]) -> HeatMaps:
    names = list(DIRECTIONS)

    def describe(*cell: int) -> str:
        body, direction, force, _ = cell
        wait = found.recoveries[cell]
        return (
            f"{_part(found, body)}, {found.forces[force]:.0f} N {names[direction]} "
            f"({np.degrees(found.angles[cell]) % 360:.0f} degrees to the left of forward) at "
            f"{100 * found.phases[cell]:.0f} %: {found.joints[cell].replace('_', ' ')} "
            f"{found.peaks[cell]:.1f} degrees, "
            f"{f'back after {wait:.2f} s' if np.isfinite(wait) else 'not back'}"
            f"{', a joint at its limit' if found.limited[cell] else ''}; extrapolated centre of mass "
            f"{100.0 * found.outside[cell]:.0f} cm outside the feet: a person {OUTCOMES[found.outcomes[cell]]}"
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
        mark=lambda *cell: str(marks[cell]),
        tooltip=describe,
    )


def _table(found: PushMap) -> str:
    rows = ""
    for n in range(len(found.plan.bodies)):
        peaks, waits = found.peaks[n], found.recoveries[n]
        side = list(DIRECTIONS)[int(np.argmax(peaks.mean(axis=(1, 2))))]
        limited, lost = int(found.limited[n].sum()), int(found.lost[n].sum())
        _, steps, falls = np.bincount(found.outcomes[n].ravel(), minlength=3)
        cells = (
            f"{np.median(peaks):.0f}", f"{peaks.max():.0f}", side, _seconds(np.median(waits)), _seconds(waits.max()),
            f"{limited} of {peaks.size}", f"{lost} of {peaks.size}", f"{steps} of {peaks.size}",
            f"{falls} of {peaks.size}",
        )  # fmt: skip
        rows += f'<tr><td class="name">{_part(found, n)}</td>' + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    return (
        "<table><thead><tr><th></th><th>median (degrees)</th><th>worst (degrees)</th><th>farthest when pushed</th>"
        "<th>back, median (s)</th><th>back, worst (s)</th><th>limits reached</th><th>not back</th>"
        "<th>a person steps</th><th>a person falls</th></tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _seconds(wait: float) -> str:
    return f"{wait:.2f}" if np.isfinite(wait) else "never"


def _part(found: PushMap, body: int) -> str:
    return found.plan.bodies[body].replace("_", " ")


def _span(found: PushMap) -> str:
    return "cycle" if found.cyclic else "clip"
