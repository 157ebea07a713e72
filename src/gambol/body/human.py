"""Make a character from the build and the mass of a person."""

from __future__ import annotations

from gambol.body.anatomy import assemble_human
from gambol.body.anthropometry import MALE, Anthropometry
from gambol.body.build import Build
from gambol.body.character import Character


def make_human(
    build: Build, mass: float, table: Anthropometry = MALE, name: str = "human", toes: bool = False
) -> Character:
    """Return a character with a build and a mass (kg); `toes` adds a hinge at the ball of each foot."""
    return Character(*assemble_human(build, mass, table, toes), name)
