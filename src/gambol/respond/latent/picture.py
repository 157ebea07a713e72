"""A picture of what a walker has learned: latents of the normal walk and examples, and their pushes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gambol.drawing import check_picture
from gambol.drawing.latents import LatentExample, LatentSpace, save_latents
from gambol.errors import StrPath
from gambol.io.models import as_model
from gambol.io.output import atomic_write, check_writable
from gambol.respond.latent.responder import LatentWalker
from gambol.stages.support import name_supports


def draw_walker(walker: LatentWalker | StrPath, path: StrPath, *, overwrite: bool = True) -> Path:
    """Draw the latents of every model and the pushes of all examples as PNG, SVG or PDF, and return the path.

    See `drawing.latents.draw_latents`.

    >>> gb.draw_walker("walker.npz", "walker.png")  # doctest: +SKIP
    """
    file = Path(path)
    check_picture(file)
    check_writable(file, overwrite)
    with atomic_write(file) as temporary:
        save_latents(gather_latents(as_model(walker, LatentWalker)), temporary)
    return file


def gather_latents(walker: LatentWalker) -> list[LatentSpace]:
    """Return the latents of all models, with the support phase in which each example is pushed."""
    period = walker.walk.period
    supports = name_supports(walker.walk.fitted.source)[period : 2 * period]
    spaces = []
    for model in walker.models:
        normal, *pushed = np.split(model.gplvm.latents_, np.cumsum((model.period, *model.lengths))[:-1])
        examples = tuple(
            LatentExample(line, onset, push.direction, push.speed, supports[round(push.phase * period) % period])
            for line, onset, push in zip(pushed, model.onsets, model.pushes, strict=True)
        )
        spaces.append(LatentSpace(normal, examples))
    return spaces
