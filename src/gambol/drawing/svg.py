"""Draw matplotlib pictures as SVG elements for a page."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_svg(size: tuple[float, float], paint: Callable[[Figure], None], salt: str) -> str:
    """Return a picture (size in inches) as one SVG element; `salt` makes its ids unique on a page."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Keep text as text: it is smaller and can be searched and copied.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": 9.0}):
        picture = Figure(figsize=size)
        canvas = FigureCanvasSVG(picture)
        paint(picture)
        out = io.StringIO()
        canvas.print_svg(out, metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
