"""Let pictures over time on a page be zoomed along time: a script in the page itself, which asks for nothing.

matplotlib clips curves and spans to their panel. The script stretches whatever is clipped, draws the ticks of the time
axis and the labels of spans anew, and turns the names of spans into tooltips.
"""

from __future__ import annotations

import re

from gambol.drawing.stage_bar import SPAN

ZOOM_HINT = (
    '<p class="hint">Drag over the curves to zoom in on some seconds; Shift and the mouse wheel move along, '
    "a double click shows the whole clip.</p>"
)
"""What to write above such pictures."""
_SCRIPT = """
for (const svg of document.querySelectorAll("svg[data-time]")) {
  const [seconds, left, width, bottom] = svg.dataset.time.split(" ").map(Number);
  const add = (name, attributes, text = "") => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) made.setAttribute(key, attributes[key]);
    made.textContent = text;
    return svg.appendChild(made);
  };
  const stretched = [...svg.querySelectorAll("[clip-path]")];
  for (const one of stretched) {  // the panel stays: what is in it moves
    const panel = add("g", { "clip-path": one.getAttribute("clip-path") });
    one.removeAttribute("clip-path");
    one.replaceWith(panel);
    panel.append(one);
    for (const path of one.querySelectorAll("path, use")) path.style.vectorEffect = "non-scaling-stroke";
    one.style.vectorEffect = "non-scaling-stroke";
  }
  const spans = [...svg.querySelectorAll("g.span")].map((one) => [
    one.querySelector("path").getBBox(), one.querySelector("title").textContent.split(":")[0]]);
  svg.querySelectorAll("[id^=xtick_], [id=label]").forEach((one) => one.remove());
  const band = add("rect", { y: 0, height: bottom, fill: "#4f8cbd", opacity: 0.2, width: 0 });
  let from = 0, to = seconds, held = null;
  const show = (first, last) => {
    const wide = Math.min(seconds, Math.max(last - first, 0.05));
    from = Math.min(Math.max(first, 0), seconds - wide);
    to = from + wide;
    svg.dataset.shown = from.toFixed(3) + " " + to.toFixed(3);
    const scale = seconds / wide, place = (time) => left + (width * (time - from)) / wide;
    for (const one of stretched)
      one.setAttribute("transform", `translate(${place(0) - scale * left} 0) scale(${scale} 1)`);
    svg.querySelectorAll(".drawn").forEach((one) => one.remove());
    const text = { class: "drawn", "text-anchor": "middle", "pointer-events": "none" };
    for (const [box, label] of spans) {
      const a = Math.max(left, place(0) + scale * (box.x - left));
      const b = Math.min(left + width, place(0) + scale * (box.x + box.width - left));
      if (label.length * 5 <= b - a)
        add("text", { ...text, x: (a + b) / 2, y: box.y + box.height / 2 + 3, "font-size": 8 }, label);
    }
    const least = wide / 10, power = 10 ** Math.floor(Math.log10(least));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= least);
    for (let n = Math.ceil(from / step); n * step <= to; n++) {
      add("path", { class: "drawn", d: `M${place(n * step)} ${bottom}v4`, stroke: "#222" });
      const name = (n * step).toFixed(Math.max(0, Math.ceil(-Math.log10(step))));
      add("text", { ...text, x: place(n * step), y: bottom + 14, "font-size": 9 }, name);
    }
  };
  const find = (event) => {
    const box = svg.getBoundingClientRect(), wide = svg.viewBox.baseVal.width;
    return Math.min(Math.max(((event.clientX - box.left) * wide) / box.width, left), left + width);
  };
  const time = (x) => from + ((to - from) * (x - left)) / width;
  svg.addEventListener("pointerdown", (event) => {
    held = find(event);
    svg.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    if (held === null) return;
    band.setAttribute("x", Math.min(held, find(event)));
    band.setAttribute("width", Math.abs(find(event) - held));
  });
  svg.addEventListener("pointerup", (event) => {
    const ends = [held, find(event)].sort((a, b) => a - b);
    held = null;
    band.setAttribute("width", 0);
    if (ends[1] - ends[0] > 4) show(time(ends[0]), time(ends[1]));
  });
  svg.addEventListener("dblclick", () => show(0, seconds));
  svg.addEventListener("wheel", (event) => {
    if (!event.shiftKey) return;
    event.preventDefault();
    const moved = (Math.sign(event.deltaX || event.deltaY) * (to - from)) / 5;
    show(from + moved, to + moved);
  }, { passive: false });
  show(0, seconds);
}
"""
ZOOM_SCRIPT = f"<script>{_SCRIPT}</script>"
"""For the end of a page with such pictures."""


def make_zoomable(picture: str, seconds: float, box: tuple[float, float, float]) -> str:
    """Return an SVG picture of some seconds that `ZOOM_SCRIPT` zooms.

    `box` is where the time axis begins, how long it is, and how far from the top (inches).
    """
    numbers = " ".join(f"{value:.6g}" for value in (seconds, *(72.0 * part for part in box)))
    tipped = re.sub(rf'<g id="{SPAN}([^"]*)">', r'<g class="span"><title>\1</title>', picture)
    return tipped.replace("<svg ", f'<svg data-time="{numbers}" ', 1)
