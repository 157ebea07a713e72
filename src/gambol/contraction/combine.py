"""Combine certificates of parts that act on each other (M17 section 2.5).

Let part i contract at rate r_i in its metric, and let part j act on it through a block of the Jacobian of norm at most
g_ij (in the parts' metrics). Weighting the metrics by w_i scales g_ij by w_i / w_j. With the matrix C that has -r_i on
its diagonal and g_ij off it, the weights w_i^2 = u_i / v_i of its left and right Perron vectors u and v make the
symmetric part of W C W^-1 have its largest eigenvalue equal to that of C itself, which is optimal. Parallel parts
(g = 0), hierarchies (C triangular) and feedback (r_1 r_2 > g_12 g_21) are special cases. Couplings G and -G' cancel in
the symmetric part: of two such parts, only half of what is missing to that counts, in each direction.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.contraction.certificate import Certificate, Verdict
from gambol.errors import InputError
from gambol.geometry.arrays import Array

_LOSS = 0.01
"""Share of the rate that a hierarchy loses, so that the weights of its levels stay finite."""


def combine_network(name: str, parts: Sequence[Certificate], gains: Array) -> Certificate:
    """Combine interacting parts; entry i, j of `gains` (parts, parts) bounds the action of part j on part i (1/s)."""
    gains = np.asarray(gains, float)
    if gains.shape != (len(parts), len(parts)) or (gains < 0.0).any() or np.diag(gains).any():
        raise InputError(
            f"gains {gains.shape} for {len(parts)} parts", fix="give a square matrix, not negative, 0 on its diagonal"
        )
    missing = [part.name for part in parts if not part.contracting]
    if missing:
        condition = f"{', '.join(missing)} not certified"
        return _make_certificate(name, parts, Verdict.UNDECIDED, condition, 0.0)
    if not np.isfinite(gains).all():
        return _make_certificate(name, parts, Verdict.UNDECIDED, "a coupling is not bounded", 0.0)
    rate, _ = optimise_metric_weights(np.array([part.rate for part in parts]), gains)
    condition = f"rates {', '.join(f'{part.rate:.3g}' for part in parts)} against couplings up to {gains.max():.3g}"
    return _make_certificate(
        name, parts, Verdict.CONTRACTING if rate > 0.0 else Verdict.UNDECIDED, condition, max(rate, 0.0)
    )


def optimise_metric_weights(rates: Array, gains: Array) -> tuple[float, Array]:
    """Return the rate of the whole, and the weights (parts,) of the parts' metrics that give it."""
    compared = gains - np.diag(rates)
    # Add a small coupling between all parts, so that the Perron vectors have no zeros: the bound grows a little.
    size = len(rates)
    faint = _LOSS * max(float(np.abs(rates).min()), 1e-9) / size
    for _ in range(60):
        filled = compared + faint * (1.0 - np.eye(size))
        top, right = _perron(filled)
        if top - _perron(compared)[0] <= _LOSS * float(np.abs(rates).min()):
            break
        faint *= 0.1
    left = _perron(filled.T)[1]
    weights = np.sqrt(left / right)
    turned = weights[:, None] * compared / weights
    return -float(np.linalg.eigvalsh(0.5 * (turned + turned.T))[-1]), weights / weights[0]


def combine_feedback(
    name: str, first: Certificate, second: Certificate, onto_first: float, onto_second: float
) -> Certificate:
    """Combine two parts that act on each other: contracting if the product of the rates exceeds that of the gains."""
    return combine_network(name, (first, second), np.array([[0.0, onto_first], [onto_second, 0.0]]))


def _make_certificate(
    name: str, parts: Sequence[Certificate], verdict: Verdict, condition: str, rate: float
) -> Certificate:
    regions = list(dict.fromkeys(part.region for part in parts if part.region != "everywhere"))
    where = "; ".join(regions) or "everywhere"
    return Certificate(
        name, verdict, condition, where, "weighted sum of the parts' metrics", "combination", rate, None, tuple(parts)
    )


def _perron(matrix: Array) -> tuple[float, Array]:
    """Return the largest eigenvalue and eigenvector of a matrix that is not negative off its diagonal."""
    values, vectors = np.linalg.eig(matrix)
    top = int(values.real.argmax())
    return float(values[top].real), np.abs(vectors[:, top].real)
