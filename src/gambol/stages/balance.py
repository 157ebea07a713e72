"""What a person does whose extrapolated centre of mass is outside the feet: stands, steps or falls.

Hof, Gazendam and Sinke 2005: x + v sqrt(height / g) must stay within the base of support, or no pressure under the feet
brings the body back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.arrays import Array

OVERBALANCE = 0.05
"""Metres outside the feet up to which a body counts as within balance: steps of a walk vary by as much."""
STEP_REACH = 0.4
"""Leg lengths outside the feet up to which steps bring the body back. Young men who were let go from a lean of 32.5
degrees just could with one step (Thelen et al. 1997): their centre of mass is then about 0.4 m ahead of the balls of
their feet, and their legs are about 0.9 m long. Steps of a leg length, one every 0.38 s, hold 0.30 leg lengths if there
is one and 0.42 if there are many (Koolen et al. 2012). Sideways and backwards people manage about a fifth less
(Carbonneau and Smeesters 2014), which is not taken into account."""
STEP_TIME = 0.6
"""Seconds of about a step."""
OUTCOMES = ("stands", "steps", "falls")
"""What a person does: stands or walks on with the feet where they are, steps, or falls."""


def find_outcomes(outside: Array | float, leg_length: float) -> NDArray[np.int_]:
    """Return what a person with legs of a length (m) does, as indices of OUTCOMES, by metres outside the feet."""
    return np.digitize(outside, (OVERBALANCE, STEP_REACH * leg_length), right=True)
