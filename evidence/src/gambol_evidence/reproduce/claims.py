"""Claims: figures that should lie within a band, each with its source and data; whether one holds is computed.

A claim that no program of ours could fail is marked `by_construction` and not counted. A figure that is not a number
fails. Claims that are known to fail are listed with the reason in `known_failures.yaml`; any other failure makes
`gambol reproduce` exit with code 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from gambol.metrics.figures import Band
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from gambol_evidence.provenance import describe_run

OUR_BAR = "our bar"
"""Source of a band that we chose ourselves, before the run."""
THIS_MACHINE = "a time depends on the machine; benchmarks compare times with those of peers"
"""Why a claim about time is shown and not counted."""
_KNOWN = Path(__file__).with_name("known_failures.yaml")


@dataclass(frozen=True, eq=False)
class Claim:
    """A measured figure, what it should be, and who says so."""

    id: str
    source: str
    """A paper with its page, a measured truth such as force plates, another engine, or our bar."""
    claim: str
    measured: float
    unit: str
    data: str
    expected: Band
    by_construction: str = ""
    """Why this cannot fail; such a claim is shown and not counted."""
    motion: Motion | Ensemble | None = None
    """What the claim is about, drawn in the report where it is about how something looks."""

    @property
    def computed(self) -> bool:
        """Whether there is a figure."""
        return not math.isnan(self.measured)

    @property
    def holds(self) -> bool:
        """Whether the figure is finite and within its band."""
        return bool(math.isfinite(self.measured) and self.measured in self.expected)

    @property
    def counted(self) -> bool:
        """Whether it is evidence: something that could have failed."""
        return not self.by_construction

    @property
    def verdict(self) -> str:
        """The outcome in a few words."""
        if not self.computed:
            return "NOT COMPUTED"
        outcome = "holds" if self.holds else "DOES NOT HOLD"
        return outcome if self.counted else f"{outcome} (by construction, not counted)"


@dataclass(frozen=True, eq=False)
class Evidence:
    """The measured claims of one suite."""

    name: str
    claims: list[Claim]

    @property
    def known(self) -> dict[str, str]:
        """Claims of this suite that are known to fail, with the reason."""
        return read_known_failures().get(self.name, {})

    @property
    def regressions(self) -> list[Claim]:
        """Claims that fail and are not known to."""
        return [claim for claim in self._counted if not claim.holds and claim.id not in self.known]

    @property
    def mended(self) -> list[Claim]:
        """Claims that hold although they are listed as failures."""
        return [claim for claim in self._counted if claim.holds and claim.id in self.known]

    @property
    def summary(self) -> str:
        """How many hold."""
        held, apart = sum(claim.holds for claim in self._counted), len(self.claims) - len(self._counted)
        return f"{held} of {len(self._counted)} hold" + (f"; {apart} by construction, not counted" if apart else "")

    @property
    def _counted(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.counted]

    def facts(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        return {"name": self.name, **describe_run(), "claims": [self._row(claim) for claim in self.claims]}

    def _row(self, claim: Claim) -> dict[str, Any]:
        return {
            "id": claim.id,
            "claim": claim.claim,
            "source": claim.source,
            "data": claim.data,
            "measured": float(claim.measured) if math.isfinite(claim.measured) else None,
            "unit": claim.unit,
            "expected": str(claim.expected),
            "holds": claim.holds,
            "by_construction": claim.by_construction,
            "known_failure": self.known.get(claim.id, ""),
        }


@cache
def read_known_failures() -> dict[str, dict[str, str]]:
    """Read the list of claims that are known to fail: suite, claim, reason."""
    return {suite: dict(listed or {}) for suite, listed in yaml.safe_load(_KNOWN.read_text(encoding="utf-8")).items()}


def measure(parts: Iterable[Callable[[], Iterator[Claim]]]) -> Iterator[Claim]:
    """Yield the claims of every part; where one raises, a claim that could not be computed."""
    for part in parts:
        try:
            yield from part()
        except Exception as error:
            function = getattr(part, "func", part)
            place = function.__module__.removeprefix(f"{__package__}.")
            name = f"{place}.{function.__name__}"
            yield Claim(name, OUR_BAR, "the measurement runs", math.nan, "", f"{type(error).__name__}: {error}", Band())
