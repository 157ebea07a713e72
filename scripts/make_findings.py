"""Draw the sheets of docs/check.md: every finding of the judge, beside sound motion.

A sheet is a group of findings, a cell one of them: on the left motion in which nothing is found, on the right the same
with a fault made on purpose, with a ring and the words of the judge. A fault that is not found is an error.
"""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from findings import SHEETS, Example
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from gambol.body.measure import require_rig
from gambol.drawing.camera import Camera
from gambol.drawing.faults import COLOR, assign_findings, paint_rings
from gambol.drawing.painter import GROUND, FigureMesh, Surface, paint
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import UP
from gambol.judge.balance import find_centre
from gambol.judge.finding import Finding
from gambol.judge.judgement import Judgement, judge, judge_all
from gambol.judge.seen import see_person
from gambol.motion.figure import estimate_floor_height
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.judge.alarms import list_kinds

FOLDER = Path(__file__).parent.parent / "docs" / "img" / "findings"
WIDTH, COLOURS, LARGEST = 800, 56, 60_000
"""Pixels and colours of a sheet, and bytes of the largest file."""
COLUMNS, PANEL, TITLE, LINE, GAP = 2, 150, 20, 13, 8
"""Cells of a row; heights in pixels of a panel, of the name above and of a line below it, and pixels between cells."""
LETTERS = 37
"""Letters of a line of words."""
FLOOR, DARK, GREY = (0.86, 0.855, 0.845), (0.15, 0.15, 0.17), (0.45, 0.45, 0.45)
MARGIN, HEAD = 0.12, 0.2
"""Metres around the joints that a panel shows, and from the joint of the head to its top."""
_FINE = 2
"""Pixels that are drawn per pixel of the sheet."""


def main() -> None:
    """Draw all sheets; every kind of finding of the judge is on one of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    drawn = list[str]()
    for name, list_examples in SHEETS.items():
        examples = list_examples()
        drawn += [example.kind for example in examples]
        print(f"{name}: {save_sheet(examples, FOLDER / f'{name}.png')} bytes", flush=True)
    assert sorted(drawn) == sorted(list_kinds()), f"not drawn: {list_kinds().keys() - set(drawn)}"


def save_sheet(examples: Sequence[Example], path: Path) -> int:
    """Draw the cells of a group, two in a row, and return the size of the file."""
    faults = [find_fault(example) for example in examples]
    words = [describe(fault) for fault in faults]
    rows = [words[n : n + COLUMNS] for n in range(0, len(words), COLUMNS)]
    heights = [TITLE + PANEL + LINE * max(text.count("\n") + 1 for text in row) + 2 * GAP for row in rows]
    tops = np.cumsum([0, *heights])
    total = float(tops[-1])
    sheet = Figure(figsize=(WIDTH / 100, total / 100), dpi=100 * _FINE, facecolor="white")
    canvas = FigureCanvasAgg(sheet)
    cell = WIDTH / COLUMNS
    for n, (example, fault) in enumerate(zip(examples, faults, strict=True)):
        left, top = n % COLUMNS * cell + GAP, float(tops[n // COLUMNS]) + GAP
        sheet.text(left / WIDTH, 1.0 - (top + TITLE - 5) / total, example.kind, fontsize=8.5, weight="bold", color=DARK)
        width = 0.5 * (cell - 3 * GAP)
        for shown, note, color in ((None, example.note, GREY), (fault, words[n], COLOR)):
            bottom = 1.0 - (top + TITLE + PANEL) / total
            axes = sheet.add_axes((left / WIDTH, bottom, width / WIDTH, PANEL / total), facecolor=GROUND)
            paint_panel(axes, example, shown, width / PANEL)
            middle = (left + 0.5 * width) / WIDTH
            sheet.text(middle, bottom - 3 / total, note, fontsize=7.2, ha="center", va="top", color=color)
            left += width + GAP
    drawn = io.BytesIO()
    canvas.print_png(drawn)
    picture = Image.open(drawn).convert("RGB").resize((WIDTH, round(total)), Image.Resampling.LANCZOS)
    picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=1).save(path, optimize=True)
    size = path.stat().st_size
    assert size <= LARGEST, f"{path.name} has {size} bytes"
    return size


def find_fault(example: Example) -> Finding:
    """Return the fault that the judge finds in the damaged motion, and nothing in the sound one."""
    before = look_at(example, example.sound).findings
    assert not before, f"{example.kind}: the sound motion has {before[0]}"
    found = [one for one in look_at(example, example.damaged).findings if one.kind.name == example.kind]
    assert found, f"{example.kind}: not found"
    return found[0]


def look_at(example: Example, motions: Sequence[Motion]) -> Judgement:
    if len(motions) > 1:
        return judge_all(motions)
    return judge(motions[0], original=example.sound[0] if example.compared else None)


def describe(fault: Finding) -> str:
    """Return the words of a fault on short lines."""
    words = f"{fault.part.replace('_', ' ')} {fault.kind.words} {float(f'{fault.value:.3g}'):g}\u00a0{fault.kind.unit}"
    return textwrap.fill(words, LETTERS)


def paint_panel(axes: Axes, example: Example, fault: Finding | None, aspect: float) -> None:
    """Paint poses of the motion with a fault and its ring, or of the sound one; of overlaid ones the last is solid."""
    motions = example.sound if fault is None else example.damaged
    camera = Camera.at(np.array(example.side), 0.0)
    floor = min(map(estimate_floor_height, example.sound))
    left, right, low, high = choose_window(example, camera, floor, aspect)
    axes.set(xlim=(left, right), ylim=(low, high), xticks=[], yticks=[])
    axes.spines[:].set_visible(False)
    axes.axhspan(low - 1.0, floor, color=FLOOR, linewidth=0.0, zorder=0)
    posed = [[pose(motion, example, camera, n) for motion in motions] for n in range(len(example.times))]
    solid, ghosts = (posed, []) if example.apart else (posed[-1:], posed[:-1])
    if fault is not None and example.compared and not example.apart:
        ghosts = [[pose(example.sound[0], example, camera, -1)]]
    paint(axes, camera, [*chain(*solid)], floor, light=camera.light, ghosts=[*chain(*ghosts)])
    for n, time in enumerate(example.times if example.apart else ()):
        x = camera.project(place(motions[0], "pelvis", time) + shift(motions[0], example, camera, n))[0]
        axes.text(x, high, f"{time - example.times[0]:.2g} s", fontsize=6, ha="center", va="top", color=GREY)
    if example.trail and fault is not None and example.compared:
        paint_trail(axes, camera.project(follow(example.sound[0], example)), GREY)
    if example.trail:
        paint_trail(axes, camera.project(follow(motions[0], example)), DARK if fault is None else COLOR)
    if example.balance:
        paint_balance(axes, camera, motions[0], example, floor)
    if fault is not None:
        n = choose_ringed(example, fault)
        for motion, own in zip(motions, assign_findings(motions, [fault]), strict=True):
            frame = round(example.times[n] / motion.frame_time)
            paint_rings(axes, camera, motion, own, frame, shift(motion, example, camera, n))


def choose_ringed(example: Example, fault: Finding) -> int:
    """Return the number of the pose that shows a fault: of overlaid ones the last."""
    middle = 0.5 * (fault.start + fault.end)
    nearest = int(np.argmin([abs(time - middle) for time in example.times]))
    return nearest if example.apart else len(example.times) - 1


def choose_window(example: Example, camera: Camera, floor: float, aspect: float) -> tuple[float, float, float, float]:
    """Return left, right, bottom and top (m) of a picture in which both panels have the parts that they show."""
    motions = (*example.sound, *example.damaged)
    shown = [
        place(motion, part, time) + shift(motion, example, camera, n) + (HEAD * UP if part == "head" else 0.0)
        for motion in motions
        for n, time in enumerate(example.times)
        for part in require_rig(motion).parts
        if part.endswith(example.focus)
    ]
    trails = [follow(motion, example) for motion in motions if example.trail]
    points = camera.project(np.concatenate([shown, *trails]))
    low, high = points.min(axis=0) - MARGIN, points.max(axis=0) + MARGIN
    size = max(float(high[0] - low[0]), aspect * float(high[1] - low[1]))
    middle = 0.5 * (low + high)
    x, y = middle.tolist()
    bottom = max(y - 0.5 * size / aspect, floor - 2.0 * MARGIN)
    return x - 0.5 * size, x + 0.5 * size, bottom, bottom + size / aspect


def place(motion: Motion, part: str, time: float) -> Array:
    """Return where the joint of a part is at a time (s)."""
    return motion.placement.positions[round(time / motion.frame_time), require_rig(motion).parts[part]]


def shift(motion: Motion, example: Example, camera: Camera, number: int) -> Array:
    """Return how far (3,) a pose is moved in the picture: beside the one before, if poses are apart."""
    if not example.apart:
        return np.zeros(3)
    pelvis = place(motion, "pelvis", example.times[number])
    return number * example.apart * camera.right - pelvis * (1.0 - UP)


def pose(motion: Motion, example: Example, camera: Camera, number: int) -> Surface:
    frame = round(example.times[number] / motion.frame_time)
    return FigureMesh(motion).pose(frame).shift(shift(motion, example, camera, number))


def follow(motion: Motion, example: Example) -> Array:
    """Return where the part of a trail is in the frames (frames, 3) of it."""
    first, last = (round(time / motion.frame_time) for time in example.during)
    return motion.placement.positions[first : last + 1, require_rig(motion).parts[example.trail]]


def paint_trail(axes: Axes, path: Array, color: str | tuple[float, float, float]) -> None:
    """Paint a dot at every place (frames, 2) of a path."""
    axes.plot(*path.T, "-", color=color, linewidth=0.5, alpha=0.4, zorder=8)
    axes.plot(*path.T, ".", color=color, markersize=5.5, markeredgewidth=0.0, zorder=8)


def paint_balance(axes: Axes, camera: Camera, motion: Motion, example: Example, floor: float) -> None:
    """Paint a dashed line from the centre of mass in every pose to the floor below it."""
    centre = find_centre(see_person(motion))
    for n, time in enumerate(example.times):
        x, y = camera.project(centre[round(time / motion.frame_time)] + shift(motion, example, camera, n))
        axes.plot([x, x], [floor, y], "--", color=DARK, linewidth=1.0, zorder=8)
        axes.plot([x, x], [floor, y], "o", color=DARK, markersize=3.5, zorder=8)


if __name__ == "__main__":
    main()
