"""Formation by step size: d z_i = v g_i (1 + s_i), s = sat(-c L e), e = z less the places in the formation.

In the metric L (M17 section 2.5 leaves it open): with w = L e, d/dt (e' L e) / 2 holds -c v sum g_i D_i w_i^2, where
D_i = sat(c w_i) / (c w_i), and |w|^2 >= lambda_2 e' L e. The virtual system d y = v G (1 - c D L y), with G and D as
they come, has the true solution among its own and, once phases agree, every solution in formation: it contracts at
c v g_min D_min lambda_2 for any connected graph and any phases; headings within b of the common direction count as
g_min cos b. Without saturation D = 1. With it:

* phases agree: the largest |w_i| never grows (d w_i = -v g sum_j A_ij (sat(c w_i) - sat(c w_j)), not above 0 at the
  largest), so D_min = min(1, limit / (c max |w(0)|));
* phases within a cone: sqrt(e' L e) gains at most a finite drift until they agree, and |w_i| <= sqrt(degree e' L e);
* updated once a stride of T seconds: e' L e shrinks by 1 - 2 c v T D_min lambda_2 (1 - c v T lambda_N / 2), the same
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
"""Agents up to which all corners are tried: 1,024 of them."""
_SWEEPS = 40
"""Switches of the search for a corner that breaks."""


@dataclass(frozen=True, eq=False)
class StepSizeDynamics:
    """Who walks how: the graph, the gain c (1/m), the speed v (m/s) and how it varies over a stride and by heading."""

    graph: Graph
    gain: float
    speed: float
    profile: SpeedProfile
    heading_bound: float = 0.0
    """rad from the common direction within which headings stay."""

    def __post_init__(self) -> None:
        if not (self.gain > 0.0 and self.speed > 0.0):
            raise InputError(f"a gain of {self.gain} and a speed of {self.speed}", fix="numbers above 0")

    @property
    def rate(self) -> float:
        """c v g_min cos(facing) lambda_2."""
        return float(self.gain * self.speed * self.profile.low * self.min_forward_share * self.graph.connectivity)

    @property
    def min_forward_share(self) -> float:
        """The least share of a step that leads along the common direction."""
        return max(float(np.cos(min(self.heading_bound, np.pi))), 0.0)

    def disagreement(self, out_of_place: float) -> float:
        """The largest sqrt(e' L e) of agents that are each at most so many metres out of place."""
        each_edge = 2.0 * np.sqrt(self.graph.weights.sum())
        return out_of_place * min(float(each_edge), float(np.sqrt(self.graph.spectral_radius * self.graph.count)))


def certify_step_sizes(walkers: StepSizeDynamics) -> Certificate:
    """Without saturation, any phases."""
    name, rate = "step sizes", walkers.rate
    if not walkers.graph.connected:
        told = "two groups that do not act on each other: the distance between them stays as it is"
        witness = Witness(np.zeros(walkers.graph.count), 0.0, Scope.ALL, told)
        condition = f"lambda_2 = 0 ({walkers.graph.name}, not connected)"
        return Certificate(name, Verdict.REFUTED, condition, EVERYWHERE, _LAPLACIAN, _CLOSED, witness=witness)
    least, headings = "g_min", "headings agreed"
    if walkers.heading_bound > 0.0:
        least, headings = f"g_min cos {walkers.heading_bound:.3g}", f"headings within {walkers.heading_bound:.3g} rad"
    condition = f"c v {least} lambda_2 = {rate:.3g} {'>' if rate > 0.0 else '<='} 0"
    where = f"{EVERYWHERE}, any phases, {headings}, while no step is at its limit"
    verdict = Verdict.CONTRACTING if rate > 0.0 else Verdict.UNDECIDED
    return Certificate(name, verdict, condition, where, _LAPLACIAN, _CLOSED, rate)


def certify_limited_steps(
    walkers: StepSizeDynamics, limit: float, out_of_place: float, drift: float = 0.0
) -> Certificate:
    """With steps that are at most `limit` longer or shorter, from starts so many metres out of place at most.

    `drift` (m) is what differing phases may add to sqrt(e' L e) before they agree; 0 where they agree from the start.
    """
    if walkers.rate <= 0.0:
        return certify_step_sizes(walkers)
    name = "step sizes with a limit"
    where = f"from starts within {out_of_place:.3g} m of the formation"
    if np.isinf(drift):
        told = "how far differing phases drive agents apart is not bounded"
        return Certificate(name, Verdict.UNDECIDED, told, where, _LAPLACIAN, _CLOSED)
    degree = float(walkers.graph.degrees.max())
    alike = drift == 0.0 and walkers.heading_bound == 0.0
    most = 2.0 * degree * out_of_place
    if not alike:
        most = float(np.sqrt(degree)) * (walkers.disagreement(out_of_place) + drift)
    share = min(1.0, limit / (walkers.gain * most)) if most > 0.0 else 1.0
    rate = share * walkers.rate
    condition = f"{walkers.rate:.3g} times {share:.3g}, the least of sat(u) / u, = {rate:.3g} > 0"
    where += ", phases agreed" if alike else ", oscillators on their cycles, headings agreed"
    return Certificate(name, Verdict.CONTRACTING, condition, where, _LAPLACIAN, _CLOSED, rate)


def bound_phase_drift(walkers: StepSizeDynamics, cone: PhaseCone, phase_rate: float, paces: float = 0.0) -> float:
    """Metres that sqrt(e' L e) may gain while phases in a cone agree at `phase_rate`.

    d sqrt(e' L e) <= v sqrt(lambda_N) |g(theta) - g(mean)| with |g - g| <= slope |theta - mean|; an angle between two
    points at radius r or more is at most pi / (2 r) times their distance. Distances start at sqrt(N) sin(begun) at most
    and shrink at the rate, but for what frequencies that differ add: sqrt(N) `paces`, the integral (rad) of their root
    mean square from the mean. Where oscillators may come to rest nothing bounds it.
    """
    if cone.min_projection == 0.0:
        return np.inf
    apart = np.sqrt(walkers.graph.count) * (np.sin(cone.initial_spread) + paces) / phase_rate
    slope = walkers.profile.slope * 0.5 * np.pi / cone.min_projection
    return float(walkers.speed * np.sqrt(walkers.graph.spectral_radius) * slope * apart)


def certify_stride_updates(
    walkers: StepSizeDynamics, period: float, limit: float = np.inf, out_of_place: float = 0.0
) -> Certificate:
    """Step sizes that change only when a stride of `period` seconds begins; phases agreed."""
    graph = walkers.graph
    per_stride = walkers.gain * walkers.speed * period
    stiff, soft = per_stride * graph.spectral_radius, per_stride * graph.connectivity
    condition = f"c v T lambda_N = {stiff:.3g} {'<' if stiff < 2.0 else '>='} 2 ({graph.name})"
    name = "step sizes once a stride"
    if stiff >= 2.0:
        vector = np.linalg.eigh(graph.laplacian.toarray())[1][:, -1]
        growth = float(np.log(max(stiff - 1.0, 1.0))) / period
        told = "any start with a share in the last eigenvector of L: every stride overshoots by more"
        witness = Witness(vector, growth, Scope.ALL, told)
        verdict = Verdict.REFUTED if growth > 0.0 else Verdict.UNDECIDED
        return Certificate(name, verdict, condition, EVERYWHERE, _LAPLACIAN, _CLOSED, witness=witness)
    if walkers.rate <= 0.0:
        return certify_step_sizes(walkers)
    where = "phases agreed, while no step is at its limit"
    most = float(np.sqrt(graph.degrees.max())) * walkers.disagreement(out_of_place)
    share = walkers.min_forward_share
    if walkers.gain * most > limit:
        share *= limit / (walkers.gain * most)
        where = f"phases agreed, from starts within {out_of_place:.3g} m of the formation"
    if walkers.heading_bound > 0.0:
        where += f", headings within {walkers.heading_bound:.3g} rad"
    factor = max(abs(1.0 - soft), abs(1.0 - stiff))
    if share < 1.0:
        factor = float(np.sqrt(1.0 - 2.0 * share * soft * (1.0 - 0.5 * stiff)))
    rate = -float(np.log(factor)) / period if factor > 0.0 else np.inf
    return Certificate(name, Verdict.CONTRACTING, condition, where, _LAPLACIAN, _CLOSED, rate)


def certify_step_sizes_in_identity(walkers: StepSizeDynamics) -> Certificate:
    """The same without the Laplacian's help: -c v (G L + L G) / 2 on the differences, over all g_i of the profile.

    Its largest eigenvalue is convex in g, so it is largest where every g_i is at an end: of few agents all such corners
    are tried, which bounds it. Of many, it is at most -c v (m lambda_2 - r lambda_N) with g_i in m -+ r, and switching
    one g_i at a time may find a corner that breaks it.
    """
    graph, profile = walkers.graph, walkers.profile
    scale = walkers.gain * walkers.speed
    few = graph.count <= _FEW
    shares, top = _all_corners(graph, profile) if few else _switched(graph, profile)
    middle, radius = 0.5 * (profile.high + profile.low), 0.5 * (profile.high - profile.low)
    rate = -top if few else middle * graph.connectivity - radius * graph.spectral_radius
    condition = f"largest eigenvalue {top:.3g} c v {'at most' if few else 'or more'} ({graph.name})"
    name, metric = "step sizes", "identity, on the differences between agents"
    if rate > 0.0:
        return Certificate(name, Verdict.CONTRACTING, condition, EVERYWHERE, metric, _CLOSED, scale * rate)
    if top > 0.0:
        told = "the phases at which g_i is " + " ".join(f"{share:.2g}" for share in shares)
        witness = Witness(shares, scale * top, Scope.METRIC, told)
        return Certificate(name, Verdict.REFUTED, condition, EVERYWHERE, metric, _CLOSED, witness=witness)
    return Certificate(name, Verdict.UNDECIDED, condition, EVERYWHERE, metric, _CLOSED)


def _tops(graph: Graph, shares: Array) -> Array:
    """(corners,) largest eigenvalues of -(G L + L G) / 2 on the differences, for shares of speed (corners, count)."""
    basis = np.linalg.svd(np.eye(graph.count) - 1.0 / graph.count)[0][:, :-1]
    product = np.einsum("ia,ni,ij,jb->nab", basis, shares, graph.laplacian.toarray(), basis, optimize=True)
    return np.asarray(np.linalg.eigvalsh(-0.5 * (product + product.swapaxes(1, 2)))[:, -1])


def _all_corners(graph: Graph, profile: SpeedProfile) -> tuple[Array, float]:
    """The shares of speed (count,), each least or most, with the largest eigenvalue, and that (rounded up)."""
    bits = np.arange(2**graph.count)[:, None] >> np.arange(graph.count) & 1
    shares = np.where(bits, profile.high, profile.low)
    tops = _tops(graph, shares)
    worst = int(tops.argmax())
    return shares[worst], float(tops[worst]) + 1e-12 * graph.spectral_radius


def _switched(graph: Graph, profile: SpeedProfile) -> tuple[Array, float]:
    """Shares of speed with the largest eigenvalue that switching one at a time finds."""
    shares = np.where(np.arange(graph.count) % 2, profile.high, profile.low)
    best = float(_tops(graph, shares[None])[0])
    for _ in range(_SWEEPS):
        others = np.repeat(shares[None], graph.count, axis=0)
        np.fill_diagonal(others, profile.high + profile.low - shares)
        tops = _tops(graph, others)
        if tops.max() <= best:
            break
        shares, best = others[int(tops.argmax())], float(tops.max())
    return shares, best
