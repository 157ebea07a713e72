"""Learn primitives from clips: strides or whole clips as mixtures of a few sources (M17 sections 2.2, 2.3 and 3.3).

Channels are not scaled: a radian at the hip moves a foot by a leg length, the unit of the root's channels. Scaled to
equal variance, joints that only tremble would count as much as the knees.
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
from gambol.legs.knees import face_knees_forward
from gambol.motion.motion import Motion
from gambol.primitives.model import Primitives
from gambol.primitives.prototypes import Prototypes, close_stride, match_travel_to_feet
from gambol.primitives.sources import fit_source_maps

if TYPE_CHECKING:
    from gambol.learn.anechoic import AnechoicMixture

DelayMode = Literal["tied", "free", "band"]
"""Delays of a source: the same for all channels, one for each, or in a band around the shared one."""
DELAY_BAND = 0.05
"""Half width (cycles) of the band around the shared delay, with "band" delays."""
_RESTARTS = 5
"""Restarts of the mixture: explains walks within 0.3 % of the variance of twenty restarts, in half the time."""
_DIGITS = 6
"""Decimals of curves (rad, leg lengths). The search compares random starts, so that rounding in the last digits, which
depends on where a clip stands, would lead it to other sources; recordings are noisier by orders of magnitude."""
_CURVE = 64
"""Phases at which a source is sampled for its regression."""


class _Trials(NamedTuple):
    """Periodic curves (trials, numbers, phases), their net changes (trials, numbers), and the style of each trial."""

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
    """Learn primitives from the clips of every style, on the rig of the first clip.

    With "tied" delays every stride is a trial, and a style has the mean weights of its strides, which fit its mean
    stride. With "free" or "band" delays the mean of weights has no meaning, so the mean stride of a style is its trial.
    `once` takes whole clips, each as one movement that does not repeat.
    """
    if not clips or not all(clips.values()):
        raise InputError("no clips to learn from", fix="give at least one clip per style")
    cut = (lambda motion: [sample_whole_clip(motion)]) if once else find_strides
    found = {
        style: [stride for motion in motions for stride in cut(face_knees_forward(motion))]
        for style, motions in clips.items()
    }
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
    """Learn primitives from strides, or from whole clips as strides."""
    if rotations not in ROTATION_ENCODINGS:
        raise InputError(
            f"unknown encoding '{rotations}' of rotations", fix=f"choose {' or '.join(ROTATION_ENCODINGS)}"
        )
    channels = layout.channels if once else partial(match_travel_to_feet, layout)
    groups = [
        np.stack([encode_rotations(channels(stride), rotations) for stride in group]) for group in styles.values()
    ]
    trials = _trials(groups, delays == "tied", once)
    mixture = _fitted(trials.curves, n_sources, delays, seed)
    # Of delays that differ by whole cycles take the nearest to those of the first style: blends take the short way.
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


def learn_from_prototypes(prototypes: Prototypes, n_sources: int = 4, seed: int = 0) -> Primitives:
    """Learn primitives from tables of strides, each a style with one stride; delays are tied."""
    curves = np.stack([encode_rotations(table, "log").T for table in prototypes.channels])
    mixture, styles = _fitted(curves, n_sources, "tied", seed), len(prototypes.names)
    return Primitives(
        prototypes.layout,
        prototypes.names,
        means=mixture.means_,
        ramps=np.zeros_like(mixture.means_),
        weights=mixture.weights_,
        delays=np.tile(mixture.centres_, (styles, 1, 1)),
        maps=fit_source_maps(mixture.sources_at(np.arange(_CURVE) / _CURVE)),
        contacts=np.concatenate((prototypes.contacts, prototypes.contacts[:, :1]), axis=1),
        periods=prototypes.periods,
        explained=mixture.variance_,
        counts=(1,) * styles,
    )


def _fitted(curves: Array, n_sources: int, delays: DelayMode, seed: int) -> AnechoicMixture:
    from gambol.learn.anechoic import AnechoicMixture

    mixture = AnechoicMixture(n_sources, delays=delays, band=DELAY_BAND, restarts=_RESTARTS, seed=seed)
    return mixture.fit(curves.round(_DIGITS))


def _contacts(group: Sequence[Stride], once: bool) -> Array:
    """Return the mean contacts (SAMPLES + 1, 4) of a style; the end of a stride is the start of the next."""
    mean = np.mean([grade_contacts(stride.contacts, repeats=not once) for stride in group], axis=0)
    return mean if once else np.concatenate((mean[:-1], mean[:1]))


def _trials(groups: Sequence[Array], every: bool, once: bool) -> _Trials:
    """Return every stride (strides, SAMPLES + 1, numbers) of every group, or their means, as periodic curves.

    The net change over a stride is removed as a ramp (M17 section 3.3), which is kept for whole clips."""
    chosen = groups if every else [group.mean(axis=0, keepdims=True) for group in groups]
    raw = np.concatenate(chosen)
    curves = np.stack([close_stride(one).T for one in raw])
    ramps = (raw[:, -1] - raw[:, 0]) if once else np.zeros((len(raw), raw.shape[2]))
    return _Trials(curves, ramps, np.repeat(np.arange(len(chosen)), [len(group) for group in chosen]))


def _by_style(values: Array, styles: Sequence[Array]) -> Array:
    return np.stack([values[chosen].mean(axis=0) for chosen in styles])
