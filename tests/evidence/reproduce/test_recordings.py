"""Recordings are loaded at the rate at which they fall with gravity, whatever their files declare."""

from __future__ import annotations

from pathlib import Path

import pytest

from gambol.assumptions import GRAVITY
from gambol.errors import InputError
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import drop_supported_flights, find_stages, measure_fall
from gambol_evidence.reproduce.recordings import load_cmu_clip


@pytest.mark.parametrize("name", ["75_09", "88_06", "143_03", "13_11"])
def test_flights_fall_with_gravity(data: Path, name: str) -> None:
    motion = load_cmu_clip(data, name)
    stages = drop_supported_flights(motion, find_stages(find_foot_contacts(motion)))
    falls = [measure_fall(motion, stage) for stage in stages if stage.kind == "flight"]
    assert falls[0] == pytest.approx(-GRAVITY, rel=0.3)


def test_an_unknown_recording_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="99_99"):
        load_cmu_clip(tmp_path, "99_99")
