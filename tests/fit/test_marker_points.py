"""Marker files without a person are points; a mapping file makes a person of unknown names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml

from gambol.body.measure import require_rig
from gambol.errors import InputError, RigError
from gambol.fit.load import load
from gambol.fit.marker_points import markers_to_points
from gambol.io import save
from gambol.motion.recording import Markers
from tests.fit.test_markers import PLUG_IN_GAIT, wear

SIDES = ("left", "right")


def write_trc(path: Path, markers: Markers) -> Path:
    """Write markers (m, z up) as a TRC, y up as in OpenSim."""
    count = len(markers.names)
    head = [
        "PathFileType\t4\t(X/Y/Z)\tx.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"100\t100\t{len(markers)}\t{count}\tm\t100\t1\t{len(markers)}",
        "Frame#\tTime\t" + "\t\t\t".join(markers.names),
        "\t\t" + "\t".join(f"{axis}{n}" for n in range(1, count + 1) for axis in "XYZ"),
    ]
    turned = markers.positions[:, :, [0, 2, 1]] * [1.0, 1.0, -1.0]
    rows = [
        "\t".join((str(n + 1), f"{n / 100:.2f}", *("" if np.isnan(x) else f"{x:.6f}" for x in row.ravel())))
        for n, row in enumerate(turned)
    ]
    path.write_text("\n".join([*head, "", *rows]) + "\n")
    return path


def test_points_are_where_the_markers_are() -> None:
    positions = np.random.default_rng(0).normal(size=(9, 3, 3))
    positions[2, 0] = positions[0, 1] = positions[:, 2] = np.nan
    points = markers_to_points(Markers(("LKNE", "box", "gone"), positions, 0.01, notes=("z is up",)), "no pelvis")
    assert points.skeleton.names == ("markers", "LKNE", "box")
    placed = points.placement.positions
    np.testing.assert_allclose(placed[3:, 1:], positions[3:, :2])
    np.testing.assert_allclose(placed[2, 1], 0.5 * (positions[1, 0] + positions[3, 0]))
    np.testing.assert_allclose(placed[0, 2], positions[1, 1])
    assert points.notes == ("z is up", "shown as points: no pelvis")
    assert points.skin is not None
    np.testing.assert_array_equal(np.unique(points.skin.joints), [1, 2])
    np.testing.assert_allclose(np.abs(points.skin.vertices).max(), 0.012)


def test_a_set_without_a_pelvis_is_loaded_converted_and_refused_by_bodies(tmp_path: Path) -> None:
    worn, _ = wear(PLUG_IN_GAIT, without=("asis", "psis"))
    clip = load(write_trc(tmp_path / "legs.trc", worn))
    assert clip.rig is None
    assert "no left asis marker (LASIS or LASI or LIAS), nor right asis;" in clip.notes[-1]
    with pytest.raises(RigError, match=r"no person can be fitted to its markers.*left asis.*--markers"):
        require_rig(clip)
    for name, unit in (("points.bvh", 0.01), ("points.glb", 1.0)):
        save(clip, tmp_path / name)
        again = load(tmp_path / name, scale=unit)
        knee = clip.placement.positions[:, clip.skeleton.index("LKNE")]
        there = again.placement.positions[:, again.skeleton.index("LKNE")]
        np.testing.assert_allclose(np.ptp(there, axis=0), np.ptp(knee, axis=0), atol=1e-3)


def test_a_mapping_file_makes_a_person_of_unknown_names(tmp_path: Path) -> None:
    worn, centres = wear(PLUG_IN_GAIT)
    numbered = Markers(tuple(f"M{n}" for n in range(len(worn.names))), worn.positions, 0.01)
    trial = write_trc(tmp_path / "trial.trc", numbered)
    assert load(trial).rig is None
    roles = {side[0].upper() + end: f"{side}_{role}" for side in SIDES for role, end in PLUG_IN_GAIT.items()}
    mapping = tmp_path / "markers.yaml"
    entries = {roles[old]: new for old, new in zip(worn.names, numbered.names, strict=True)}
    mapping.write_text(yaml.safe_dump(entries))
    clip = load(trial, markers=mapping)
    knee = clip.placement.positions[:, clip.rig.parts["left_shank"]]
    assert np.linalg.norm(knee - centres["left_shank"], axis=1).max() < 0.03
    with pytest.raises(InputError, match="leave out rig, and pass a mapping as markers"):
        load(trial, rig=mapping)
    with pytest.raises(InputError, match="joints, not markers"):
        load("walk", markers=mapping)
    mapping.write_text("left_knee: M99\n")
    with pytest.raises(InputError, match="no marker 'M99' for left_knee"):
        load(trial, markers=mapping)
