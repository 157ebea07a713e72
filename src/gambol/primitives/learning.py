"""Primitives of clips: strides or whole clips of every style, mixed of a few sources (M17 sections 2.2, 2.3 and 3.3).

All channels weigh alike, unscaled: a radian at the hip moves a foot by a leg length, the unit of the root's channels.
Scaled to equal variance, joints that only tremble would count as much as the knees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.features.encoding import ROTATION_ENCODINGS, encode_rotations
from gambol.features.layout import Layout, layout_of
from gambol.features.strides import Stride, find_strides, sample_whole_clip
from gambol.geometry.arrays import Array
from gambol.legs.graded_contacts import grade_contacts
from gambol.motion.motion import Motion
from gambol.primitives.model import Primitives
from gambol.primitives.prototypes import close_stride, match_travel_to_feet
from gambol.primitives.sources import fit_source_maps

if TYPE_CHECKING:
    from gambol.learn.anechoic import AnechoicMixture

DelayMode = Literal["tied", "free", "band"]
DELAY_BAND = 0.05
"""Turns within which delays of a source and channel keep of one that all styles share, when tied in a band."""
_RESTARTS = 5
"""Attempts at better sources: walks are explained within 0.3 % of the variance that twenty give, in half the time."""
_CURVE = 64
"""Phases at which a source is given to its regression."""


class _Trials(NamedTuple):
    """Curves (trials, numbers, phases) that repeat, what each changes by in all (trials, numbers), and its style."""

    curves: Array
    ramps: Array
    style: Array


def learn_model(
    clips: Mapping[str, Sequence[Motion]],
    n_sources: int = 4,
    delays: DelayMode = "tied",
    *,
    once: bool = False,
    rotations: str = "log",
    seed: int = 0,
) -> Primitives:
    """Primitives of the clips of every style, on the rig of the first clip.

    With "tied" delays every stride is a trial, and a style has the mean weights of its strides: the fit of their mean.
    With "free" or "band" delays weights of several strides have no mean that means anything, so the mean stride of a
    style is its trial. `once` takes clips whole, each as one movement from its begin to its end.
    """
    if not clips or not all(clips.values()):
        raise InputError("no clips to learn from", fix="bring at least one clip of every style")
    cut = (lambda motion: [sample_whole_clip(motion)]) if once else find_strides
    found = {style: [stride for motion in motions for stride in cut(motion)] for style, motions in clips.items()}
    layout = layout_of(next(iter(clips.values()))[0], [stride for group in found.values() for stride in group])
    return learn_from_strides(layout, found, n_sources, delays, once=once, rotations=rotations, seed=seed)


def learn_from_strides(
    layout: Layout,
    styles: Mapping[str, Sequence[Stride]],
    n_sources: int = 4,
    delays: DelayMode = "tied",
    *,
    once: bool = False,
    rotations: str = "log",
    seed: int = 0,
) -> Primitives:
    """Primitives of strides, or of whole clips, that are there already."""
    if rotations not in ROTATION_ENCODINGS:
        raise InputError(f"rotations as '{rotations}'", fix=f"one of {', '.join(ROTATION_ENCODINGS)}")
    channels = layout.channels if once else partial(match_travel_to_feet, layout)
    groups = [
        np.stack([encode_rotations(channels(stride), rotations) for stride in group]) for group in styles.values()
    ]
    trials = _trials(groups, delays == "tied", once)
    mixture = _fitted(trials.curves, n_sources, delays, seed)
    # Of the delays that differ by whole turns, the nearest to those of the first style: blends go the short way.
    late = mixture.delays_[0] + (mixture.delays_ - mixture.delays_[0] + 0.5) % 1.0 - 0.5
    own = [trials.style == n for n in range(len(groups))]
    return Primitives(
        layout,
        tuple(styles),
        means=_by_style(mixture.means_ - 0.5 * trials.ramps, own),
        ramps=_by_style(trials.ramps, own),
        weights=_by_style(mixture.weights_, own),
        delays=np.tile(mixture.centres_, (len(groups), 1, 1)) if delays == "tied" else late,
        maps=fit_source_maps(mixture.sources_at(np.arange(_CURVE) / _CURVE)),
        contacts=np.stack([_contacts(group, once) for group in styles.values()]),
        periods=np.array([np.mean([stride.period for stride in group]) for group in styles.values()]),
        explained=mixture.variance_,
        counts=tuple(len(group) for group in styles.values()),
        once=once,
        coding=rotations,
    )


def _fitted(curves: Array, n_sources: int, delays: DelayMode, seed: int) -> AnechoicMixture:
    from gambol.learn.anechoic import AnechoicMixture

    return AnechoicMixture(n_sources, delays=delays, band=DELAY_BAND, restarts=_RESTARTS, seed=seed).fit(curves)


def _contacts(group: Sequence[Stride], once: bool) -> Array:
    """(SAMPLES + 1, 4) of a style; of a stride the end is the begin of the next."""
    mean = np.mean([grade_contacts(stride.contacts, repeats=not once) for stride in group], axis=0)
    return mean if once else np.concatenate((mean[:-1], mean[:1]))


def _trials(groups: Sequence[Array], every: bool, once: bool) -> _Trials:
    """Every stride (strides, SAMPLES + 1, numbers) of every group, or their means; what does not come back is taken out
    first, as a ramp (M17 section 3.3), which is kept of whole clips."""
    chosen = groups if every else [group.mean(axis=0, keepdims=True) for group in groups]
    raw = np.concatenate(chosen)
    curves = np.stack([close_stride(one).T for one in raw])
    ramps = (raw[:, -1] - raw[:, 0]) if once else np.zeros((len(raw), raw.shape[2]))
    return _Trials(curves, ramps, np.repeat(np.arange(len(chosen)), [len(group) for group in chosen]))


def _by_style(values: Array, styles: Sequence[Array]) -> Array:
    return np.stack([values[chosen].mean(axis=0) for chosen in styles])
