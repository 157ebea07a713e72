"""Units at the end of names."""

from __future__ import annotations

import pytest

from gambol.units import abbreviate_unit


@pytest.mark.parametrize(
    ("unit", "symbol"),
    [
        ("mm", "mm"),
        ("mm per contact", "mm"),
        ("degrees, largest", "deg"),
        ("degrees/s", "deg_s"),
        ("m/s", "m_s"),
        ("m/s³, median frame", "m_s3"),
        ("kg m²/s", "kg_m2_s"),
        ("% of frames", "percent"),
        ("joints and frames", "count"),
        ("frames, summed over legs", "frames"),
        ("of the limit, largest", "ratio"),
        ("", "ratio"),
    ],
)
def test_a_unit_is_the_first_word_of_what_is_said_about_it(unit: str, symbol: str) -> None:
    assert abbreviate_unit(unit) == symbol
