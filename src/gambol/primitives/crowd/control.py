"""Control laws that bring a crowd into step and into formation (M17 section 2.5), and their gains.

With A the weights and L the Laplacian of the graph, progress z (m, along the common direction) and lateral position y
(m, to its left), both relative to the agent's place in the formation, heading phi (rad, from the common direction),
oscillator x and frequency omega (rad/s):

    d omega_i = h sum_j A_ij (omega_j - omega_i)                               step frequency
    d x_i = alpha (1 - |x_i|^2) x_i + omega_i J x_i + k sum_j A_ij (x_j - x_i)    gait phase theta_i = angle of x_i
    d z_i = v g(theta_i) (1 + s_i) cos phi_i,   s_i = sat(-c (L z)_i)           step size
    d phi_i = -m sin(phi_i - psi_i),            psi_i = -l sum_j A_ij r tanh((y_i - y_j) / r)   heading
    d y_i = v g(theta_i) (1 + s_i) sin phi_i

`certificates.march.certify_crowd` says for which gains, graphs and starts convergence is guaranteed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gambol.contraction.graphs import Graph
from gambol.errors import InputError
from gambol.geometry.arrays import Array, summarise_fields


@dataclass(frozen=True)
class ControlGains:
    """Gains; the defaults are certified for 36 agents in a 6 x 6 grid."""

    __repr__ = summarise_fields

    coupling: float = 6.0
    """k (1/s): coupling of neighbouring oscillators. Above alpha / lambda_2 synchronisation is guaranteed."""
    relaxation: float = 1.0
    """alpha (1/s): rate at which an oscillator returns to its limit cycle."""
    frequency: float = 6.0
    """h (1/s): coupling of step frequencies."""
    step: float = 0.5
    """c (1/m): relative shortening of a step per metre ahead of a neighbour."""
    step_limit: float = 0.3
    """Largest relative change of step size (sat clips there), below 1: the range of the short and long prototypes."""
    stride_updates: bool = False
    """Update step sizes only once per stride, at the left foot strike; then c v T lambda_N must be below 2."""
    heading: float = 6.0
    """m (1/s): rate at which the heading follows the desired heading."""
    lateral: float = 0.15
    """l (rad/m): desired heading per metre of lateral offset from a neighbour."""
    reach: float = 0.75
    """r (m): the lateral offset saturates here, so that desired headings stay within l r degree."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, bool) and not (np.isfinite(value) and value > 0.0):
                raise InputError(f"the gain {field.name} is {value}", fix="choose a number above 0")
        if self.step_limit >= 1.0:
            raise InputError(f"step_limit is {self.step_limit}", fix="choose a number below 1: agents walk forward")

    def step_size(self, graph: Graph, progress: Array) -> Array:
        """Return s (agents, ...), the relative change of step size, for progress (m) relative to the formation."""
        return self.saturate_step(graph.apply_laplacian(progress))

    def saturate_step(self, pulled: Array) -> Array:
        """Return the same for L times progress."""
        return np.minimum(np.maximum(-self.step * pulled, -self.step_limit), self.step_limit)

    def desired_heading(self, graph: Graph, place: Array) -> Array:
        """Return psi (agents, ...) in rad from the common direction, for lateral positions (m) relative to the
        formation."""
        pulls = self.reach * np.tanh(graph.edge_differences(place) / self.reach)
        return -self.lateral * graph.sum_at_agents((pulls.T * graph.weights).T)

    def max_desired_heading(self, graph: Graph) -> float:
        """Return the largest desired heading (rad from the common direction) that can occur."""
        return self.lateral * self.reach * float(graph.degrees.max())
