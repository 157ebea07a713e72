"""Markers become a rig, a rig becomes a body, and the body's ground forces are those the plates measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.body.character import GRAVITY, Character
from gambol.body.measure import build_of
from gambol.errors import InputError
from gambol.fit.forces import ground_forces
from gambol.fit.markers import as_rig
from gambol.fit.rig import fit
from gambol.io import load_recording
from gambol.motion.recording import Markers, Recording

RAJAGOPAL = "gait_grf/opensim_rajagopal_walk_fullbody"
MASS = 85.27


@pytest.fixture(scope="module")
def markers(data: Path) -> Markers:
    loaded = load_recording(data / RAJAGOPAL / "markers_walk.trc")
    assert isinstance(loaded, Markers)
    return loaded


def test_a_person_of_plausible_build_comes_out(markers: Markers) -> None:
    rig = as_rig(markers)
    build = build_of(rig)
    assert 1.65 < build.height < 1.90
    for side in ("left", "right"):
        assert 0.38 < -build.offsets[f"{side}_shank"][2] < 0.46
        assert 0.38 < -build.offsets[f"{side}_foot"][2] < 0.46
    assert fit(Character.from_motion(rig, MASS), rig).errors.mean() < 0.008


def test_vertical_force_agrees_with_the_plates(markers: Markers, data: Path) -> None:
    """Over the gait cycle in which both feet are on plates: below 8 % of body weight, both humps there."""
    rig = as_rig(markers)
    fitted = fit(Character.from_motion(rig, MASS), rig)
    forces = ground_forces(fitted.character, fitted.motion, cutoff=6.0)
    plates = load_recording(data / RAJAGOPAL / "grf_walk.mot")
    cycle = (rig.times >= 0.45) & (rig.times <= 1.8)
    for side in ("left", "right"):
        measured = np.interp(rig.times, plates.times, plates[f"ground_force_{side[0]}_vy"])
        estimated = forces.on(f"{side}_foot")[:, 2]
        error = np.sqrt(np.mean((estimated - measured)[cycle] ** 2)) / (MASS * GRAVITY)
        assert error < 0.08
        ahead = np.interp(rig.times, plates.times, plates[f"ground_force_{side[0]}_vx"])
        assert np.corrcoef(forces.on(f"{side}_foot")[cycle, 0], ahead[cycle])[0, 1] > 0.8


def test_a_full_body_c3d_works_too(data: Path) -> None:
    recording = load_recording(data / "gait_grf" / "btk_c3d" / "PiG_Motion-FlatFoot-One.c3d")
    assert isinstance(recording, Recording)
    rig = as_rig(recording.markers)
    assert build_of(rig).height == pytest.approx(1.79, abs=0.12)


def test_short_gaps_are_bridged_and_long_ones_cut(markers: Markers) -> None:
    positions = markers.positions.copy()
    knee = markers.names.index("R.Knee")
    positions[50:60, knee] = np.nan
    bridged = as_rig(replace(markers, positions=positions))
    assert len(bridged) == len(markers)
    joint = bridged.rig.parts["right_shank"]
    off = bridged.placement.positions[:, joint] - as_rig(markers).placement.positions[:, joint]
    assert np.linalg.norm(off, axis=1).max() < 0.03
    positions[80:160, knee] = np.nan
    cut = as_rig(replace(markers, positions=positions))
    assert len(cut) == 80
    assert "kept frames" in cut.notes[-1]


def test_missing_markers_are_named(markers: Markers) -> None:
    kept = [n for n, name in enumerate(markers.names) if name != "L.Knee"]
    less = replace(markers, names=tuple(markers.names[n] for n in kept), positions=markers.positions[:, kept])
    with pytest.raises(InputError, match="no left knee marker"):
        as_rig(less)
    with pytest.raises(InputError, match="never seen together"):
        as_rig(replace(markers, positions=np.full_like(markers.positions, np.nan)))
