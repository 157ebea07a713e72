"""A crowd that reorders into a formation and falls into step (M17 section 2.5, Fig. 3), by the laws of `control`.

The laws are integrated as they stand (Runge-Kutta, fourth order); bodies follow them. What comes of it is told by order
parameters: how far phases, places, headings and frequencies are from agreeing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gambol.contraction.graphs import Graph
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.gaits import GaitPlane
from gambol.primitives.crowd.paths import CrowdPaths, follow_oscillators
from gambol.primitives.crowd.profile import SpeedProfile
from gambol.primitives.integration import runge_kutta

_SHOULDERS, _DRAWS = 0.5, 200
"""Metres that agents are apart when they begin, and how often places are drawn for that."""
_QUARTER = np.array([-1.0, 1.0])
"""Signs of a quarter turn of (y, x)."""


class CrowdState(NamedTuple):
    """The state of a crowd. Arrays are by agent."""

    frequency: Array
    """(n,) rad/s."""
    oscillator: Array
    """(n, 2)"""
    progress: Array
    """(n,) metres along the common direction, less the place in the formation."""
    lateral: Array
    """(n,) metres to its left, less the place in the formation."""
    heading: Array
    """(n,) rad from the common direction."""
    step: Array
    """(n,) shares by which steps are longer, as they were last updated."""

    @property
    def phase(self) -> Array:
        """(n,) rad."""
        return np.arctan2(self.oscillator[:, 1], self.oscillator[:, 0])


@dataclass(frozen=True)
class StartSpread:
    """How far agents are from where they belong when they begin, at most."""

    out_of_place: float = 0.6
    """Metres, along and across."""
    turned: float = 0.5
    """Radians from the common direction."""
    phases: float = np.pi
    """Radians to either side of a common phase; half a turn is any."""
    frequencies: float = 0.1
    """Share of the step frequency."""

    def __post_init__(self) -> None:
        for name, most in (("out_of_place", 10.0), ("turned", np.pi), ("phases", np.pi), ("frequencies", 0.5)):
            value = getattr(self, name)
            if not 0.0 <= value <= most + 1e-2:
                raise InputError(f"'{name}' of a start is from 0 to {most:.3g}, not {value:g}")


class OrderParameters(NamedTuple):
    """How far a crowd agrees."""

    in_step: float
    """Length of the mean of all phases on the circle: 1 where all are equal."""
    out_of_rank: float
    """Metres, root mean square, from the places that the formation asks, along."""
    out_of_row: float
    """The same across."""
    turned: float
    """Radians, root mean square, between headings and the common direction."""


@dataclass(frozen=True, eq=False)
class MarchModel:
    """Who marches: gains, who sees whom, where each belongs, and how all walk."""

    control: ControlGains
    graph: Graph
    places: Array
    """(n, 2) metres: the formation, along and across."""
    profile: SpeedProfile
    speed: float
    """Metres a second."""
    period: float
    """Seconds of a stride."""

    def __post_init__(self) -> None:
        if self.places.shape != (self.graph.count, 2):
            raise InputError(f"{self.graph.count} agents and places {self.places.shape}")

    def advance(self, ranks: CrowdState, seconds: float) -> CrowdState:
        """What comes some time later."""
        if not self.control.stride_updates:
            ranks = ranks._replace(step=self.control.step_size(self.graph, ranks.progress))
        packed = np.column_stack(ranks[:-1])
        moved = runge_kutta(lambda _, state: self._rates(state, ranks.step), 0.0, packed, seconds)
        later = CrowdState(moved[:, 0], moved[:, 1:3], moved[:, 3], moved[:, 4], moved[:, 5], ranks.step)
        if self.control.stride_updates:
            # A step begins when the phase passes 0: the left foot strikes.
            strikes = np.cos(later.phase) > 0.0
            strikes &= (np.sin(ranks.phase) < 0.0) & (np.sin(later.phase) >= 0.0)
            wanted = self.control.step_size(self.graph, later.progress)
            later = later._replace(step=np.where(strikes, wanted, later.step))
        return later

    def _rates(self, state: Array, step: Array) -> Array:
        """The laws: how fast frequency, oscillator (2), progress, aside and heading (n, 6) change."""
        control, graph, rates = self.control, self.graph, np.empty_like(state)
        x, heading = state[:, 1:3], state[:, 5]
        pulled = graph.apply_laplacian(state[:, :4])
        if not control.stride_updates:
            step = control.saturate_step(pulled[:, 3])
        speed = self.speed * self.profile.at(np.arctan2(x[:, 1], x[:, 0])) * (1.0 + step)
        limit = control.relaxation * (1.0 - np.einsum("ni,ni->n", x, x))
        rates[:, 0] = -control.frequency * pulled[:, 0]
        rates[:, 1:3] = limit[:, None] * x + state[:, :1] * (x[:, ::-1] * _QUARTER) - control.coupling * pulled[:, 1:3]
        rates[:, 3] = speed * np.cos(heading)
        rates[:, 4] = speed * np.sin(heading)
        rates[:, 5] = -control.heading * np.sin(heading - control.desired_heading(graph, state[:, 4]))
        return rates

    def draw_start(self, muster: StartSpread, seed: int) -> CrowdState:
        """Agents out of place, turned and out of step at random, as far as told."""
        draw, count = np.random.default_rng(seed), self.graph.count
        phase = muster.phases * draw.uniform(-1.0, 1.0, count)
        ahead, aside = self._out_of_place(muster.out_of_place, draw)
        turned = muster.turned * draw.uniform(-1.0, 1.0, count)
        frequency = 2.0 * np.pi / self.period * (1.0 + muster.frequencies * draw.uniform(-1.0, 1.0, count))
        oscillator = np.stack((np.cos(phase), np.sin(phase)), axis=1)
        return CrowdState(frequency, oscillator, ahead, aside, turned, np.zeros(count))

    def _out_of_place(self, far: float, draw: np.random.Generator) -> Array:
        """(2, n) metres; those who would begin inside each other are drawn again."""
        from scipy.spatial import cKDTree

        out = far * draw.uniform(-1.0, 1.0, (2, self.graph.count))
        for _ in range(_DRAWS):
            close = np.unique(cKDTree(self.places + out.T).query_pairs(_SHOULDERS, output_type="ndarray")[:, 0])
            if not len(close):
                return out
            out[:, close] = far * draw.uniform(-1.0, 1.0, (2, len(close)))
        raise InputError(
            f"agents {far:g} m out of place begin inside each other", fix="make 'out_of_place' smaller, or rows wider"
        )

    def order_parameters(self, ranks: CrowdState) -> OrderParameters:
        """How far the crowd agrees."""
        ahead, aside = ranks.progress - ranks.progress.mean(), ranks.lateral - ranks.lateral.mean()
        return OrderParameters(
            float(np.abs(np.mean(np.exp(1j * ranks.phase)))),
            *(float(np.sqrt(np.mean(x**2))) for x in (ahead, aside, ranks.heading)),
        )


class MarchRecord(NamedTuple):
    """A march over time."""

    paths: CrowdPaths
    orders: Array
    """(frames, 4): what `Order` names."""


def simulate_march(troop: MarchModel, gaits: GaitPlane, begin: CrowdState, seconds: float, rate: float) -> MarchRecord:
    """Lets a troop march; its phases, places and headings, and the steps that lead there."""
    ranks, phases, frames = begin, begin.phase, round(seconds * rate)
    usual, stride = 2.0 * np.pi / troop.period, troop.speed * troop.period / (2.0 * np.pi)
    history: list[tuple[Array, ...]] = []
    for _ in range(frames):
        later = troop.advance(ranks, 1.0 / rate)
        phases = follow_oscillators(phases, later.phase, usual / rate)
        bend = (later.heading - ranks.heading) * rate / usual
        blend = gaits.blend(stride * (1.0 + later.step), bend)
        places = troop.places + np.stack((later.progress, later.lateral), axis=1)
        history.append((phases, places, later.heading, blend, np.array(troop.order_parameters(later))))
        ranks = later
    turned, places, headings, blends, orders = (np.array(column) for column in zip(*history, strict=True))
    return MarchRecord(CrowdPaths(turned, places, headings, blends, sway_forward=False), orders)
