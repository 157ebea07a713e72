"""The printed model of two people (M17 section 4.2): latents of each person, of both, and their dynamics.

- Agent layer: rows y of a person are a Gaussian process of latents x and style e, y = f(x, e) (equation 3), with a
  product of an RBF kernel of x and a linear kernel of e. Latents depend on rows and phase by a back constraint: they
  return to where they began.
- Interaction layer: the latents of both people are a Gaussian process g of a latent i.
- Dynamics layer: i_t = h(i_{t-1}, i_{t-2}) (equation 4).

All are sparse. Layers are learned one after the other, so that learning is linear in the number of frames.

The rows of person 2 end with the place of the touching point, now and 0.1 s before. A model for reactions needs these
columns alone (`reduced`, as in section 4.3), one that generates both people all of them. The printed model has the
present place only, which is the same when a hand is raised and lowered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.interaction.rows import PersonRows
from gambol.learn.gaussian import GaussianProcess, LatentDynamics, ScaledGplvm
from gambol.learn.gaussian.posterior import GaussianPosterior

_LAGS = (0.0, 0.1, 0.2)
"""Seconds before the present of the hand samples that the direct mapping sees: one sample is ambiguous."""


@dataclass(frozen=True, eq=False)
class AgentLayer:
    """Rows of one person as a function of latents and style."""

    gplvm: ScaledGplvm
    """Of the columns that move."""
    moving: NDArray[np.bool_]
    """(columns,)"""
    means: Array
    """(styles, columns) of rows; what latents and style explain is added."""

    def __post_init__(self) -> None:
        styles, columns = self.means.shape
        check_shapes(self, means=(styles, columns), moving=(columns,))
        check_shapes(self.gplvm, mean_=(int(self.moving.sum()),))
        if [factor.columns for factor in self.gplvm.factors] != [styles]:
            raise InputError(f"the factors of a layer must be {styles} styles")

    def decode(self, latent: Array, style: Array) -> Array:
        """Return the row (columns,) of a latent in a style (styles,); it is linear in the style."""
        posterior = fix_style(self.gplvm, tuple(style.tolist()))
        row = style @ self.means
        row[self.moving] += self.gplvm.unscale_rows(posterior.covariance_at(latent) @ posterior.weights)
        return row


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """A learned meeting of two people; made by `learn_hierarchy`."""

    people: tuple[PersonRows, PersonRows]
    agents: tuple[AgentLayer, AgentLayer]
    interaction: ScaledGplvm
    """Of the latents of both people."""
    dynamics: LatentDynamics
    direct: GaussianProcess
    """Interaction latents given the last hand samples and the style."""
    direct_person: GaussianProcess
    """The same for latents of person 1: widths that suit both are worse."""
    styles: tuple[str, ...]
    """neutral, and the emotions."""
    beginnings: Array
    """(trials, 2, dimensions) two successive interaction latents with which the movement of every trial begins."""
    rests: Array
    """(styles, dimensions) mean interaction latents before the movement."""
    rest_covariance: Array
    """(dimensions, dimensions) of trials about these."""
    rest_hand: Array
    """(3,) mean place of the hand of person 2 then (m)."""
    observed: int
    """Number of hand samples in rows of person 2."""
    frame_time: float
    """Seconds."""

    def __post_init__(self) -> None:
        dimensions, styles = self.interaction.n_components, len(self.styles)
        check_shapes(
            self,
            beginnings=(len(self.beginnings), self.dynamics.order, dimensions),
            rests=(styles, dimensions),
            rest_covariance=(dimensions, dimensions),
            rest_hand=(3,),
        )
        one, two = self.agents
        check_shapes(one, means=(styles, self.people[0].size))
        check_shapes(two, means=(styles, two.means.shape[1]))
        check_shapes(self.interaction, mean_=(one.gplvm.n_components + two.gplvm.n_components,))
        check_shapes(self.dynamics.posterior_, weights=(len(self.dynamics.posterior_.inputs), dimensions))
        if not self.frame_time > 0.0 or not 0 < 3 * self.observed <= two.means.shape[1]:
            raise InputError("a hierarchy needs a frame time and samples of a hand")

    @property
    def lags(self) -> tuple[int, ...]:
        """Frames before the present of the hand samples that the direct mapping sees."""
        return find_lags(self.frame_time)

    @property
    def hand(self) -> slice:
        """Columns of the hand samples in rows of person 2; the present is the first."""
        return slice(-3 * self.observed, None)

    @property
    def reduced(self) -> bool:
        """Whether person 2 is a hand only."""
        return self.agents[1].means.shape[1] == 3 * self.observed

    def describe(self, style: Mapping[str, float]) -> Array:
        """Return the shares (styles,) of a style; neutral has what emotions leave."""
        return describe_style(style, self.styles)

    def split(self, latent: Array) -> tuple[Array, Array]:
        """Return the most probable latents of both people for an interaction latent."""
        posterior = self.interaction.posterior_
        found = self.interaction.unscale_rows(posterior.covariance_at(latent) @ posterior.weights)
        size = self.agents[0].gplvm.n_components
        return found[:size], found[size:]

    def decode(self, latent: Array, style: Array) -> tuple[Array, Array]:
        """Return the rows of both people for an interaction latent in a style (styles,)."""
        one, two = self.split(latent)
        return self.agents[0].decode(one, style), self.agents[1].decode(two, style)


def generate_rows(hierarchy: Hierarchy, styles: Sequence[Mapping[str, float]], trial: int = 0) -> tuple[Array, Array]:
    """Return rows (frames, columns) of both people, a frame per style: the dynamics from the beginning of a trial."""
    if not 0 <= trial < len(hierarchy.beginnings):
        raise InputError(f"trial {trial} of {len(hierarchy.beginnings)}", fix="count from 0")
    if not styles:
        raise InputError("no frames", fix="give a style for every frame")
    latents = hierarchy.dynamics.generate(hierarchy.beginnings[trial], len(styles))
    rows = [hierarchy.decode(one, hierarchy.describe(style)) for one, style in zip(latents, styles, strict=True)]
    first, second = zip(*rows, strict=True)
    return np.stack(first), np.stack(second)


def describe_style(style: Mapping[str, float], styles: Sequence[str]) -> Array:
    """Return the shares (styles,) of a style; neutral, the first, has what emotions leave."""
    for emotion in style:
        if emotion not in styles:
            raise InputError(f"unknown style '{emotion}'", fix=f"this model has {', '.join(styles)}")
    shares = np.array([float(style.get(emotion, 0.0)) for emotion in styles[1:]])
    if not np.isfinite(shares).all():
        raise InputError(f"shares {shares.tolist()} of styles", fix="use finite numbers, such as 0 to 1")
    return np.append(1.0 - shares.sum(), shares)


def find_lags(frame_time: float) -> tuple[int, ...]:
    """Return the frames before the present of the hand samples that the direct mapping sees."""
    return tuple(round(lag / frame_time) for lag in _LAGS)


def stack_history(hands: Array, lags: Sequence[int]) -> Array:
    """Return hand samples (frames, 3 lags) of a path (frames, 3); before the first frame the hand rests."""
    frames = np.arange(len(hands))
    return np.hstack([hands[np.maximum(frames - lag, 0)] for lag in lags])


@lru_cache(maxsize=32)
def fix_style(model: ScaledGplvm | GaussianProcess, style: tuple[float, ...]) -> GaussianPosterior:
    """Return the posterior of a model in one style."""
    return model.posterior_.given(np.array(style))
