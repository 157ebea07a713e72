"""Primitives: movements of a body in several styles as mixtures of a few sources (M17 equation 1, 2.3, 2.4).

channel_i(phase) = mean_i + ramp_i s_0(phase) + sum_j weight_ij s_j(phase - delay_ij), the sources s_j shared by all
styles and channels. A blend of styles blends means, ramps, weights and delays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from gambol.errors import InputError
from gambol.features.encoding import ROTATION_ENCODINGS, count_encoded, decode_rotations
from gambol.features.layout import Layout
from gambol.features.strides import SAMPLES
from gambol.geometry.arrays import Array, check_shapes, summarise_fields
from gambol.io.models import ModelKind, register
from gambol.motion.motion import Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.primitives.oscillator import evaluate_ramp, rotate_states, states_on_cycle
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.sources import SourceMaps


@dataclass(frozen=True, eq=False)
class Primitives:
    """A learned model. Numbers are the layout's channels, encoded as `coding` says."""

    __repr__ = summarise_fields

    layout: Layout
    styles: tuple[str, ...]
    means: Array
    """(styles, numbers)"""
    ramps: Array
    """(styles, numbers) net change of a movement that does not repeat; 0 for strides."""
    weights: Array
    """(styles, numbers, sources)"""
    delays: Array
    """(styles, numbers, sources) in cycles."""
    maps: SourceMaps
    contacts: Array
    """(styles, phases, 4) from 0 to 1 of left heel and ball, right heel and ball, over a cycle including its end."""
    periods: Array
    """(styles,) seconds."""
    explained: float
    """Share of the variance of the training data that the sources explain."""
    counts: tuple[int, ...]
    """Number of strides, or whole clips, per style."""
    once: bool = False
    """Whether it was learned from whole clips, which do not repeat."""
    coding: str = "log"

    def __post_init__(self) -> None:
        styles, sources = len(self.styles), self.maps.count
        if self.coding not in ROTATION_ENCODINGS:
            raise InputError(
                f"unknown encoding '{self.coding}' of rotations", fix=f"choose {' or '.join(ROTATION_ENCODINGS)}"
            )
        numbers = count_encoded(self.layout.count, self.coding)
        check_shapes(
            self,
            means=(styles, numbers),
            ramps=(styles, numbers),
            weights=(styles, numbers, sources),
            delays=(styles, numbers, sources),
            contacts=(styles, SAMPLES + 1, 4),
            periods=(styles,),
        )
        if not styles or len(self.counts) != styles or not (self.periods > 0.0).all():
            raise InputError("a style lacks a name, strides or a period above 0")

    @property
    def tied(self) -> bool:
        """Whether all styles share their delays, so that a blend of styles is the blend of their trajectories."""
        return bool((self.delays == self.delays[:1]).all())

    def style_blend(self, style: str) -> Array:
        """Return the blend (styles,) that is one style."""
        if style not in self.styles:
            raise InputError(f"unknown style '{style}'", fix=f"choose from {', '.join(self.styles)}")
        return np.eye(len(self.styles))[self.styles.index(style)]

    def normalise_blend(self, shares: ArrayLike) -> Array:
        """Return non-negative shares (styles,) scaled to the sum 1."""
        given = np.asarray(shares, dtype=float)
        if given.shape != (len(self.styles),) or not (given >= 0.0).all() or not 0.0 < given.sum() < np.inf:
            raise InputError(
                f"invalid blend {given.tolist()}",
                fix=f"give a share of at least 0 for each of {', '.join(self.styles)}",
            )
        return np.asarray(given / given.sum())

    def evaluate_encoded(self, states: Array, turned: float, blend: Array) -> Array:
        """Evaluate the encoded channels (numbers,) at oscillator states (sources, 2), total phase `turned` (M17
        2.4)."""
        weights, delays = np.tensordot(blend, self.weights, 1), np.tensordot(blend, self.delays, 1)
        sources = self.maps.evaluate_delayed(states, delays)
        return np.asarray(
            blend @ self.means + float(evaluate_ramp(turned)) * (blend @ self.ramps) + (weights * sources).sum(-1)
        )

    def evaluate_channels(self, states: Array, turned: float, blend: Array) -> Array:
        """Evaluate the channels (channels,) of the layout at oscillator states (sources, 2) and total phase
        `turned`."""
        return decode_rotations(self.evaluate_encoded(states, turned, blend), self.coding)

    def evaluate_walkers(self, states: Array, blend: Array) -> Array:
        """Evaluate the channels (n, channels) of n bodies with blends (n, styles) at oscillator states (n, 2).

        The sources of a body share one oscillator. Only for strides, which have no ramp.
        """
        weights, delays = np.tensordot(blend, self.weights, 1), np.tensordot(blend, self.delays, 1)
        sources = self.maps.evaluate(rotate_states(states[:, None, None], -2.0 * np.pi * delays))
        return decode_rotations(blend @ self.means + (weights * sources).sum(-1), self.coding)

    def contacts_at(self, turned: float, blend: Array) -> Array:
        """Return the contacts (4,) of heels and balls at a phase, from 0 to 1."""
        at = (min(turned, 2.0 * np.pi) if self.once else turned % (2.0 * np.pi)) / (2.0 * np.pi) * SAMPLES
        before = min(int(at), SAMPLES - 1)
        rows = (1.0 - (at - before)) * self.contacts[:, before] + (at - before) * self.contacts[:, before + 1]
        return np.asarray(blend @ rows)

    def sample_cycle(self, blend: Array, phases: int = SAMPLES) -> Array:
        """Return channels (phases, channels) over one cycle at equal phase steps, the oscillators on their limit
        cycle."""
        angles = 2.0 * np.pi * np.arange(phases) / phases
        states = np.repeat(states_on_cycle(angles)[:, None], self.maps.count, axis=1)
        return np.stack(
            [self.evaluate_channels(state, angle, blend) for state, angle in zip(states, angles, strict=True)]
        )

    @cached_property
    def prototypes(self) -> Prototypes:
        """Every style as a table by phase, for many walkers at once."""
        if self.once:
            raise InputError("the model was learned from whole clips, which do not repeat", fix="learn it from strides")
        tables = np.stack([self.sample_cycle(share) for share in np.eye(len(self.styles))])
        return Prototypes(self.layout, self.styles, tables, self.contacts[:, :-1], self.periods)


_FIX = "make one with 'gambol primitives learn CLIPS -o FILE'"
register(ModelKind(Primitives, "model of primitives", 1, _FIX, (Dof, Layout, Origin, Rig, Skeleton, SourceMaps)))
