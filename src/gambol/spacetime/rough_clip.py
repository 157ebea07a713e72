"""Use a rough clip as a sketch: it is solved on a character fitted to the clip, and mapped back to the clip's rig."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import Fit, fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.spacetime.resampling import choose_every
from gambol.spacetime.rough import RoughMotion
from gambol.spacetime.sketch import LONGEST, Key, Sketch
from gambol.spacetime.transitions import heading

_UPRIGHT = np.radians(30.0)
"""Lean and roll (rad) up to which a clip counts as upright."""
_KEYED = np.radians(8.0)
"""Range (rad) above which a joint counts as keyed."""


def sketch_from_clip(motion: Motion, mass: float | None = None) -> tuple[Sketch, RoughMotion, Fit]:
    """Make a sketch from a rough clip; return it with the rough motion of its character and the fit to the rig."""
    if not 0.2 <= motion.duration <= LONGEST:
        raise InputError(
            f"the clip lasts {motion.duration:.2f} s", file=motion.name, fix=f"a sketch lasts 0.2 to {LONGEST:.0f} s"
        )
    fitted = fit(Character.from_motion(motion, mass), motion)
    every = choose_every(motion.frame_time)
    thin = replace(fitted.motion, q=fitted.motion.q[::every], frame_time=every * motion.frame_time)
    turned = np.unwrap(heading(thin.placement.rotations[:, 0]))
    tilt = angles_about(np.eye(3)[::-1], thin.placement.rotations[:, 0])[:, 1:]
    skeleton = thin.skeleton
    keyed = tuple(n for n, dof in enumerate(skeleton.dofs) if dof.joint and np.ptp(thin.q[:, n]) > _KEYED)
    rough = RoughMotion(fitted.character, thin, turned, tilt if np.abs(tilt).max() > _UPRIGHT else None, keyed)
    fps = 1.0 / thin.frame_time
    return Sketch(motion.name, (len(thin) - 1) * thin.frame_time, (Key(0.0),), fps=fps), rough, fitted


def sketch_to_rig(fitted: Fit, q: Array) -> Motion:
    """Map a solved motion (frames, dofs) to the clip's rig, at the clip's frame rate."""
    from scipy.interpolate import CubicSpline

    frames = len(fitted.motion)
    every = round((frames - 1) / (len(q) - 1))
    if every > 1:
        at = np.minimum(np.arange(frames), every * (len(q) - 1))
        q = CubicSpline(every * np.arange(len(q)), q)(at)
    return map_to_rig(fitted, q)
