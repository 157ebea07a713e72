"""Figures: numbers about a motion, each with its acceptable band and the source of the band; checks consist of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.clips.result import Result
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.errors import StrPath
from gambol.fit.physics import Physics
from gambol.geometry.arrays import summarise_fields
from gambol.io.output import write_text
from gambol.units import abbreviate_unit


@dataclass(frozen=True)
class Band:
    """A range of acceptable values, ends included."""

    low: float = -math.inf
    high: float = math.inf

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isinf(self.low) and math.isinf(self.high):
            return "any value"
        if math.isinf(self.low):
            return f"at most {self.high:g}"
        return f"at least {self.low:g}" if math.isinf(self.high) else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Figure:
    """One figure of a check. NaN fails, unless `absent` gives the reason."""

    __repr__ = summarise_fields

    name: str
    value: float
    unit: str
    source: str
    """Source of the band."""
    band: Band
    absent: str = ""
    """Why there is nothing to measure, such as "no flight"; empty if there must be a value."""

    @property
    def key(self) -> str:
        """Its name among the figures of a result: words and unit, such as foot_drift_mm."""
        return f"{self.name.replace(' ', '_').replace('-', '_')}_{abbreviate_unit(self.unit)}"

    @property
    def measured(self) -> bool:
        """Whether there is a value."""
        return not math.isnan(self.value)

    @property
    def passes(self) -> bool:
        """Whether the value is in the band, or absent for a stated reason."""
        return self.value in self.band if self.measured else bool(self.absent)

    @property
    def reason(self) -> str:
        """Why there is no value, in words."""
        return self.absent or "could not be measured"

    def facts(self) -> dict[str, Any]:
        """Return what is known about it as plain JSON types."""
        return {
            "name": self.name,
            "key": self.key,
            "value": self.value if math.isfinite(self.value) else None,
            "absent": self.absent,
            "unit": self.unit,
            "band": str(self.band),
            "passes": self.passes,
            "source": self.source,
        }

    @property
    def formatted(self) -> str:
        """The value with three digits, or as a whole number from 1000 on; "none" without a value."""
        if not self.measured:
            return "none"
        return f"{self.value:.0f}" if abs(self.value) >= 1000.0 else f"{round(self.value, 3):.3g}"


@dataclass(frozen=True, eq=False, kw_only=True)
class Check(Result):
    """The figures of a motion of a person or a robot with their bands; of a scene of several, what a viewer sees."""

    measures: tuple[Figure, ...] = ()
    unjudged: str = ""
    """Why the motion cannot be judged; empty if it can."""
    contacts: Contacts | None = None
    """Of a person: what touches the ground, as `find_contacts` has it."""
    stages: tuple[Stage, ...] = ()
    """Of a person: ground and flight stages."""
    physics: Physics | None = None
    """Of a person: the fitted body and its forces, if the figure has limbs to which a body can be fitted."""

    def report(self, path: StrPath, *, overwrite: bool = True) -> Path:
        """Write an HTML page with the figures and the curves behind them."""
        from gambol.metrics.report import check_report_html

        return write_text(Path(path), check_report_html([(self.name, self)]), overwrite)

    def facts(self) -> dict[str, Any]:
        """Return figures with their bands, notes and stages as plain JSON types."""
        stages = [{"name": s.name, "kind": s.kind, "first": s.first, "last": s.last} for s in self.stages]
        return {
            "name": self.name,
            "passes": self.passes,
            "verdict": self.verdict,
            "figures": [figure.facts() for figure in self.measures],
            "notes": list(self.notes),
            "judgement": self.judgement.facts(),
            **({"stages": stages} if stages else {}),
        }

    @property
    def name(self) -> str:
        """The name of the motion, or of the scene."""
        return self.motions.name

    @property
    def unmeasured(self) -> tuple[Figure, ...]:
        """The figures without a value; `absent` has the reason."""
        return tuple(figure for figure in self.measures if not figure.measured)

    @property
    def outside(self) -> tuple[str, ...]:
        """Names of the figures outside their bands."""
        return tuple(figure.name for figure in self.measures if not figure.passes)

    @property
    def passes(self) -> bool:
        """Whether a viewer would accept it, it can be judged, and all figures are in their bands."""
        return self.judgement.accepted and not self.unjudged and not self.outside

    @property
    def verdict(self) -> str:
        """The result in one line: what a viewer would not accept, then the figures."""
        return "; ".join(filter(None, (self.judgement.verdict, self._measured)))

    @property
    def _measured(self) -> str:
        if self.unjudged or self.outside:
            return self.unjudged or f"outside their bands: {', '.join(self.outside)}"
        if self.measures:
            return "every figure in its band"
        return "" if self.judgement.verdict else "a viewer would accept the scene"


def list_values(measures: Iterable[Figure]) -> dict[str, float]:
    """Return the values of figures by their keys."""
    return {figure.key: figure.value for figure in measures}
