"""How units end the names of figures."""

from __future__ import annotations

_SYMBOLS = {
    "mm": "mm",
    "cm": "cm",
    "s": "s",
    "m/s": "m_s",
    "m/s²": "m_s2",
    "m/s³": "m_s3",
    "kg m²/s": "kg_m2_s",
    "W/kg": "w_kg",
    "degrees": "deg",
    "degrees/s": "deg_s",
    "body weights": "body_weights",
    "%": "percent",
    "times": "times",
    "frames": "frames",
    "joints and frames": "count",
}


def abbreviate_unit(unit: str) -> str:
    """Return how a name ends for a unit and what is said about it ("mm, deepest" gives mm); other words are ratios."""
    said = (symbol for known, symbol in _SYMBOLS.items() if f"{unit} ".startswith((f"{known} ", f"{known},")))
    return next(said, "ratio")
