"""Kernels of small bodies without a compiler."""

from __future__ import annotations

from tests.terms.conftest import interpreted as interpreted
