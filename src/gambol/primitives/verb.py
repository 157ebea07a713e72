"""`learn_primitives` and `play_primitives`: movements as mixtures of source functions (M17 sections 2.2 to 2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from gambol.clips.result import ModelResult, Result
from gambol.errors import InputError, StrPath
from gambol.fit.load import Source, as_motion
from gambol.geometry.arrays import Array
from gambol.io.models import as_model
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.motion import Motion
from gambol.primitives.learning import DelayMode, learn_model
from gambol.primitives.model import Primitives
from gambol.primitives.player import Player, make_morph, play
from gambol.progress import Progress, silent

_SECONDS, _LONGEST = 8.0, 3600.0
_SHOWN = 3.0
"""Seconds per style in the motions of a result."""


def learn_primitives(
    clips: Source | Sequence[Source] | Mapping[str, Source | Sequence[Source]],
    *,
    sources: int = 4,
    delays: DelayMode = "tied",
    rotations: Literal["log", "quaternion"] = "log",
    once: bool = False,
    seed: int = 0,
) -> ModelResult[Primitives]:
    """Learn the strides of clips, all on one rig, as mixtures of a few source functions.

    `clips` maps names of styles to their clips, or is a list of clips, each a style of its own. Delays of a source and
    channel are the same in all styles ("tied"), "free", or within a "band" around a common value. `rotations` says how
    rotations are encoded. `once` takes whole clips, as movements that do not repeat.

    >>> learned = gb.learn_primitives({"walk": "walk", "run": "run"})  # doctest: +SKIP
    >>> gb.play_primitives(learned.model, style="walk", to="run", seconds=6.0).save("speeding_up.bvh")  # doctest: +SKIP
    """
    styles = {style: [as_motion(clip) for clip in _several(group)] for style, group in _styles(clips).items()}
    model = learn_model(styles, sources, delays, once=once, rotations=rotations, seed=seed)
    count = f"{sources} source{'s' if sources > 1 else ''} with {delays} delays"
    shown = tuple(play_primitives(model, style=style, seconds=_SHOWN).motion for style in model.styles)
    return ModelResult(
        motions=Ensemble(shown, "primitives"),
        figures={"explained_share": model.explained},
        notes=(*describe_styles(model), f"{count} explain {100.0 * model.explained:.2f} % of the variance"),
        model=model,
    )


def play_primitives(
    model: Primitives | StrPath,
    *,
    style: str | None = None,
    to: str | None = None,
    seconds: float | None = None,
    speed: float = 1.0,
    fps: float = 60.0,
    live: bool = False,
    progress: Progress = silent,
) -> Result:
    """Generate a motion of any length on the rig that the primitives were learned on.

    The motion has one `style` (default: the first) or morphs linearly from it `to` another. `speed` multiplies the
    cadence. `live` evaluates the regressions in every frame instead of using tables. Default duration: 8 s, or that of
    the whole clip.

    >>> gb.play_primitives("gaits.npz", style="walk", to="run", seconds=6.0).save("speeding_up.bvh")  # doctest: +SKIP
    """
    found = as_model(model, Primitives)
    first = found.styles[0] if style is None else style
    last = first if to is None else to
    whole = float(found.periods.max()) / speed if found.once and speed > 0.0 else _SECONDS
    length = whole if seconds is None else seconds
    if length > _LONGEST:
        raise InputError(f"the duration of {length:g} s is too long", fix=f"choose at most {_LONGEST:g} s")
    morph = make_morph(found, first, last, length)

    def blend_at(time: float) -> Array:
        progress("playing seconds", int(time), int(length))
        return morph(time)

    motion = play(Player(found, live), length, blend_at, fps, speed)
    made = {"verb": "primitives play", "style": first, "to": last, "speed": speed}
    name = first if first == last else f"{first} to {last}"
    return Result(motions=as_ensemble(replace(motion, name=name, made=made)))


def describe_styles(model: Primitives) -> list[str]:
    """Return a line per style: number and duration of its strides."""
    unit = "whole clip" if model.once else "stride"
    return [
        f"{style}: {count} {unit}{'s' if count > 1 else ''} of {period:.2f} s"
        for style, count, period in zip(model.styles, model.counts, model.periods, strict=True)
    ]


def _styles(
    clips: Source | Sequence[Source] | Mapping[str, Source | Sequence[Source]],
) -> Mapping[str, Source | Sequence[Source]]:
    if isinstance(clips, Mapping):
        return clips
    styles: dict[str, list[Source]] = {}
    for clip in _several(clips):
        name = clip.name if isinstance(clip, Motion) else Path(clip).stem
        styles.setdefault(name, []).append(clip)
    return styles


def _several(clips: Source | Sequence[Source]) -> Sequence[Source]:
    return [clips] if isinstance(clips, Motion | str | Path) else clips  # type: ignore[return-value]
