"""Systems with known contraction rates."""

from __future__ import annotations

import casadi as ca
import numpy as np

from gambol.contraction.certificate import Region
from gambol_evidence.contraction.system import System

ALPHA = 2.0


def hopf() -> System:
    """Its symmetric Jacobian has the eigenvalues alpha (1 - r^2) and alpha (1 - 3 r^2)."""
    return System(
        ("x", "y"),
        lambda x, y: (ALPHA * (1 - x * x - y * y) * x - 6 * y, ALPHA * (1 - x * x - y * y) * y + 6 * x),
    )


def linear(matrix: np.ndarray) -> System:
    names = tuple(f"x{n}" for n in range(len(matrix)))
    return System(names, lambda *x: [sum(float(a) * b for a, b in zip(row, x, strict=True)) for row in matrix])


def pendulum() -> System:
    return System(("angle", "speed"), lambda angle, speed: (speed, -4 * ca.sin(angle) - 3 * speed))


def van_der_pol() -> System:
    return System(("x", "v"), lambda x, v: (v, (1 - x * x) * v - x))


def box(system: System, half: float) -> Region:
    return Region.of(dict.fromkeys(system.names, (-half, half)))
