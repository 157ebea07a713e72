"""Certificates of contraction: what contracts, at which rate at least and where, or a state that refutes it.

M17 section 2.5: a system contracts at rate rho in a region where the largest eigenvalue of the symmetric part of its
Jacobian, in a metric, is nowhere above -rho. A certificate rests on a bound, never on samples. The conditions are
sufficient: if one is violated the verdict is "not decided", unless a state is known where differences grow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array

EVERYWHERE = "everywhere"


class Verdict(StrEnum):
    """The outcome of a certification."""

    CONTRACTING = "contracting"
    REFUTED = "refuted"
    UNDECIDED = "not decided"


class Scope(StrEnum):
    """Which metrics a witness rules out."""

    METRIC = "in this metric"
    CONSTANT = "in every constant metric"
    """The Jacobian there has an eigenvalue with positive real part."""
    ALL = "in every metric"
    """An unstable equilibrium: solutions that start next to it diverge."""


@dataclass(frozen=True)
class Region:
    """A box in the space of named states and inputs."""

    names: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not (np.isfinite(low) and np.isfinite(high) and low <= high):
                raise InputError(
                    f"the region of {name} is [{low}, {high}]", fix="give two finite numbers, the lower first"
                )

    @classmethod
    def of(cls, ranges: Mapping[str, tuple[float, float]]) -> Region:
        """Make a region from ranges by name: `Region.of({"x": (-1.0, 1.0)})`."""
        low, high = zip(*ranges.values(), strict=True) if ranges else ((), ())
        return cls(tuple(ranges), tuple(map(float, low)), tuple(map(float, high)))

    def ordered(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Return lower and upper ends (names,) in the order of a system's states and inputs."""
        if set(names) != set(self.names):
            raise InputError(f"the region names {', '.join(self.names)}", fix=f"name each of {', '.join(names)} once")
        at = [self.names.index(name) for name in names]
        return np.array(self.low)[at], np.array(self.high)[at]

    def __str__(self) -> str:
        parts = zip(self.names, self.low, self.high, strict=True)
        return ", ".join(f"{name} in [{low:.4g}, {high:.4g}]" for name, low, high in parts)


@dataclass(frozen=True, eq=False)
class Witness:
    """A state where differences do not shrink."""

    state: Array
    growth: float
    """Growth rate of small differences there (1/s)."""
    scope: Scope
    description: str
    """The state in words, for messages."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """The outcome for one system, or for several that were combined."""

    name: str
    """Name of the system: "gait phases"."""
    verdict: Verdict
    condition: str
    """The condition with its numbers: "k lambda_2 = 3.1 > alpha = 2"."""
    region: str
    metric: str
    method: str
    """How it was bounded: "closed form", "intervals, 310 boxes", "combination"."""
    rate: float = 0.0
    """Differences shrink at least at this rate (1/s); 0 if nothing is certified."""
    witness: Witness | None = None
    parts: tuple[Certificate, ...] = ()
    """Certificates that it was combined from."""

    def __post_init__(self) -> None:
        if (self.verdict is Verdict.CONTRACTING) != (self.rate > 0.0):
            raise InputError(
                f"rate {self.rate} with verdict '{self.verdict}'", fix="give a rate above 0 if it contracts, else 0"
            )

    @property
    def contracting(self) -> bool:
        """Whether a rate is certified."""
        return self.verdict is Verdict.CONTRACTING

    def __str__(self) -> str:
        opening = f"{self.name}: {self.condition}: {self.verdict}"
        if self.contracting:
            return f"{opening}, rate at least {self.rate:.3g} per s, {self.region}"
        if self.witness is not None and self.verdict is Verdict.REFUTED:
            grow = f"grow at {self.witness.growth:.3g} per s" if self.witness.growth > 0.0 else "do not shrink"
            return f"{opening} {self.witness.scope} by {self.witness.description} (differences there {grow})"
        return f"{opening}, {self.region} (the condition is sufficient, not necessary: this does not prove divergence)"

    def lines(self, depth: int = 0) -> Iterator[str]:
        """Yield one line for the whole and an indented line for each part."""
        yield "  " * depth + str(self)
        for part in self.parts:
            yield from part.lines(depth + 1)
