"""A repeated walk with its contacts."""

from __future__ import annotations

from tests.spacetime.recovery.conftest import grounded as grounded
