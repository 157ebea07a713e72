"""Members of families of reference motions."""

from __future__ import annotations

import math
from dataclasses import asdict

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.robots.references.augment_plan import AugmentPlan
from gambol.robots.references.variation import AXES, TERRAINS, ReferenceVariation


def list_variations(*given: object, **options: object) -> list[ReferenceVariation]:
    return [variation for _, variation in AugmentPlan(*given, **options).list_members()]


RANGES = {"stairs": (0.1, 0.18), "slope": (-8.0, 8.0), "stride": (0.8, 1.2), "load": (0.0, 8.0)}


def test_values_fill_their_ranges_evenly() -> None:
    drawn = list_variations(RANGES, mirror=True, members=400, seed=3)
    stride = np.array([one.stride for one in drawn])
    counts, _ = np.histogram(stride, bins=10, range=(0.8, 1.2))
    assert counts.min() >= 30, "random numbers would leave larger holes"
    assert 170 <= sum(one.mirror for one in drawn) <= 230
    assert len({one.seed for one in drawn}) == 400
    for one in drawn:
        assert sum(bool(getattr(one, name)) for name in TERRAINS) == 1
        assert one.pace == 1.0
    assert abs(np.corrcoef(stride, [one.load for one in drawn])[0, 1]) < 0.1
    stairs = np.array([one.stairs for one in drawn if one.stairs])
    assert 170 <= len(stairs) <= 230
    assert 0.1 <= stairs.min() < 0.11 < 0.17 < stairs.max() <= 0.18


def test_more_members_and_further_axes_leave_the_others_as_they_were() -> None:
    few, many = (list_variations(RANGES, members=members, seed=3) for members in (10, 50))
    assert many[:10] == few
    other = list_variations({**RANGES, "push": (0.0, 40.0)}, mirror=True, members=10, seed=3)
    assert [one.stride for one in other] == [one.stride for one in few]
    assert [one.push for one in other] != [0.0] * 10
    assert [one.stride for one in list_variations(RANGES, members=10, seed=4)] != [one.stride for one in few]


def test_every_clip_has_every_terrain_on_either_side() -> None:
    plan = AugmentPlan({**RANGES, "stones": (0.01, 0.1), "gaps": (0.1, 0.2)}, mirror=True, members=240, seed=1)
    for clips in (2, 3, 4, 5):
        found = [
            (clip, next(name for name in TERRAINS if getattr(one, name)), one.mirror)
            for clip, one in plan.list_members(clips)
        ]
        counts = [found.count(each) for each in set(found)]
        assert len(counts) == clips * 4 * 2
        assert min(counts) > 0.3 * 240 / len(counts)


def test_a_range_of_one_value_is_that_value() -> None:
    assert {one.turn for one in list_variations({"turn": (30.0, 30.0)}, members=5)} == {30.0}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"ranges": {}}, "nothing varies"),
        ({"ranges": {"height": (0.0, 1.0)}}, "nothing varies by 'height'"),
        ({"ranges": {"slope": (8.0, -8.0)}}, "goes from 8 to -8"),
        ({"ranges": {"slope": (-80.0, 8.0)}}, "within -30 to 30"),
        ({"ranges": {"pace": (0.0, 1.0)}}, "within 0.2 to 5"),
        ({"ranges": {"load": (0.0, math.nan)}}, "goes from 0 to nan"),
        ({"ranges": {"load": (0.0, 8.0)}, "members": 0}, "1 to 1,000,000 members"),
        ({"ranges": {"load": (0.0, 8.0)}, "seed": -1}, "a seed is 0 or more"),
    ],
)
def test_bad_plans_are_refused(given: dict, why: str) -> None:
    with pytest.raises(InputError, match=why):
        AugmentPlan(**given)


def test_bad_variations_are_refused() -> None:
    with pytest.raises(InputError, match="stairs and slope are different terrains"):
        ReferenceVariation(stairs=0.1, slope=3.0)
    for name, (_, high) in AXES.items():
        with pytest.raises(InputError, match=name):
            ReferenceVariation(**{name: high + 1.0})
        with pytest.raises(InputError, match=name):
            ReferenceVariation(**{name: math.nan})
    assert not ReferenceVariation().describe()
    assert set(asdict(ReferenceVariation())) == {*AXES, "mirror", "seed"}
