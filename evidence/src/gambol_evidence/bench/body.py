"""`gambol bench body`: fitting, inverse dynamics and symbolic expressions of a character."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.fit.forces import estimate_ground_forces
from gambol.fit.rig import fit
from gambol.geometry.filters import differentiate
from gambol.io import samples
from gambol_evidence.bench.rows import Row, measure_seconds

_REALTIME = 60.0
"""Frames per second of the built-in walk."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured, on the built-in walk."""
    walk = samples.walk()
    person = Character.from_motion(walk, 75.0)
    fitted = fit(person, walk)
    yield _row("fit", len(walk) / measure_seconds(lambda: fit(person, walk), 3))

    dynamics = Dynamics(fitted.character)
    q = fitted.motion.q
    velocity, acceleration = differentiate(q, walk.frame_time)
    one = (q[0], velocity[0], acceleration[0])
    yield _row("inverse-dynamics-one", 1 / measure_seconds(lambda: dynamics.torques(*one), 200))
    yield _row(
        "inverse-dynamics-clip", len(q) / measure_seconds(lambda: dynamics.torques(q, velocity, acceleration), 5)
    )

    yield Row("expressions-build", measure_seconds(lambda: Expressions(fitted.character).torques, 1), "s")
    torques = Expressions(fitted.character).torques
    theirs, ours = (
        1 / measure_seconds(lambda: torques(*one), 200),
        1 / measure_seconds(lambda: dynamics.torques(*one), 200),
    )
    yield Row("inverse-dynamics-one", ours, "frames/s", "CasADi expression", theirs, ours / theirs)
    worst = float(np.abs(np.array(torques(*one))[:, 0] - dynamics.torques(*one)).max())
    yield Row("expressions-agree", worst, "N m")
    yield _row(
        "ground-forces", len(walk) / measure_seconds(lambda: estimate_ground_forces(fitted.character, fitted.motion), 1)
    )


def _row(name: str, speed: float) -> Row:
    return Row(name, speed, "frames/s", "real time", _REALTIME, speed / _REALTIME)
