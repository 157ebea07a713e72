"""Simulate a crowd that forms ranks and falls into step (M17 section 2.5, Fig. 3), by the laws of `control`.

The laws are integrated by the Runge-Kutta method of fourth order; bodies follow. Order parameters measure how far
phases, positions and headings are from agreement.
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
"""Least distance between agents at the start (metres), and most attempts to draw such starts."""
_QUARTER = np.array([-1.0, 1.0])
"""Signs that make (y, x) a quarter turn of (x, y)."""


class CrowdState(NamedTuple):
    """The state of a crowd of n agents."""

    frequency: Array
    """(n,) rad/s."""
    oscillator: Array
    """(n, 2)"""
    progress: Array
    """(n,) metres along the common direction, relative to the place in the formation."""
    lateral: Array
    """(n,) metres to its left, relative to the place in the formation."""
    heading: Array
    """(n,) rad from the common direction."""
    step: Array
    """(n,) relative change of step size at the last update."""

    @property
    def phase(self) -> Array:
        """(n,) rad."""
        return np.arctan2(self.oscillator[:, 1], self.oscillator[:, 0])


@dataclass(frozen=True)
class StartSpread:
    """Largest random deviations of the agents at the start."""

    out_of_place: float = 0.6
    """Metres from the place in the formation, along and across."""
    turned: float = 0.5
    """Radians from the common direction."""
    phases: float = np.pi
    """Radians to either side of a common phase; pi is any phase."""
    frequencies: float = 0.1
    """Relative deviation of the step frequency."""

    def __post_init__(self) -> None:
        for name, most in (("out_of_place", 10.0), ("turned", np.pi), ("phases", np.pi), ("frequencies", 0.5)):
            value = getattr(self, name)
            if not 0.0 <= value <= most + 1e-2:
                raise InputError(f"'{name}' of the start is {value:g}, expected 0 to {most:.3g}")


class OrderParameters(NamedTuple):
    """Order parameters of a crowd."""

    in_step: float
    """Length of the mean phase vector: 1 if all phases are equal."""
    out_of_rank: float
    """RMS deviation from the formation along the common direction (metres)."""
    out_of_row: float
    """RMS deviation across (metres)."""
    turned: float
    """RMS deviation of headings from the common direction (radians)."""


@dataclass(frozen=True, eq=False)
class MarchModel:
    """A marching crowd: gains, graph, formation, and speed over the stride."""

    control: ControlGains
    graph: Graph
    places: Array
    """(n, 2) metres: the formation, along and across."""
    profile: SpeedProfile
    speed: float
    """Metres per second."""
    period: float
    """Seconds per stride."""

    def __post_init__(self) -> None:
        if self.places.shape != (self.graph.count, 2):
            raise InputError(f"{self.graph.count} agents but places {self.places.shape}")

    def advance(self, state: CrowdState, seconds: float) -> CrowdState:
        """Return the state after `seconds`."""
        if not self.control.stride_updates:
            state = state._replace(step=self.control.step_size(self.graph, state.progress))
        packed = np.column_stack(state[:-1])
        moved = runge_kutta(lambda _, numbers: self._rates(numbers, state.step), 0.0, packed, seconds)
        later = CrowdState(moved[:, 0], moved[:, 1:3], moved[:, 3], moved[:, 4], moved[:, 5], state.step)
        if self.control.stride_updates:
            # A step begins when the phase passes 0: the left foot strikes.
            strikes = np.cos(later.phase) > 0.0
            strikes &= (np.sin(state.phase) < 0.0) & (np.sin(later.phase) >= 0.0)
            target = self.control.step_size(self.graph, later.progress)
            later = later._replace(step=np.where(strikes, target, later.step))
        return later

    def _rates(self, state: Array, step: Array) -> Array:
        """Return the rates of frequency, oscillator (2), progress, lateral position and heading (n, 6)."""
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

    def draw_start(self, spread: StartSpread, seed: int) -> CrowdState:
        """Draw a random start within `spread`."""
        draw, count = np.random.default_rng(seed), self.graph.count
        phase = spread.phases * draw.uniform(-1.0, 1.0, count)
        ahead, aside = self._draw_offsets(spread.out_of_place, draw)
        turned = spread.turned * draw.uniform(-1.0, 1.0, count)
        frequency = 2.0 * np.pi / self.period * (1.0 + spread.frequencies * draw.uniform(-1.0, 1.0, count))
        oscillator = np.stack((np.cos(phase), np.sin(phase)), axis=1)
        return CrowdState(frequency, oscillator, ahead, aside, turned, np.zeros(count))

    def _draw_offsets(self, far: float, draw: np.random.Generator) -> Array:
        """Draw offsets (2, n) in metres; agents that would start too close are drawn again."""
        from scipy.spatial import cKDTree

        out = far * draw.uniform(-1.0, 1.0, (2, self.graph.count))
        for _ in range(_DRAWS):
            close = np.unique(cKDTree(self.places + out.T).query_pairs(_SHOULDERS, output_type="ndarray")[:, 0])
            if not len(close):
                return out
            out[:, close] = far * draw.uniform(-1.0, 1.0, (2, len(close)))
        raise InputError(
            f"agents start too close with offsets of {far:g} m", fix="make 'out_of_place' smaller or rows wider"
        )

    def order_parameters(self, state: CrowdState) -> OrderParameters:
        """How far the crowd agrees."""
        ahead, aside = state.progress - state.progress.mean(), state.lateral - state.lateral.mean()
        return OrderParameters(
            float(np.abs(np.mean(np.exp(1j * state.phase)))),
            *(float(np.sqrt(np.mean(x**2))) for x in (ahead, aside, state.heading)),
        )


class MarchRecord(NamedTuple):
    """A simulated march."""

    paths: CrowdPaths
    orders: Array
    """(frames, 4) the fields of `OrderParameters`."""


def simulate_march(model: MarchModel, gaits: GaitPlane, begin: CrowdState, seconds: float, fps: float) -> MarchRecord:
    """Simulate a march; return paths with blends of prototypes, and order parameters."""
    state, phases, frames = begin, begin.phase, round(seconds * fps)
    usual, stride = 2.0 * np.pi / model.period, model.speed * model.period / (2.0 * np.pi)
    history: list[tuple[Array, ...]] = []
    for _ in range(frames):
        later = model.advance(state, 1.0 / fps)
        phases = follow_oscillators(phases, later.phase, usual / fps)
        bend = (later.heading - state.heading) * fps / usual
        blend = gaits.blend(stride * (1.0 + later.step), bend)
        places = model.places + np.stack((later.progress, later.lateral), axis=1)
        radii = np.linalg.norm(later.oscillator, axis=1)
        history.append((phases, places, later.heading, blend, radii, np.array(model.order_parameters(later))))
        state = later
    turned, places, headings, blends, radii, orders = (np.array(column) for column in zip(*history, strict=True))
    return MarchRecord(CrowdPaths(turned, places, headings, blends, sway_forward=False, radii=radii), orders)
