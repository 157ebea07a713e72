"""A small body that bends its leg on the spot: footprints, and poses near which it begins and ends."""

from __future__ import annotations

import numpy as np

from gambol.contacts.timeline import Contacts
from gambol.styles.scene import StyleScene
from tests.terms.bodies import STEP, hopping, monopod, sole_of

FRAMES = 24


def crouch(depth: float = 0.3, frames: int = FRAMES) -> StyleScene:
    """The monopod crouches and rises again, its sole on the ground."""
    q = hopping(frames)
    bend = depth * np.sin(np.linspace(0.0, np.pi, frames)) ** 2
    q[:, 7] -= bend
    q[:, 8] += 2.0 * bend
    q[:, 9] -= bend
    q[:, 2] = 0.15 + 0.4 * (np.cos(q[:, 7]) + np.cos(q[:, 7] + q[:, 8]))
    q[:, 0] = hopping(1)[0, 0]
    contact = sole_of(q)
    return StyleScene(monopod(), STEP, Contacts((contact,), frames, STEP), q)
