"""Primitives: a few source functions that a body's movements in several styles are mixed of (M17 equation 1, 2.3, 2.4).

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
from gambol.geometry.arrays import Array
from gambol.primitives.oscillator import evaluate_ramp, states_on_cycle
from gambol.primitives.prototypes import Prototypes
from gambol.primitives.sources import SourceMaps


@dataclass(frozen=True, eq=False)
class Primitives:
    """What was learned. Numbers are those of the layout's channels as `coding` writes them."""

    layout: Layout
    styles: tuple[str, ...]
    means: Array
    """(styles, numbers)"""
    ramps: Array
    """(styles, numbers) what a movement that does not come back changes by; 0 for strides."""
    weights: Array
    """(styles, numbers, sources)"""
    delays: Array
    """(styles, numbers, sources) turns."""
    maps: SourceMaps
    contacts: Array
    """(styles, phases, 4) from 0 to 1 of left heel and ball, right heel and ball, over a turn with both its ends."""
    periods: Array
    """(styles,) seconds."""
    explained: float
    """Share of the variance of all channels of all strides that was learned from."""
    counts: tuple[int, ...]
    """Strides, or whole clips, of every style."""
    once: bool = False
    """Whether it was learned from whole clips, that do not repeat."""
    coding: str = "log"

    def __post_init__(self) -> None:
        styles, sources = len(self.styles), self.maps.count
        if self.coding not in ROTATION_ENCODINGS:
            raise InputError(f"rotations as '{self.coding}'", fix=f"one of {', '.join(ROTATION_ENCODINGS)}")
        numbers = count_encoded(self.layout.count, self.coding)
        for name, shape in (
            ("means", (styles, numbers)),
            ("ramps", (styles, numbers)),
            ("weights", (styles, numbers, sources)),
            ("delays", (styles, numbers, sources)),
            ("contacts", (styles, SAMPLES + 1, 4)),
            ("periods", (styles,)),
        ):
            value = getattr(self, name)
            if value.shape != shape or not np.isfinite(value).all():
                raise InputError(f"{name} of shape {value.shape} where finite numbers of {shape} are expected")
        if not styles or len(self.counts) != styles or not (self.periods > 0.0).all():
            raise InputError("every style has a name, some strides and a period above 0")

    @property
    def tied(self) -> bool:
        """Whether all styles share their delays: then a blend of styles is a blend of their trajectories."""
        return bool((self.delays == self.delays[:1]).all())

    def style_blend(self, style: str) -> Array:
        """The blend (styles,) that is one style."""
        if style not in self.styles:
            raise InputError(f"no style '{style}'", fix=f"there are {', '.join(self.styles)}")
        return np.eye(len(self.styles))[self.styles.index(style)]

    def normalise_blend(self, shares: ArrayLike) -> Array:
        """Shares (styles,) of all styles, which add up to 1."""
        given = np.asarray(shares, dtype=float)
        if given.shape != (len(self.styles),) or not (given >= 0.0).all() or not 0.0 < given.sum() < np.inf:
            raise InputError(f"a blend of {given.tolist()}", fix=f"a share of at least 0 for {', '.join(self.styles)}")
        return np.asarray(given / given.sum())

    def evaluate_encoded(self, states: Array, turned: float, blend: Array) -> Array:
        """(numbers,) from the oscillators' states (sources, 2), `turned` radians after the begin (M17 section 2.4)."""
        weights, delays = np.tensordot(blend, self.weights, 1), np.tensordot(blend, self.delays, 1)
        sources = self.maps.evaluate_delayed(states, delays)
        return np.asarray(
            blend @ self.means + float(evaluate_ramp(turned)) * (blend @ self.ramps) + (weights * sources).sum(-1)
        )

    def evaluate_channels(self, states: Array, turned: float, blend: Array) -> Array:
        """(channels,) of the layout, likewise."""
        return decode_rotations(self.evaluate_encoded(states, turned, blend), self.coding)

    def contacts_at(self, turned: float, blend: Array) -> Array:
        """(4,) how much heels and balls touch at a phase, from 0 to 1."""
        at = (min(turned, 2.0 * np.pi) if self.once else turned % (2.0 * np.pi)) / (2.0 * np.pi) * SAMPLES
        before = min(int(at), SAMPLES - 1)
        rows = (1.0 - (at - before)) * self.contacts[:, before] + (at - before) * self.contacts[:, before + 1]
        return np.asarray(blend @ rows)

    def sample_cycle(self, blend: Array, phases: int = SAMPLES) -> Array:
        """(phases, channels) over one even turn, the oscillators on their cycle."""
        angles = 2.0 * np.pi * np.arange(phases) / phases
        states = np.repeat(states_on_cycle(angles)[:, None], self.maps.count, axis=1)
        return np.stack(
            [self.evaluate_channels(state, angle, blend) for state, angle in zip(states, angles, strict=True)]
        )

    @cached_property
    def prototypes(self) -> Prototypes:
        """Every style as a table by phase, for many walkers at once."""
        if self.once:
            raise InputError("was learned from whole clips, which do not repeat", fix="learn it from strides")
        tables = np.stack([self.sample_cycle(share) for share in np.eye(len(self.styles))])
        return Prototypes(self.layout, self.styles, tables, self.contacts[:, :-1], self.periods)
