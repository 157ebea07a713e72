"""Respond to pushes over a whole clip in near-unactuated coordinates (YL08).

The equations are in `equations.py`, the model that is learned from the clip in `model.py`, the steps in `stepping.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load, Platform, Push
from gambol.respond.actuation import Actuation
from gambol.respond.model import DEFAULT_FREE, Gains, learn_response
from gambol.respond.objective import Objective
from gambol.respond.push_response import PushResponse
from gambol.respond.stepping import respond_to_targets


def respond_to_pushes(
    character: Character,
    clip: Motion,
    pushes: Sequence[Push] = (),
    free: int = DEFAULT_FREE,
    *,
    actuation: Actuation | None = None,
    gains: Gains = Gains(),
    objectives: Sequence[Objective] = (),
    loads: Sequence[Load] = (),
    platform: Platform | None = None,
    cycle: slice | None = None,
) -> PushResponse:
    """Fit the character to a clip, learn its response model (from all cycles or one) and respond to pushes."""
    check_pushes(clip, pushes)
    fitted = fit(character, clip)
    model = learn_response(fitted, free, actuation=actuation, gains=gains, loads=loads, cycle=cycle)
    poses = respond_to_targets(model, fitted.motion.q, pushes, objectives=objectives, platform=platform)
    return PushResponse(fitted, poses, tuple(pushes), f"near-unactuated, k = {free}", platform)


def check_pushes(clip: Motion, pushes: Sequence[Push]) -> None:
    """Refuse pushes that start after the end of the clip."""
    late = next((p for p in pushes if p.start >= clip.duration), None)
    if late is not None:
        raise InputError(
            f"the push at {late.start:g} s starts after the clip, which lasts {clip.duration:.2f} s",
            file=clip.name,
            fix="push earlier, or loop the clip",
        )
