"""The page of a push map shows the numbers of a made one."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from gambol.respond.push_map import PushMap, PushPlan
from gambol.respond.push_map_page import push_map_html, summarise_push_map

PLAN = PushPlan(pushes=64, strongest=0.5, bodies=("head", "left_forearm"))


@pytest.fixture
def made() -> PushMap:
    """Deviations of 1 to 64 degrees; recoveries of 0.1 to 1.36 s."""
    shape = PLAN.shape
    assert shape == (2, 4, 2, 4)
    peaks = np.arange(1.0, 65.0).reshape(shape)
    recoveries = 0.02 * np.arange(5.0, 69.0).reshape(shape)
    return PushMap(
        "walk", PLAN, {"k": 10}, 70.0, 1.1, True, ("left foot",) * 30 + ("both feet",) * 10, np.full(shape, 0.25),
        np.zeros(shape), peaks, np.full(shape, "left_hand"), recoveries, peaks > 60.0,
        0.01 * peaks, 0.9,
    )  # fmt: skip


def _rows(found: PushMap) -> list[list[str]]:
    table = push_map_html(found).split("<tbody>")[-1]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split("</tr>")[:-1]]


def test_the_table_has_medians_and_extremes_of_every_body(made: PushMap) -> None:
    assert _rows(made) == [
        ["head", "16", "32", "right", "0.41", "0.72", "0 of 32", "0 of 32", "27 of 32", "0 of 32"],
        ["left forearm", "48", "64", "right", "1.05", "1.36", "4 of 32", "0 of 32", "4 of 32", "28 of 32"],
    ]
    peaks = made.peaks.copy()
    peaks[0, 1] += 40.0
    assert _rows(replace(made, peaks=peaks))[0][3] == "backward"
    recoveries = made.recoveries.copy()
    recoveries[1, 2, 0, 1] = np.inf
    assert _rows(replace(made, recoveries=recoveries))[1][5:8] == ["never", "4 of 32", "1 of 32"]


def test_the_summary_names_phase_support_and_force_of_the_weakest_push(made: PushMap) -> None:
    recoveries = made.recoveries.copy()
    recoveries[1, 2, 0, 1] = np.inf
    said = summarise_push_map(replace(made, recoveries=recoveries))
    assert "left forearm pushed left at 25 to 50 % of the cycle, on the left foot" in said
    assert f"{0.25 * 70.0 * 9.81:.0f} N for 0.2 s" in said
    assert f"by {made.peaks[1, 2, 0, 1]:.0f} degrees, and it is not back in 3 s" in said
    assert "does not return after 1 of 64 pushes; 4 of them" in said
    last = made.recoveries.copy()
    last[0, 0, 1, 3] = np.inf
    assert "at 75 to 100 % of the cycle, on both feet" in summarise_push_map(replace(made, recoveries=last))


def test_the_summary_begins_with_what_a_person_would_do(made: PushMap) -> None:
    """Up to 5 cm outside the feet a person stands, up to 0.4 of legs of 0.9 m steps: 5, 31 and 28 of 1 to 64 cm."""
    said = summarise_push_map(made)
    weakest = "the weakest of which is 172 N right at 75 to 100 % of the cycle, on both feet."
    assert said.startswith(
        "Of 64 pushes a person would withstand 5 in place, recover from 31 by a step, and fall from 28, " + weakest
    )
    few = summarise_push_map(replace(made, outside=np.full(PLAN.shape, 0.05)))
    assert few.startswith(
        "Of 64 pushes a person would withstand 64 in place, recover from 0 by a step, and fall from 0. "
    )


def test_scales_end_at_the_next_ten_degrees_and_half_second(made: PushMap) -> None:
    for peaks, recoveries, ends in (
        (made.peaks, made.recoveries, ("70", "1.5")),
        (0.5 * made.peaks, 0.5 * made.recoveries, ("40", "1")),
        (0.1 * made.peaks, 0.1 * made.recoveries, ("10", "0.5")),
    ):
        page = push_map_html(replace(made, peaks=peaks, recoveries=recoveries))
        for scale, end in zip(page.split("<h2>")[2:4], ends, strict=True):
            assert f">{end}</text>" in scale.split("</svg>")[0]
