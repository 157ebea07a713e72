"""The laws by which the agents of a crowd fall into step and into a formation (M17 section 2.5), and their gains.

With A the weights and L the Laplacian of the graph, progress z (m, along the common direction), place y (m, to its
left), both less the agent's place in the formation, heading phi (rad, from the common direction), oscillator x and
frequency omega (rad/s):

    d omega_i = h sum_j A_ij (omega_j - omega_i)                               step frequency
    d x_i = alpha (1 - |x_i|^2) x_i + omega_i J x_i + k sum_j A_ij (x_j - x_i)    gait phase theta_i = angle of x_i
    d z_i = v g(theta_i) (1 + s_i) cos phi_i,   s_i = sat(-c (L z)_i)           step size
    d phi_i = -m sin(phi_i - psi_i),            psi_i = -l sum_j A_ij r tanh((y_i - y_j) / r)   heading
    d y_i = v g(theta_i) (1 + s_i) sin phi_i

`contraction.crowd.certify_crowd` says for which gains, graphs and starts they must succeed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gambol.contraction.graphs import Graph
from gambol.errors import InputError
from gambol.geometry.arrays import Array


@dataclass(frozen=True)
class ControlGains:
    """Gains; those here are certified for 36 agents in a grid of 6 x 6 with its neighbours."""

    coupling: float = 6.0
    """k (1/s): how hard neighbours' oscillators pull at each other. Above alpha / lambda_2 phases must agree."""
    relaxation: float = 1.0
    """alpha (1/s): how hard an oscillator is drawn to its limit cycle."""
    frequency: float = 6.0
    """h (1/s)."""
    step: float = 0.5
    """c (1/m): share by which a step is shortened for every metre ahead of a neighbour."""
    step_limit: float = 0.3
    """Largest share by which steps are longer or shorter (sat clips there); below 1. What short and long walks span."""
    stride_updates: bool = False
    """Step sizes change only once a stride, when the agent's left foot strikes; then c v T lambda_N must be below 2."""
    heading: float = 6.0
    """m (1/s)."""
    lateral: float = 0.15
    """l (rad/m): how far an agent turns for every metre beside its place, to each neighbour."""
    reach: float = 0.75
    """r (m): a neighbour that is farther off its row pulls no harder. No heading is wanted beyond l r degree."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, bool) and not (np.isfinite(value) and value > 0.0):
                raise InputError(f"a gain {field.name} of {value}", fix="a number above 0")
        if self.step_limit >= 1.0:
            raise InputError(f"a limit of {self.step_limit} of a step", fix="below 1: an agent walks forward")

    def step_size(self, graph: Graph, progress: Array) -> Array:
        """s (agents, ...): what each step is longer by, as a share. Progress (m) is less the place in the formation."""
        return self.saturate_step(graph.apply_laplacian(progress))

    def saturate_step(self, pulled: Array) -> Array:
        """The same for L times progress."""
        return np.minimum(np.maximum(-self.step * pulled, -self.step_limit), self.step_limit)

    def desired_heading(self, graph: Graph, place: Array) -> Array:
        """psi (agents, ...) in rad from the common direction. Place (m, to the left) is less that in the formation."""
        pulls = self.reach * np.tanh(graph.edge_differences(place) / self.reach)
        return -self.lateral * graph.sum_at_agents((pulls.T * graph.weights).T)

    def max_desired_heading(self, graph: Graph) -> float:
        """The farthest (rad) that anyone's wanted heading can be from the common direction."""
        return self.lateral * self.reach * float(graph.degrees.max())
