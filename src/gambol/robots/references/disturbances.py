"""Disturb what is retargeted: a clip that is mirrored or pushed, a robot that carries loads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.body.lumped import add_loads
from gambol.errors import InputError
from gambol.motion.mirroring import reflect_motion
from gambol.motion.motion import Motion
from gambol.motion.pushes import Load, Push, check_vector
from gambol.robots.biped import Biped, BodyPlace
from gambol.robots.references.variation import ReferenceVariation
from gambol.stages.feet import SIDES

_EARLIEST, _LATEST = 0.1, 0.5
"""Shares of a clip between which a push begins: it must be over before the clip is."""


def vary_clip(motion: Motion, asked: ReferenceVariation, biped: Biped) -> Motion:
    """Return a clip of a person, mirrored and pushed as a variation asks for.

    The person is pushed so that it gets the same acceleration as the robot would.
    """
    motion = reflect_motion(motion) if asked.mirror else motion
    if not asked.push:
        return motion
    # Imported where it is needed: it takes half a second.
    from gambol.respond.push import push

    random = asked.draw("push")
    force = asked.push * Character.from_motion(motion).mass / biped.description.character.mass
    angle, start = random.uniform(0.0, 2.0 * np.pi), random.uniform(_EARLIEST, _LATEST) * motion.duration
    pushed = push(motion, [Push("chest", (force * np.cos(angle), force * np.sin(angle), 0.0), start)])
    if pushed.response.recovery is None:
        raise InputError(f"not recovered from {asked.push:.0f} N at {start:.2f} s when the clip ends")
    return pushed.motion


def add_variation_loads(biped: Biped, asked: ReferenceVariation) -> Biped:
    """Return a robot that carries loads at its chest and in its hands."""
    character = biped.description.character
    chest = biped.places["chest"].joint
    held = [(BodyPlace(chest, character.centers[chest]), asked.load)]
    held += [(biped.places[f"{side}_hand"], asked.hand_load) for side in SIDES if asked.hand_load]
    loads = [
        Load(character.skeleton.names[at.joint], mass, check_vector(at.point.tolist(), "a place"))
        for at, mass in held
        if mass
    ]
    if not loads:
        return biped
    return replace(biped, description=replace(biped.description, character=add_loads(character, loads)))
