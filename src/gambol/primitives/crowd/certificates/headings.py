"""Certify headings and rows: agents off their row turn towards it, relative to their neighbours.

d phi_i = -m sin(phi_i - psi_i), psi = -l p, p_i = sum A_ij r tanh((y_i - y_j) / r), d y_i = v g_i (1 + s_i) sin phi_i.
M17 section 2.5 leaves this out. p is the gradient of U = sum over edges of A_ij r^2 log cosh((y_i - y_j) / r). With
secants, d y = v C phi and d phi = -m D (phi + l p), C and D diagonal and bounded in any state. Of

    V = a U + b p' phi + phi' phi / 2,     a > b^2 lambda_N,

the derivative is a sum over agents of forms in (p_i, phi_i), and b v phi' Hess(U) C phi <= b v C_max lambda_N |phi|^2.
So V decays at rate 2 rho, for any number of agents, if four 2 x 2 matrices at the corners of (C, D) are definite.
|phi_i| <= A is invariant for l r degree <= A <= pi - l r degree, which bounds C and D. U is at most eta |p|^2 / (kappa
lambda_2), with kappa and eta from the largest |y_i - y_j| that V allows: kappa = 1 and eta = 1/2 near the formation.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import minimize

from gambol.contraction.certificate import Certificate, Scope, Verdict, Witness
from gambol.contraction.graphs import Graph
from gambol.geometry.arrays import Array
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.profile import SpeedProfile

_CLOSED = "closed form"


@dataclass(frozen=True, eq=False)
class HeadingDynamics:
    """Dynamics of headings and lateral positions: graph, gains, mean speed (m/s), and speed profile."""

    graph: Graph
    control: ControlGains
    speed: float
    profile: SpeedProfile

    def rate(self, a: float, b: float, out_of_place: float, turned: float) -> float:
        """Return the rate (1/s) for weights a and b, for starts of this size; below 0 if nothing is certified."""
        control, stiff = self.control, self.graph.spectral_radius
        m, lateral, v = control.heading, control.lateral, self.speed
        most = self.profile.high * (1.0 + control.step_limit)
        widest = control.max_desired_heading(self.graph)
        farthest = max(turned, widest)
        least = self.profile.low * (1.0 - control.step_limit) * _sinc(farthest)
        held = _sinc(farthest + widest)
        kappa, eta = self.bound_saturation(a, b, out_of_place, turned)
        size = np.array([[2.0 * a * eta / (kappa * self.graph.connectivity), b], [b, 1.0]])
        root = np.linalg.inv(np.linalg.cholesky(size))
        worst = -np.inf
        for c, d in product((least, most), (held, 1.0)):
            beside = 0.5 * (a * v * c - b * m * d - m * lateral * d)
            form = np.array([[-b * m * lateral * d, beside], [beside, -m * d + b * v * most * stiff]])
            worst = max(worst, float(np.linalg.eigvalsh(root @ form @ root.T)[-1]))
        return -worst

    def bound_saturation(self, a: float, b: float, out_of_place: float, turned: float) -> tuple[float, float]:
        """Return kappa, the least of tanh(u) / u, and eta, the most of log cosh(u) / (u tanh(u)), over what V
        allows."""
        graph, reach = self.graph, self.control.reach
        begun = min(
            float(graph.weights.sum()) * reach**2 * float(_log_cosh(np.array(2.0 * out_of_place / reach))),
            0.5 * graph.spectral_radius * graph.count * out_of_place**2,
        )
        angles = np.sqrt(graph.count) * turned
        value = a * begun + b * np.sqrt(2.0 * graph.spectral_radius * begun) * angles + 0.5 * angles**2
        allowed = value / (a - b**2 * graph.spectral_radius) / (float(graph.weights.min()) * reach**2)
        # log cosh(u) >= |u| - log 2, and >= u^2 / 2 - u^4 / 12, which is u^2 / 3 or more up to u^2 = 2.
        far = min(allowed + np.log(2.0), np.sqrt(3.0 * allowed) if allowed <= 2.0 / 3.0 else np.inf)
        if far <= 0.0:
            return 1.0, 0.5
        return float(np.tanh(far) / far), float(_log_cosh(np.array(far)) / (far * np.tanh(far)))

    def evaluate_lyapunov(self, a: float, b: float, places: Array, angles: Array) -> Array:
        """Return V of lateral positions relative to the formation, and headings, both (agents, starts)."""
        graph, reach = self.graph, self.control.reach
        apart = graph.incidence @ places / reach
        potential = reach**2 * (graph.weights @ _log_cosh(apart))
        pull = graph.incidence.T @ (graph.weights[:, None] * reach * np.tanh(apart))
        return np.asarray(a * potential + b * (pull * angles).sum(axis=0) + 0.5 * (angles**2).sum(axis=0))

    def optimise_weights(self, out_of_place: float, turned: float) -> tuple[float, float, float]:
        """Search the weights a and b with the largest rate; return a, b and the rate."""
        stiff = self.graph.spectral_radius

        def weights(numbers: Array) -> tuple[float, float]:
            a = float(np.exp(np.clip(numbers[0], -20.0, 20.0)))
            return a, float(np.sqrt(a / stiff) / (1.0 + np.exp(-np.clip(numbers[1], -20.0, 20.0))))

        def cost(numbers: Array) -> float:
            return -self.rate(*weights(numbers), out_of_place, turned)

        starts = (np.array(at) for at in product(np.linspace(-9.0, 5.0, 15), np.linspace(-5.0, 3.0, 9)))
        found = minimize(cost, min(starts, key=cost), method="Nelder-Mead", options={"xatol": 1e-4, "fatol": 1e-9})
        a, b = weights(found.x)
        return a, b, self.rate(a, b, out_of_place, turned)


def certify_headings(crowd: HeadingDynamics, out_of_place: float, turned: float) -> Certificate:
    """Certify rows from starts at most `out_of_place` (m) off and `turned` (rad) away, with the best a and b."""
    name, control = "headings and rows", crowd.control
    where = f"from starts within {out_of_place:.3g} m of the rows and {turned:.3g} rad of the common direction"
    if turned >= np.pi:
        reason = "all agents heading opposite to the common direction, an equilibrium"
        witness = Witness(np.full(crowd.graph.count, np.pi), control.heading, Scope.ALL, reason)
        return Certificate(name, Verdict.REFUTED, f"turned {turned:.3g} rad", where, "none", _CLOSED, witness=witness)
    widest = control.max_desired_heading(crowd.graph)
    gains = f"l v lambda_N / m = {control.lateral * crowd.speed * crowd.graph.spectral_radius / control.heading:.3g}"
    metric = "a U + b p'phi + phi'phi / 2"
    if max(turned, widest) + widest >= np.pi:
        reason = f"{gains}; actual headings of {turned:.3g} rad and desired ones of {widest:.3g} rad may be opposite"
        return Certificate(name, Verdict.UNDECIDED, reason, where, metric, _CLOSED)
    if not crowd.graph.connected:
        return Certificate(name, Verdict.UNDECIDED, f"{crowd.graph.name} is not connected", where, metric, _CLOSED)
    a, b, rate = crowd.optimise_weights(out_of_place, turned)
    if rate <= 0.0:
        return Certificate(name, Verdict.UNDECIDED, f"{gains}; no a and b found", where, metric, _CLOSED)
    metric = f"{metric} with a = {a:.4g}, b = {b:.4g}"
    return Certificate(name, Verdict.CONTRACTING, f"{gains}; a and b found", where, metric, _CLOSED, rate)


def _sinc(angle: float) -> float:
    return float(np.sinc(angle / np.pi))


def _log_cosh(value: Array) -> Array:
    """Return log cosh, accurate near 0 too, where cosh rounds to 1."""
    inner = np.log1p(2.0 * np.sinh(0.5 * np.minimum(np.abs(value), 20.0)) ** 2)
    return np.where(np.abs(value) < 20.0, inner, np.abs(value) - np.log(2.0))
