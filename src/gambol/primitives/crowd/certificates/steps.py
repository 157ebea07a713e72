"""Certify formation by step size: d z_i = v g_i (1 + s_i), s = sat(-c L e), e = z minus the places in the formation.

In the metric L (M17 section 2.5 leaves it open): with w = L e, d/dt (e' L e) / 2 holds -c v sum g_i D_i w_i^2, where
D_i = sat(c w_i) / (c w_i), and |w|^2 >= lambda_2 e' L e. The virtual system d y = v G (1 - c D L y), with G and D of
the true solution, has that solution among its own and, once phases agree, every solution in formation: it contracts at
c v g_min D_min lambda_2 for any connected graph and any phases; with headings within b of the common direction g_min
becomes g_min cos b. Without saturation D = 1. With it:

* phases agree: the largest |w_i| never grows (d w_i = -v g sum_j A_ij (sat(c w_i) - sat(c w_j)), not above 0 at the
  largest), so D_min = min(1, limit / (c max |w(0)|));
* phases within a cone: sqrt(e' L e) gains at most a finite drift until they agree, and |w_i| <= sqrt(degree e' L e);
* updated once per stride of T seconds: e' L e shrinks by 1 - 2 c v T D_min lambda_2 (1 - c v T lambda_N / 2), the same
  condition c v T lambda_N < 2 with saturation and without (cos b counts as part of D).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.contraction.certificate import EVERYWHERE, Certificate, Scope, Verdict, Witness
from gambol.contraction.graphs import Graph
from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.crowd.certificates.phases import PhaseCone
from gambol.primitives.crowd.profile import SpeedProfile

_LAPLACIAN = "graph Laplacian"
_CLOSED = "closed form"
_FEW = 10
"""Most agents for which all corners are tried (1,024)."""
_SWEEPS = 40
"""Most switches in the search for a corner with a positive eigenvalue."""


@dataclass(frozen=True, eq=False)
class StepSizeDynamics:
    """Dynamics of progress: graph, gain c (1/m), speed v (m/s), speed profile, and bound on headings."""

    graph: Graph
    gain: float
    speed: float
    profile: SpeedProfile
    heading_bound: float = 0.0
    """Headings stay within this angle (rad) of the common direction."""

    def __post_init__(self) -> None:
        if not (self.gain > 0.0 and self.speed > 0.0):
            raise InputError(f"gain {self.gain} and speed {self.speed}", fix="choose numbers above 0")

    @property
    def rate(self) -> float:
        """c v g_min cos(heading_bound) lambda_2."""
        return float(self.gain * self.speed * self.profile.low * self.min_forward_share * self.graph.connectivity)

    @property
    def min_forward_share(self) -> float:
        """Least share of a step along the common direction."""
        return max(float(np.cos(min(self.heading_bound, np.pi))), 0.0)

    def disagreement(self, out_of_place: float) -> float:
        """Return the largest sqrt(e' L e) of agents at most `out_of_place` metres from their places."""
        each_edge = 2.0 * np.sqrt(self.graph.weights.sum())
        return out_of_place * min(float(each_edge), float(np.sqrt(self.graph.spectral_radius * self.graph.count)))


def certify_step_sizes(dynamics: StepSizeDynamics) -> Certificate:
    """Certify step sizes without saturation, for any phases."""
    name, rate = "step sizes", dynamics.rate
    if not dynamics.graph.connected:
        description = "two groups that do not interact: the distance between them does not change"
        witness = Witness(np.zeros(dynamics.graph.count), 0.0, Scope.ALL, description)
        condition = f"lambda_2 = 0 ({dynamics.graph.name}, not connected)"
        return Certificate(name, Verdict.REFUTED, condition, EVERYWHERE, _LAPLACIAN, _CLOSED, witness=witness)
    least, headings = "g_min", "headings agreed"
    if dynamics.heading_bound > 0.0:
        least, headings = f"g_min cos {dynamics.heading_bound:.3g}", f"headings within {dynamics.heading_bound:.3g} rad"
    condition = f"c v {least} lambda_2 = {rate:.3g} {'>' if rate > 0.0 else '<='} 0"
    where = f"{EVERYWHERE}, any phases, {headings}, while no step is at its limit"
    verdict = Verdict.CONTRACTING if rate > 0.0 else Verdict.UNDECIDED
    return Certificate(name, verdict, condition, where, _LAPLACIAN, _CLOSED, rate)


def certify_limited_steps(
    dynamics: StepSizeDynamics, limit: float, out_of_place: float, drift: float = 0.0
) -> Certificate:
    """Certify step sizes that change by at most `limit` (relative), from starts at most `out_of_place` metres off.

    `drift` (m) is what different phases may add to sqrt(e' L e) before they agree; 0 if they agree from the start.
    """
    if dynamics.rate <= 0.0:
        return certify_step_sizes(dynamics)
    name = "step sizes with a limit"
    where = f"from starts within {out_of_place:.3g} m of the formation"
    if np.isinf(drift):
        description = "the drift caused by different phases is not bounded"
        return Certificate(name, Verdict.UNDECIDED, description, where, _LAPLACIAN, _CLOSED)
    degree = float(dynamics.graph.degrees.max())
    agreed = drift == 0.0 and dynamics.heading_bound == 0.0
    most = 2.0 * degree * out_of_place
    if not agreed:
        most = float(np.sqrt(degree)) * (dynamics.disagreement(out_of_place) + drift)
    share = min(1.0, limit / (dynamics.gain * most)) if most > 0.0 else 1.0
    rate = share * dynamics.rate
    condition = f"{dynamics.rate:.3g} times {share:.3g}, the least of sat(u) / u, = {rate:.3g} > 0"
    where += ", phases agreed" if agreed else ", oscillators on their cycles, headings agreed"
    return Certificate(name, Verdict.CONTRACTING, condition, where, _LAPLACIAN, _CLOSED, rate)


def bound_phase_drift(dynamics: StepSizeDynamics, cone: PhaseCone, phase_rate: float, paces: float = 0.0) -> float:
    """Bound the increase of sqrt(e' L e) (metres) while phases in a cone converge at `phase_rate` (1/s).

    d sqrt(e' L e) <= v sqrt(lambda_N) |g(theta) - g(mean)| with |g - g| <= slope |theta - mean|; an angle between two
    points at radius r or more is at most pi / (2 r) times their distance. Distances start at
    sqrt(N) sin(initial_spread) at most and shrink at the rate, except for what different frequencies add: sqrt(N)
    `paces`, the integral (rad) of their RMS deviation from the mean. Infinite if oscillators may come to rest.
    """
    if cone.min_projection == 0.0:
        return np.inf
    apart = np.sqrt(dynamics.graph.count) * (np.sin(cone.initial_spread) + paces) / phase_rate
    slope = dynamics.profile.slope * 0.5 * np.pi / cone.min_projection
    return float(dynamics.speed * np.sqrt(dynamics.graph.spectral_radius) * slope * apart)


def certify_stride_updates(
    dynamics: StepSizeDynamics, period: float, limit: float = np.inf, out_of_place: float = 0.0
) -> Certificate:
    """Certify step sizes updated only when a stride of `period` seconds begins; phases agree."""
    graph = dynamics.graph
    per_stride = dynamics.gain * dynamics.speed * period
    stiff, soft = per_stride * graph.spectral_radius, per_stride * graph.connectivity
    condition = f"c v T lambda_N = {stiff:.3g} {'<' if stiff < 2.0 else '>='} 2 ({graph.name})"
    name = "step sizes once per stride"
    if stiff >= 2.0:
        vector = np.linalg.eigh(graph.laplacian.toarray())[1][:, -1]
        growth = float(np.log(max(stiff - 1.0, 1.0))) / period
        description = "any start with a component along the last eigenvector of L: every stride overshoots by more"
        witness = Witness(vector, growth, Scope.ALL, description)
        verdict = Verdict.REFUTED if growth > 0.0 else Verdict.UNDECIDED
        return Certificate(name, verdict, condition, EVERYWHERE, _LAPLACIAN, _CLOSED, witness=witness)
    if dynamics.rate <= 0.0:
        return certify_step_sizes(dynamics)
    where = "phases agreed, while no step is at its limit"
    most = float(np.sqrt(graph.degrees.max())) * dynamics.disagreement(out_of_place)
    share = dynamics.min_forward_share
    if dynamics.gain * most > limit:
        share *= limit / (dynamics.gain * most)
        where = f"phases agreed, from starts within {out_of_place:.3g} m of the formation"
    if dynamics.heading_bound > 0.0:
        where += f", headings within {dynamics.heading_bound:.3g} rad"
    factor = max(abs(1.0 - soft), abs(1.0 - stiff))
    if share < 1.0:
        factor = float(np.sqrt(1.0 - 2.0 * share * soft * (1.0 - 0.5 * stiff)))
    rate = -float(np.log(factor)) / period if factor > 0.0 else np.inf
    return Certificate(name, Verdict.CONTRACTING, condition, where, _LAPLACIAN, _CLOSED, rate)


def certify_step_sizes_in_identity(dynamics: StepSizeDynamics) -> Certificate:
    """Certify step sizes in the identity metric: -c v (G L + L G) / 2 on the differences, over all g_i of the profile.

    Its largest eigenvalue is convex in g, so it is largest where every g_i is at an end. For few agents all such
    corners are tried, which bounds it. For many, it is at most -c v (m lambda_2 - r lambda_N) with g_i in m -+ r, and
    switching one g_i at a time may find a corner that refutes it.
    """
    graph, profile = dynamics.graph, dynamics.profile
    scale = dynamics.gain * dynamics.speed
    few = graph.count <= _FEW
    shares, top = _try_all_corners(graph, profile) if few else _switch_corners(graph, profile)
    middle, radius = 0.5 * (profile.high + profile.low), 0.5 * (profile.high - profile.low)
    rate = -top if few else middle * graph.connectivity - radius * graph.spectral_radius
    condition = f"largest eigenvalue {top:.3g} c v {'at most' if few else 'or more'} ({graph.name})"
    name, metric = "step sizes", "identity, on the differences between agents"
    if rate > 0.0:
        return Certificate(name, Verdict.CONTRACTING, condition, EVERYWHERE, metric, _CLOSED, scale * rate)
    if top > 0.0:
        description = "the phases at which g_i is " + " ".join(f"{share:.2g}" for share in shares)
        witness = Witness(shares, scale * top, Scope.METRIC, description)
        return Certificate(name, Verdict.REFUTED, condition, EVERYWHERE, metric, _CLOSED, witness=witness)
    return Certificate(name, Verdict.UNDECIDED, condition, EVERYWHERE, metric, _CLOSED)


def _largest_eigenvalues(graph: Graph, shares: Array) -> Array:
    """Return the largest eigenvalues (corners,) of -(G L + L G) / 2 on the differences, for speeds (corners, count)."""
    basis = np.linalg.svd(np.eye(graph.count) - 1.0 / graph.count)[0][:, :-1]
    product = np.einsum("ia,ni,ij,jb->nab", basis, shares, graph.laplacian.toarray(), basis, optimize=True)
    return np.asarray(np.linalg.eigvalsh(-0.5 * (product + product.swapaxes(1, 2)))[:, -1])


def _try_all_corners(graph: Graph, profile: SpeedProfile) -> tuple[Array, float]:
    """Return the relative speeds (count,), each least or most, with the largest eigenvalue, and that (rounded up)."""
    bits = np.arange(2**graph.count)[:, None] >> np.arange(graph.count) & 1
    shares = np.where(bits, profile.high, profile.low)
    tops = _largest_eigenvalues(graph, shares)
    worst = int(tops.argmax())
    return shares[worst], float(tops[worst]) + 1e-12 * graph.spectral_radius


def _switch_corners(graph: Graph, profile: SpeedProfile) -> tuple[Array, float]:
    """Return the relative speeds (count,) with the largest eigenvalue that switching one at a time finds."""
    shares = np.where(np.arange(graph.count) % 2, profile.high, profile.low)
    best = float(_largest_eigenvalues(graph, shares[None])[0])
    for _ in range(_SWEEPS):
        others = np.repeat(shares[None], graph.count, axis=0)
        np.fill_diagonal(others, profile.high + profile.low - shares)
        tops = _largest_eigenvalues(graph, others)
        if tops.max() <= best:
            break
        shares, best = others[int(tops.argmax())], float(tops.max())
    return shares, best
