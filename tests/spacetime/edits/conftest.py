"""Clips that are edited: the built-in jump and walk."""

from __future__ import annotations

import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.edits.parts import EditableClip, divide_clip


def clip_from(motion: Motion) -> EditableClip:
    return divide_clip(fit(Character.from_motion(motion), motion))


@pytest.fixture(scope="session")
def jump() -> EditableClip:
    return clip_from(samples.jump())


@pytest.fixture(scope="session")
def walk() -> EditableClip:
    return clip_from(samples.walk())
