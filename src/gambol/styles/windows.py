"""Apply a style to scenes of any length: in windows that overlap, one after the other.

Each window begins with two poses of the one before, 0.6 s before that one ends. In the first 0.4 s of the overlap the
motion passes from one to the other; the end of a window, beyond which it saw nothing, is not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.progress import Progress, pass_messages, silent
from gambol.solve.windows import split_windows
from gambol.styles.scene import SolvedScene, StyleScene, generate_motion
from gambol.styles.task import find_end_strides
from gambol.terms.space import Term

_WINDOW, _OVERLAP = 90, 18
"""Frames of a window and of an overlap: 3 s and 0.6 s."""
_PINNED, _PASSED = 2, 14
"""Frames of an overlap that are those of the window before, and those in which the motion has passed to the next."""


class StyledMotion(NamedTuple):
    """What a style makes of a scene."""

    q: Array
    """(frames, dofs)"""
    windows: tuple[SolvedScene, ...]

    @property
    def failed(self) -> SolvedScene | None:
        """The first window without a solution."""
        return next((one for one in self.windows if not one.solution.converged), None)

    @property
    def figures(self) -> dict[str, float]:
        """Of all windows together."""
        residuals = np.concatenate([one.root_residual[:, :3] for one in self.windows])
        return {
            "muscle_cost": sum(one.solution.costs["muscle"] for one in self.windows),
            "root_residual_n": float(np.sqrt(np.mean(residuals**2))),
            "iterations": sum(one.solution.iterations for one in self.windows),
        }


def generate_long_motion(
    scene: StyleScene, parameters: Array, further: Sequence[Term] = (), progress: Progress = silent
) -> StyledMotion:
    """Return the motion of least muscle cost, of which the windows are solved up to one that has no solution.

    A cycle is one window, and so is a scene with `further` terms, which know frames of the whole.
    """
    frames, windows = len(scene.reference), []
    whole = scene.travel is not None or bool(further)
    spans = [(0, frames - 1)] if whole else list(split_windows(frames, _WINDOW, _OVERLAP))
    q = scene.reference.copy()
    for first, last in spans:
        progress("solving frames", first, frames)
        part = scene if len(spans) == 1 else scene.cut(first, last)
        if first > 0:
            pinned = np.concatenate((q[first : first + _PINNED], part.reference[_PINNED:]))
            part = replace(part, exact=(True, False), reference=pinned)
        if len(spans) > 1:
            part = replace(part, strides=find_end_strides(part.contacts))
        windows.append(generate_motion(part, parameters, further=further, progress=pass_messages(progress)))
        if not windows[-1].solution.converged:
            break
        new = np.clip((np.arange(last + 1 - first) - _PINNED + 1) / (_PASSED - _PINNED), float(first == 0), 1.0)
        share = smoothstep(new)[:, None]
        q[first : last + 1] = (1.0 - share) * q[first : last + 1] + share * windows[-1].q
    return StyledMotion(q, tuple(windows))
