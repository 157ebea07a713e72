"""Certify synchronisation: coupled oscillators and step frequencies (M17 section 2.5).

Diffusive coupling d x_i = f(x_i) + k sum_j A_ij (x_j - x_i) of equal dynamics. Partial contraction (Wang and Slotine):
with V the projection that removes the mean over agents, the virtual system d y = V f(V' y + mean) -
k V L V' y has the true differences and y = 0 among its solutions, and its symmetric Jacobian is at most
sup lambda_max(sym J_f) - k lambda_2. Differences sqrt(sum |x_i - mean|^2) then shrink at least that fast.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gambol.contraction.certificate import EVERYWHERE, Certificate, Scope, Verdict, Witness
from gambol.contraction.graphs import Graph
from gambol.errors import InputError

_METRIC = "identity, on the differences between agents"
_CLOSED = "closed form"


def certify_diffusive_coupling(
    name: str, graph: Graph, coupling: float, expansion: float, region: str = EVERYWHERE
) -> Certificate:
    """Certify coupled equal dynamics whose symmetric Jacobian is at most `expansion` (1/s) in a convex region."""
    pull = coupling * graph.connectivity
    rate = pull - expansion
    sign = ">" if rate > 0.0 else "<="
    condition = f"k lambda_2 = {pull:.3g} {sign} expansion = {expansion:.3g} ({graph.name})"
    verdict = Verdict.CONTRACTING if rate > 0.0 else Verdict.UNDECIDED
    return Certificate(name, verdict, condition, region, _METRIC, _CLOSED, max(rate, 0.0))


def certify_phases(graph: Graph, coupling: float, relaxation: float) -> Certificate:
    """Certify Andronov-Hopf oscillators of one frequency, from any start.

    sym J_f has the eigenvalues alpha (1 - r^2) and alpha (1 - 3 r^2), at most alpha (at rest). All at rest is an
    equilibrium of the network at which differences along the second eigenvector of L grow at alpha - k lambda_2.
    """
    pull = coupling * graph.connectivity
    rate = pull - relaxation
    sign = ">" if rate > 0.0 else "<="
    condition = f"k lambda_2 = {pull:.3g} {sign} alpha = {relaxation:.3g} ({graph.name})"
    if rate > 0.0:
        return Certificate("gait phases", Verdict.CONTRACTING, condition, EVERYWHERE, _METRIC, _CLOSED, rate)
    growth = relaxation - coupling * float(graph.eigenvalues[1])
    if growth <= 0.0:
        return Certificate("gait phases", Verdict.UNDECIDED, condition, EVERYWHERE, _METRIC, _CLOSED)
    description = "all oscillators at rest, an equilibrium: from a start next to it phases first diverge"
    witness = Witness(np.zeros((graph.count, 2)), growth, Scope.ALL, description)
    return Certificate("gait phases", Verdict.REFUTED, condition, EVERYWHERE, _METRIC, _CLOSED, witness=witness)


@dataclass(frozen=True)
class PhaseCone:
    """Invariant set of oscillators: near a direction n that rotates at the mean frequency, with x . n bounded below.

    It is convex, and the coupling points into it. On its straight side, where r <= min_projection / cos(half_spread),
    oscillators grow at alpha (1 - r^2), more than their rotation removes. In the set r >= min_projection, so that
    sym J_f <= alpha (1 - min_projection^2).
    """

    half_spread: float
    """rad, below pi / 2."""
    min_projection: float
    """Lower bound of x . n; 0 if there is none."""
    initial_spread: float
    """rad: phases start within this angle."""
    amplitude: float = 1.0
    """Least amplitude at the start."""

    @classmethod
    def of(cls, half_spread: float) -> PhaseCone:
        """Return the cone of oscillators of one frequency: they stay within the angle in which they start."""
        if not 0.0 <= half_spread < 0.5 * np.pi:
            raise InputError(f"phases within {half_spread:.3g} rad of a common one", fix="choose 0 to below pi / 2")
        return cls(half_spread, float(np.cos(half_spread)), half_spread)

    @classmethod
    def with_differing_frequencies(
        cls,
        graph: Graph,
        gain: float,
        relaxation: float,
        half_spread: float,
        frequency_offset: float,
        amplitude: float = 1.0,
    ) -> PhaseCone:
        """Return the cone for frequencies at most `frequency_offset` (rad/s) off their mean, with d omega = -h L omega.

        The largest offset never grows and is at most sqrt(N) exp(-h lambda_2 t) times its initial value, so each phase
        gains at most (1 + log sqrt(N)) frequency_offset / (h lambda_2). On the straight side r^2 may be at most
        1 - frequency_offset tan(half_spread) / alpha, and at most the least initial amplitude squared.
        """
        gained = frequency_offset * (1.0 + 0.5 * np.log(graph.count)) / max(gain * graph.connectivity, 1e-12)
        wide = half_spread + float(gained)
        if wide >= 0.5 * np.pi:
            return cls(wide, 0.0, half_spread, amplitude)
        kept = max(1.0 - frequency_offset * np.tan(wide) / relaxation, 0.0)
        return cls(wide, float(np.cos(wide)) * min(float(np.sqrt(kept)), amplitude), half_spread, amplitude)


def certify_phases_in_cone(graph: Graph, coupling: float, relaxation: float, cone: PhaseCone) -> Certificate:
    """Certify Andronov-Hopf oscillators with similar phases, in an invariant cone."""
    expansion = relaxation * (1.0 - cone.min_projection**2)
    begun = f"{cone.initial_spread:.2g} rad of a common one" + (
        f" at amplitudes from {cone.amplitude:.2g}" if cone.amplitude < 1.0 else ""
    )
    region = f"from phases within {begun}, which stay within {cone.half_spread:.2g} rad"
    if cone.min_projection == 0.0:
        region = EVERYWHERE
    return certify_diffusive_coupling("gait phases that nearly agree", graph, coupling, float(expansion), region)


def certify_frequencies(graph: Graph, gain: float) -> Certificate:
    """Certify d omega = -h L omega: linear, so the rate is exact."""
    rate = gain * graph.connectivity
    if rate > 0.0:
        condition = f"h lambda_2 = {rate:.3g} > 0 ({graph.name})"
        return Certificate("step frequencies", Verdict.CONTRACTING, condition, EVERYWHERE, _METRIC, _CLOSED, rate)
    description = "two groups that do not interact: each keeps its own frequency"
    witness = Witness(np.zeros(graph.count), 0.0, Scope.ALL, description)
    condition = f"lambda_2 = 0 ({graph.name}, not connected)"
    return Certificate("step frequencies", Verdict.REFUTED, condition, EVERYWHERE, _METRIC, _CLOSED, witness=witness)
