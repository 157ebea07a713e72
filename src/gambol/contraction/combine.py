"""What parts that contract make together: side by side, one behind another, to and fro (M17 section 2.5).

Let part i contract at rate r_i in its metric, and let part j act on it through a block of the Jacobian of norm at most
g_ij (in the parts' metrics). Weighting the metrics by w_i scales g_ij by w_i / w_j. With the matrix C that has -r_i on
its diagonal and g_ij beside it, the weights w_i^2 = u_i / v_i of its left and right Perron vectors u and v make the
symmetric part of W C W^-1 have its largest eigenvalue equal to that of C itself, which no weights can beat. Side by
side (g = 0), hierarchies (C triangular) and feedback (r_1 r_2 > g_12 g_21) are all cases of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.contraction.certificate import Certificate, Verdict
from gambol.errors import InputError
from gambol.geometry.arrays import Array

_LOSS = 0.01
"""Share of its rate that a hierarchy gives away: the weights of its levels stay finite."""


def combine_network(name: str, parts: Sequence[Certificate], gains: Array) -> Certificate:
    """Parts that act on one another; `gains` (parts, parts): entry i, j bounds the action of part j on part i (1/s)."""
    gains = np.asarray(gains, float)
    if gains.shape != (len(parts), len(parts)) or (gains < 0.0).any() or np.diag(gains).any():
        raise InputError(
            f"gains of {len(parts)} parts as {gains.shape}", fix="a square matrix, not negative, 0 on its diagonal"
        )
    missing = [part.name for part in parts if not part.contracting]
    if missing:
        condition = f"{', '.join(missing)} not certified"
        return _made(name, parts, Verdict.UNDECIDED, condition, 0.0)
    if not np.isfinite(gains).all():
        return _made(name, parts, Verdict.UNDECIDED, "a coupling that is not bounded", 0.0)
    rate, _ = optimise_metric_weights(np.array([part.rate for part in parts]), gains)
    condition = f"rates {', '.join(f'{part.rate:.3g}' for part in parts)} against couplings up to {gains.max():.3g}"
    return _made(name, parts, Verdict.CONTRACTING if rate > 0.0 else Verdict.UNDECIDED, condition, max(rate, 0.0))


def optimise_metric_weights(rates: Array, gains: Array) -> tuple[float, Array]:
    """The rate of the whole, and the weights (parts,) of the parts' metrics that give it."""
    compared = gains - np.diag(rates)
    # Every part is made to act on every other a little, so that the Perron vectors have no zeros: a larger bound.
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


def combine_parallel(name: str, parts: Sequence[Certificate]) -> Certificate:
    """Parts that do not act on one another: the slowest rate."""
    return _least(name, parts, "side by side: the slowest rate")


def combine_cascade(name: str, parts: Sequence[Certificate], gains: Sequence[float]) -> Certificate:
    """Each part acts on the next one alone, with a gain (1/s) that need only be finite."""
    matrix = np.zeros((len(parts), len(parts)))
    for n, gain in enumerate(gains):
        matrix[n + 1, n] = gain
    return combine_network(name, parts, matrix)


def combine_feedback(
    name: str, first: Certificate, second: Certificate, onto_first: float, onto_second: float
) -> Certificate:
    """Two parts that act on each other: contracting where the product of the rates exceeds that of the gains."""
    return combine_network(name, (first, second), np.array([[0.0, onto_first], [onto_second, 0.0]]))


def combine_skew(name: str, first: Certificate, second: Certificate, mismatch: float = 0.0) -> Certificate:
    """Two parts whose couplings are each other's negative transpose (G and -G'), up to `mismatch` in norm (1/s).

    The skew part has no share in the symmetric Jacobian, however strong: only half the mismatch counts, each way.
    """
    return combine_feedback(name, first, second, 0.5 * mismatch, 0.5 * mismatch)


def _least(name: str, parts: Sequence[Certificate], told: str) -> Certificate:
    missing = [part.name for part in parts if not part.contracting]
    if missing:
        return _made(name, parts, Verdict.UNDECIDED, f"{', '.join(missing)} not certified", 0.0)
    return _made(name, parts, Verdict.CONTRACTING, told, min(part.rate for part in parts))


def _made(name: str, parts: Sequence[Certificate], verdict: Verdict, condition: str, rate: float) -> Certificate:
    regions = list(dict.fromkeys(part.region for part in parts if part.region != "everywhere"))
    where = "; ".join(regions) or "everywhere"
    return Certificate(
        name, verdict, condition, where, "weighted sum of the parts' metrics", "combination", rate, None, tuple(parts)
    )


def _perron(matrix: Array) -> tuple[float, Array]:
    """The largest eigenvalue of a matrix that is not negative beside its diagonal, and its vector."""
    values, vectors = np.linalg.eig(matrix)
    top = int(values.real.argmax())
    return float(values[top].real), np.abs(vectors[:, top].real)
