"""A certificate says what contracts, how fast at least and where, or shows the state that breaks it.

M17 section 2.5: a system contracts at rate rho in a region where the largest eigenvalue of the symmetric part of its
Jacobian, in a metric, is nowhere above -rho. A certificate rests on a bound, never on samples. The conditions are
sufficient: one that is violated says "not decided", unless a state is at hand that breaks contraction.
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
    """What is known."""

    CONTRACTING = "contracting"
    REFUTED = "refuted"
    UNDECIDED = "not decided"


class Scope(StrEnum):
    """How much a breaking state rules out."""

    METRIC = "in this metric"
    CONSTANT = "in every constant metric"
    """The Jacobian there has an eigenvalue on the wrong side, which no constant metric can hide."""
    ALL = "in every metric"
    """An equilibrium that repels: solutions that begin beside it part."""


@dataclass(frozen=True)
class Region:
    """A box of named states."""

    names: tuple[str, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        for name, low, high in zip(self.names, self.low, self.high, strict=True):
            if not (np.isfinite(low) and np.isfinite(high) and low <= high):
                raise InputError(f"the region of {name} is [{low}, {high}]", fix="two finite numbers, the lower first")

    @classmethod
    def of(cls, ranges: Mapping[str, tuple[float, float]]) -> Region:
        """From ranges by name: `Region.of({"x": (-1.0, 1.0)})`."""
        low, high = zip(*ranges.values(), strict=True) if ranges else ((), ())
        return cls(tuple(ranges), tuple(map(float, low)), tuple(map(float, high)))

    def ordered(self, names: Sequence[str]) -> tuple[Array, Array]:
        """Lower and upper ends (names,) in the order of a system's states and inputs."""
        if set(names) != set(self.names):
            raise InputError(f"the region names {', '.join(self.names)}", fix=f"name {', '.join(names)}, each once")
        at = [self.names.index(name) for name in names]
        return np.array(self.low)[at], np.array(self.high)[at]

    def __str__(self) -> str:
        parts = zip(self.names, self.low, self.high, strict=True)
        return ", ".join(f"{name} in [{low:.4g}, {high:.4g}]" for name, low, high in parts)


@dataclass(frozen=True, eq=False)
class Witness:
    """A state that breaks contraction."""

    state: Array
    growth: float
    """1/s: how fast a small difference grows there."""
    scope: Scope
    description: str
    """The state in words."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is known of one system, or of several that were put together."""

    name: str
    """What contracts: "gait phases"."""
    verdict: Verdict
    condition: str
    """The condition with its numbers: "k lambda_2 = 3.1 > alpha = 2"."""
    region: str
    metric: str
    method: str
    """How it was bounded: "closed form", "intervals, 310 boxes", "combination"."""
    rate: float = 0.0
    """1/s: differences shrink at least so fast; 0 where nothing is certified."""
    witness: Witness | None = None
    parts: tuple[Certificate, ...] = ()
    """Of what it was put together."""

    def __post_init__(self) -> None:
        if (self.verdict is Verdict.CONTRACTING) != (self.rate > 0.0):
            raise InputError(
                f"a rate of {self.rate} and {self.verdict}", fix="a rate above 0 where it contracts, else 0"
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
            return f"{opening} {self.witness.scope} by {self.witness.description} (there differences {grow})"
        return (
            f"{opening}, {self.region} (the condition is sufficient, not necessary: this is no proof that it diverges)"
        )

    def lines(self, depth: int = 0) -> Iterator[str]:
        """One line for the whole and one for each part, indented."""
        yield "  " * depth + str(self)
        for part in self.parts:
            yield from part.lines(depth + 1)
