"""Put feet back to the places of their contacts in a re-sampled motion, and fade what that takes beside them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.body.character import Character
from gambol.geometry.arrays import Array
from gambol.geometry.filters import fade_out
from gambol.legs.character import find_character_legs
from gambol.legs.foot_ik import restore_feet
from gambol.stages.feet import SIDES
from gambol.terms.contacts import ContactConstraint

_EASE = 0.1
"""Seconds over which corrections of the legs fade beside a contact."""


def replant_feet(character: Character, q: Array, contacts: Sequence[ContactConstraint], frame_time: float) -> Array:
    """Return coordinates (frames, dofs) with feet in contact at their places, by the angles of the legs."""
    resting = {side: np.zeros(len(q), dtype=bool) for side in SIDES}
    for contact in contacts:
        resting[contact.body.partition("_")[0]][contact.first : contact.last + 1] = True
    change = restore_feet(character, q, contacts) - q
    reach = max(1, round(_EASE / frame_time))
    corrected = q.copy()
    for leg, side in zip(find_character_legs(character), SIDES, strict=True):
        columns = list(leg.columns)
        corrected[:, columns] += fade_out(change[:, columns], resting[side], reach)
    return corrected
