"""Walks as training data of a learned responder, whose poses are solved by compiled functions."""

from tests.respond.conftest import walk
from tests.respond.latent.conftest import looped, person

__all__ = ["looped", "person", "walk"]
