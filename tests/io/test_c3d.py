"""C3D: against OpenSim's own extraction, Vicon's own ground reaction, statics, and hostile bytes."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.io import opensim
from gambol.io.c3d import read as c3d
from gambol.io.c3d.contents import read_contents
from gambol.io.c3d.plates import build_force_plate, compute_plate_axes, compute_surface_wrench, records_action
from gambol.io.marker_axes import find_up_axis, rotation_to_z_up
from gambol.motion.marker_names import find_marker_parts
from gambol.motion.recording import ForcePlate, Recording

Array = NDArray[np.float64]
LOADED_FILES = {
    "btk_c3d/FunctionalWalk.c3d": 60.0,
    "btk_c3d/Gait.c3d": None,
    "btk_c3d/PiG_Motion-FlatFoot-One.c3d": 66.5,
    "btk_c3d/PiG_Motion3_FF.c3d": 74.0,
    "btk_c3d/sample01__Eb015pr.c3d": None,
    "opensim_core_c3d_walking/walking2.c3d": None,
}


@pytest.fixture
def walking(data: Path) -> Path:
    return data / "gait_grf" / "opensim_core_c3d_walking"


def test_markers_agree_with_opensims_extraction(walking: Path) -> None:
    ours = c3d.read_c3d(walking / "walking2.c3d").markers
    theirs = opensim.read_trc(walking / "std_walking2_markers.trc")
    frames = np.minimum(10 * np.arange(len(theirs)), len(ours) - 1)
    assert ours.names == theirs.names
    assert ours.frame_time == 1 / 250
    np.testing.assert_array_equal(np.isnan(ours.positions[frames]), np.isnan(theirs.positions))
    # The TRC is written with five significant digits: half of 0.1 mm above one metre.
    np.testing.assert_allclose(ours.positions[frames], theirs.positions, atol=5.01e-5, rtol=0)


def test_forces_agree_with_opensims_extraction(walking: Path) -> None:
    """To the eighth decimal that the reference is written with (N, mm, N mm), every 50 ms."""
    plates = c3d.read_c3d(walking / "walking2.c3d").plates
    about_middle = opensim.read_table(walking / "std_walking2_grfs.sto")
    about_pressure = opensim.read_table(walking / "std_cop_walking2_grfs.sto")
    assert len(plates) == 2
    for plate, middle, pressure in zip(
        plates,
        np.split(about_middle.values, 2, axis=1),
        np.split(about_pressure.values, 2, axis=1),
        strict=True,
    ):
        sample = np.rint(about_middle.times / plate.frame_time).astype(int)
        force, point = plate.force[sample], plate.center_of_pressure[sample]
        loaded = np.isfinite(point[:, 0])
        assert loaded.sum() >= 10
        np.testing.assert_array_equal(loaded, middle[:, 2] >= 20.0)
        np.testing.assert_allclose(force, middle[:, :3], atol=1e-8)
        np.testing.assert_allclose(point[loaded], 1e-3 * pressure[loaded, 3:6], atol=1e-9)
        np.testing.assert_allclose(plate.free_moment[sample][loaded], 1e-3 * pressure[loaded, 8], atol=1e-8)
        arm = point - 1e-3 * middle[:, 3:6]
        moment = np.cross(arm, force) + plate.free_moment[sample, None] * Z
        np.testing.assert_allclose(moment[loaded], 1e-3 * middle[loaded, 6:9], atol=1e-7)


@pytest.mark.parametrize("file", LOADED_FILES)
def test_plates_carry_a_person(data: Path, file: str) -> None:
    recording = c3d.read_c3d(data / "gait_grf" / file)
    markers, mass = recording.markers, LOADED_FILES[file]
    parts = find_marker_parts(markers.names)
    feet = [i for i, name in enumerate(markers.names) if parts.get(name, "").endswith(("foot", "toes"))]
    peaks = []
    for plate in recording.plates:
        step = round(markers.frame_time / plate.frame_time)
        stance = plate.force[::step, 2] > 200.0
        point = plate.center_of_pressure[::step][stance]
        low, high = plate.corners.min(axis=0)[:2], plate.corners.max(axis=0)[:2]
        assert stance.sum() > 10
        assert ((point[:, :2] > low - 0.005) & (point[:, :2] < high + 0.005)).all()
        away = np.linalg.norm(markers.positions[stance][:, feet, :2] - point[:, None, :2], axis=2)
        assert np.nanmax(np.nanmin(away, axis=1)) < 0.13
        assert abs(np.median(point[:, 2])) < 0.01
        assert np.abs(plate.free_moment).max() < 20.0
        peaks.append(plate.force[:, 2].max())
        assert plate.force[:, 2].min() > -30.0
    if mass is not None:
        assert 1.0 < max(peaks) / (mass * 9.81) < 1.3
    assert 500.0 < max(peaks) < 1000.0


@pytest.mark.parametrize(("file", "mass", "sides"), [("PiG_Motion-FlatFoot-One", 66.5, "RL")])
def test_forces_agree_with_vicons_ground_reaction(data: Path, file: str, mass: float, sides: str) -> None:
    """Vicon's model writes the (filtered) force on each foot, N/kg, as a computed point: 0.1 N/kg rms."""
    path = data / "gait_grf" / "btk_c3d" / f"{file}.c3d"
    contents, plates = read_contents(path), c3d.read_c3d(path).plates
    for side, plate in zip(sides, plates, strict=True):
        points = contents.points[:, contents.labels.index(f"{side}GroundReactionForce")]
        force = plate.force[:: len(plate.force) // len(points)] / mass
        both = (points[:, 3] >= 0.0) & (points[:, 2] > 3.0) & (force[:, 2] > 3.0)
        assert both.sum() > 50
        assert np.sqrt(np.mean((points[both, :3] - force[both]) ** 2)) < 0.1


def test_computed_points_and_repeated_parameters(data: Path) -> None:
    recording = c3d.read_c3d(data / "gait_grf" / "btk_c3d" / "PiG_Motion-FlatFoot-One.c3d")
    assert "LASI" in recording.markers.names
    assert not any(name.endswith(("Angles", "Power", "Moment", "Force")) for name in recording.markers.names)
    assert any("80 computed points" in note for note in recording.notes)


def test_repeated_labels_are_made_unique(data: Path) -> None:
    recording = c3d.read_c3d(data / "gait_grf" / "btk_c3d" / "Gait.c3d")
    assert {"RKNE", "RKNE_2"} <= set(recording.markers.names)
    assert len(recording.analog) == 4870
    np.testing.assert_allclose(recording.analog.times[-1], 4.869)
    assert recording.analog["F1Z"].min() < -60.0


# Statics: a force and a twist at a known point, through an independent model of each plate.

SURFACE_POINT, FORCE, TWIST = np.array([0.11, -0.07, 0.0]), np.array([35.0, -60.0, -710.0]), 4.5
Z = np.array([0.0, 0.0, 1.0])


def channels_of(kind: int, origin: Array, calibration: Array | None) -> Array:
    """What a plate of that type would record of FORCE at SURFACE_POINT, with TWIST about z."""
    if kind == 1:
        return np.array([*FORCE, *SURFACE_POINT[:2], TWIST])
    if kind in (2, 4):
        transducer = -origin
        moment = np.cross(SURFACE_POINT - transducer, FORCE) + TWIST * Z
        wrench = np.concatenate((FORCE, moment))
        return wrench if calibration is None else np.linalg.solve(calibration, wrench)
    depth = abs(origin[2])
    sensors = np.array([[x * origin[0], y * origin[1], depth] for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))])
    balance = np.zeros((6, 12))
    for i, arm in enumerate(sensors):
        balance[:3, 3 * i : 3 * i + 3] = np.eye(3)
        balance[3:, 3 * i : 3 * i + 3] = np.cross(arm, np.eye(3)).T
    wrench = np.concatenate((FORCE, np.cross(SURFACE_POINT, FORCE) + TWIST * Z))
    (x1, y1, z1), (x2, y2, z2), (x3, y3, z3), (x4, y4, z4) = np.linalg.lstsq(balance, wrench)[0].reshape(4, 3)
    return np.array([x1 + x2, x3 + x4, y1 + y4, y2 + y3, z1, z2, z3, z4])


def some_calibration() -> Array:
    return np.diag([3.0, 3.0, 11.0, 2.2, 2.0, 1.0]) + np.random.default_rng(0).normal(0.0, 0.05, (6, 6))


def check_statics(plate: ForcePlate, axes: Array, middle: Array) -> None:
    np.testing.assert_allclose(plate.force, [axes @ FORCE], rtol=1e-9)
    np.testing.assert_allclose(plate.center_of_pressure, [middle + axes @ SURFACE_POINT], atol=1e-9)
    np.testing.assert_allclose(plate.free_moment, [-TWIST], rtol=1e-8)


@pytest.mark.parametrize("flipped_origin", [False, True])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_statics_of_every_type(kind: int, flipped_origin: bool) -> None:
    corners = np.array([[0.2, 0.3, 0], [-0.2, 0.3, 0], [-0.2, -0.3, 0], [0.2, -0.3, 0]])
    turn = np.array([[np.cos(0.4), np.sin(0.4), 0], [np.sin(0.4), -np.cos(0.4), 0], [0, 0, -1.0]])
    middle = np.array([1.0, 2.0, 0.01])
    calibration = some_calibration() if kind == 4 else None
    origin = np.array([0.15, 0.2, -0.04])
    row = channels_of(kind, origin, calibration)
    given_origin = -origin if flipped_origin else origin
    force, moment = compute_surface_wrench(kind, row[None], given_origin, calibration)
    axes = compute_plate_axes(corners @ turn.T + middle)
    assert axes is not None
    np.testing.assert_allclose(axes, turn, atol=1e-12)
    check_statics(build_force_plate(force, moment, corners @ turn.T + middle, axes, 0.001), turn, middle)


def test_floor_only_pushes() -> None:
    assert records_action(np.array([5.0, -700.0]))
    assert not records_action(np.array([700.0, -700.0 / 2]))
    assert not records_action(np.array([-27.0, -14.0]))


def test_corners_without_area() -> None:
    assert compute_plate_axes(np.zeros((4, 3))) is None
    assert compute_plate_axes(np.full((4, 3), np.nan)) is None


@pytest.mark.parametrize("up", ["+X", "-X", "+Y", "-Y", "+Z", "-Z"])
def test_turns_are_rotations_and_are_found(up: str) -> None:
    turn = rotation_to_z_up(up)
    assert np.linalg.det(turn) == 1.0
    direction = (1.0 if up[0] == "+" else -1.0) * np.eye(3)["XYZ".index(up[1])]
    np.testing.assert_array_equal(turn @ direction, [0.0, 0.0, 1.0])
    rng = np.random.default_rng(1)
    body = rng.normal(0.0, 0.1, (20, 4, 3))
    body[:, :, 0] += 3.0
    body[:, :, 2] += [1.6, 1.0, 0.1, 0.05]
    there = body @ turn
    assert find_up_axis(("C7", "LASI", "LHEE", "RHEE"), there, "+Z")[0] == up
    assert find_up_axis(("a", "b", "c", "d"), there, "+Z")[0] == up
    assert find_up_axis(("a", "b", "c", "d"), np.full_like(there, np.nan), "-Y")[0] == "-Y"


# A small file of our own.


def small_c3d(path: Path, *, rate: float = 100.0, unit: str = "mm", kind: int = 2, channel_sign: float = 1.0) -> Path:
    import c3d as package

    writer = package.Writer(point_rate=rate, analog_rate=2 * rate, point_units=unit.ljust(4))
    calibration = some_calibration() if kind == 4 else None
    origin = np.array([0.15, 0.2, -0.04])
    # SI to N and N mm; the points below are in mm.
    row = channels_of(kind, origin, calibration)
    row = row * (np.repeat((1.0, 1e3), 3) if kind in (1, 2) else 1.0)
    # A type 1 plate that records the opposite force still records the same point.
    row = row * np.where(np.isin(np.arange(len(row)), (3, 4)) & (kind == 1), 1.0, channel_sign)
    for frame in range(30):
        points = np.zeros((3, 5), np.float32)
        points[:, :3] = [[100 * frame, 20, 1500], [100 * frame, 20, 1000], [100 * frame, 20, 50]]
        points[2, 3] = -1.0 if frame == 7 else 0.0
        load = np.zeros(len(row)) if frame < 10 else row
        drift = np.zeros(len(row)) if kind == 1 else 0.1 * np.arange(len(row))
        writer.add_frames((points, np.repeat((load + drift)[:, None], 2, axis=1)))
    writer.set_point_labels(["CLAV", "SACR", "LHEE"])
    writer.set_analog_labels(["F"] * len(row))
    plates = writer.add_group(writer.numeric_key_next, "FORCE_PLATFORM", "")
    corners = np.array([[200, 300, 0], [200, -300, 0], [-200, -300, 0], [-200, 300, 0]], np.float32)
    plates.add("USED", "", 2, "<h", 1)
    plates.add("TYPE", "", 2, "<h", struct.pack("<h", kind), 1)
    plates.add("ZERO", "", 2, "<h", struct.pack("<2h", 0, 10), 2)
    plates.add("CORNERS", "", 4, "<f", corners.tobytes(), 3, 4, 1)
    plates.add("ORIGIN", "", 4, "<f", (1e3 * origin).astype(np.float32).tobytes(), 3, 1)
    plates.add("CHANNEL", "", 2, "<h", struct.pack(f"<{len(row)}h", *range(1, len(row) + 1)), len(row), 1)
    if calibration is not None:
        in_file = calibration * np.repeat((1.0, 1e3), 3)[:, None]
        plates.add("CAL_MATRIX", "", 4, "<f", in_file.T.astype(np.float32).tobytes(), 6, 6, 1)
    with path.open("wb") as handle:
        writer.write(handle)
    return path


@pytest.mark.parametrize("channel_sign", [1.0, -1.0])
@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_small_file_of_every_type(tmp_path: Path, kind: int, channel_sign: float) -> None:
    recording = c3d.read_c3d(small_c3d(tmp_path / "small.c3d", kind=kind, channel_sign=channel_sign))
    (plate,) = recording.plates
    axes = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    assert np.isnan(plate.center_of_pressure[:20]).all()
    np.testing.assert_allclose(plate.force[20:], np.tile(axes @ FORCE, (40, 1)), rtol=1e-4)
    np.testing.assert_allclose(plate.center_of_pressure[20:], np.tile(axes @ SURFACE_POINT, (40, 1)), atol=1e-5)
    np.testing.assert_allclose(plate.free_moment[20:], -TWIST, rtol=1e-3)
    assert any("sign reversed" in note for note in recording.notes) == (channel_sign < 0)
    assert recording.analog.labels[:3] == ("F", "F_2", "F_3")


def test_small_file_markers(tmp_path: Path) -> None:
    markers = c3d.read_c3d(small_c3d(tmp_path / "small.c3d")).markers
    assert markers.residuals is not None
    np.testing.assert_allclose(markers.positions[3], [[0.3, 0.02, 1.5], [0.3, 0.02, 1.0], [0.3, 0.02, 0.05]], rtol=1e-6)
    np.testing.assert_array_equal(np.argwhere(np.isnan(markers.positions[:, :, 0])), [[7, 2]])
    np.testing.assert_array_equal(np.isnan(markers.residuals), np.isnan(markers.positions[:, :, 0]))
    in_cm = c3d.read_c3d(small_c3d(tmp_path / "cm.c3d", unit="cm")).markers
    np.testing.assert_allclose(in_cm.positions, 10 * markers.positions, rtol=1e-6)


@pytest.mark.parametrize(
    ("offset", "patch", "problem"),
    [
        (1, b"\x00", "not a C3D file"),
        (0, b"\x00", "damaged C3D"),
        (0, b"\xff", "damaged C3D"),
        (515, b"\x07", "byte order"),
    ],
)
def test_a_damaged_header_is_an_error(tmp_path: Path, offset: int, patch: bytes, problem: str) -> None:
    path = small_c3d(tmp_path / "small.c3d")
    raw = bytearray(path.read_bytes())
    raw[offset : offset + len(patch)] = patch
    path.write_bytes(raw)
    with pytest.raises(InputError, match=problem):
        c3d.read_c3d(path)


@pytest.mark.parametrize("rate", [np.nan, np.inf, 0.0, -50.0])
def test_a_rate_must_be_positive(tmp_path: Path, rate: float) -> None:
    path = small_c3d(tmp_path / "small.c3d")
    raw = path.read_bytes()
    bad, good = struct.pack("<f", rate), struct.pack("<f", 100.0)
    path.write_bytes(raw.replace(good, bad))
    with pytest.raises(InputError):
        c3d.read_c3d(path)


HEADER_FRAMES = 6
"""Position of the first and the last frame in the header."""


def patch_frames(path: Path, *, header: tuple[int, int], parameter: int, trial: tuple[int, int]) -> bytes:
    """Replace every statement of the number of frames: header, POINT:FRAMES and TRIAL:ACTUAL_..._FIELD."""
    raw = bytearray(path.read_bytes())
    struct.pack_into("<2H", raw, HEADER_FRAMES, *header)
    for name, value in (
        (b"\x06\x02FRAMES", struct.pack("<H", parameter)),
        *zip((b"ACTUAL_START_FIELD", b"ACTUAL_END_FIELD"), (struct.pack("<I", n) for n in trial), strict=True),
    ):
        at = raw.index(name) + len(name) + 2  # after the offset: type, number of dimensions, dimensions, data
        data = at + 2 + raw[at + 1]
        raw[data : data + len(value)] = value
    path.write_bytes(raw)
    return bytes(raw)


def cut_padding(path: Path) -> int:
    """Cut the file behind its 30 frames of 3 float points and 2 samples of 6 channels; return bytes per frame."""
    raw = path.read_bytes()
    start, each = 512 * (struct.unpack_from("<H", raw, 16)[0] - 1), 4 * (3 * 4 + 2 * 6)
    path.write_bytes(raw[: start + 30 * each])
    return each


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize(
    ("header", "parameter", "trial"),
    [
        ((1, 30), 30, (1, 30)),
        ((0, 29), 30, (0, 29)),
        ((0, 30), 30, (1, 30)),
        ((1, 30), 31, (0, 29)),
        ((5, 34), 30, (5, 34)),
        ((1, 65535), 65535, (1, 30)),
        ((1, 12), 30, (1, 30)),
    ],
)
def test_header_and_parameters_may_disagree(
    tmp_path: Path, header: tuple[int, int], parameter: int, trial: tuple[int, int], padded: bool
) -> None:
    path = small_c3d(tmp_path / "small.c3d")
    whole = c3d.read_c3d(path).markers.positions
    patch_frames(path, header=header, parameter=parameter, trial=trial)
    if not padded:
        cut_padding(path)
    np.testing.assert_array_equal(c3d.read_c3d(path).markers.positions, whole)


def test_one_frame_fewer_than_declared_is_read_if_the_file_ends_with_it(tmp_path: Path) -> None:
    path = small_c3d(tmp_path / "small.c3d")
    patch_frames(path, header=(0, 30), parameter=31, trial=(0, 30))
    cut_padding(path)
    assert len(c3d.read_c3d(path).markers) == 30


def test_more_frames_than_bytes(tmp_path: Path) -> None:
    """TRIAL:ACTUAL_END_FIELD can declare four billion frames: refused before anything is allocated."""
    path = small_c3d(tmp_path / "small.c3d")
    patch_frames(path, header=(1, 65535), parameter=65535, trial=(1, 2**32 - 1))
    with pytest.raises(InputError, match="declares 4294967295 frames"):
        c3d.read_c3d(path)


@pytest.mark.parametrize("missing", [1, 95, 97, 5 * 96])
def test_a_cut_file_is_refused(tmp_path: Path, missing: int) -> None:
    path = small_c3d(tmp_path / "small.c3d")
    patch_frames(path, header=(0, 29), parameter=30, trial=(0, 30))
    assert cut_padding(path) == 96
    path.write_bytes(path.read_bytes()[:-missing])
    with pytest.raises(InputError, match=r"the file was cut: it declares 31 frames and has room for 2\d"):
        c3d.read_c3d(path)


@pytest.mark.parametrize(
    ("offset", "patch"), [(20, struct.pack("<f", np.nan)), (20, struct.pack("<f", -100.0)), (4, b"\x07\x00")]
)
def test_parameters_have_precedence_over_the_header(tmp_path: Path, offset: int, patch: bytes) -> None:
    path = small_c3d(tmp_path / "small.c3d")
    whole = c3d.read_c3d(path)
    raw = bytearray(path.read_bytes())
    raw[offset : offset + len(patch)] = patch
    path.write_bytes(raw)
    again = c3d.read_c3d(path)
    assert again.markers.frame_time == 0.01
    np.testing.assert_array_equal(again.markers.positions, whole.markers.positions)


def test_an_unknown_unit_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="mm, cm"):
        c3d.read_c3d(small_c3d(tmp_path / "small.c3d", unit="ell"))


@pytest.mark.parametrize(
    "content", [b"", b"\x02\x50", b"not a C3D file" * 100, bytes(range(256)) * 8, b"\x02\x50" * 2000]
)
def test_what_is_no_c3d(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.c3d"
    path.write_bytes(content)
    with pytest.raises(InputError):
        c3d.read_c3d(path)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.c3d", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            c3d.read_c3d(path)


def read_or_refuse(path: Path) -> Recording | InputError:
    try:
        return c3d.read_c3d(path)
    except InputError as error:
        return error


def check_outcome(outcome: Recording | InputError) -> None:
    if isinstance(outcome, InputError):
        assert outcome.file is not None
        return
    markers = outcome.markers
    assert markers.positions.shape == (len(markers), len(markers.names), 3)
    assert all(len(plate.force) == len(outcome.analog) for plate in outcome.plates)


EDITS = st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=8)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=EDITS, kept=st.floats(0.0, 1.0) | st.just(1.0))
@pytest.mark.parametrize("file", ["sample01__Eb015pr.c3d", "Gait.c3d", "PiG_Motion3_FF.c3d"])
def test_mutated_real_files(data: Path, tmp_path: Path, file: str, edits: list[tuple[int, int]], kept: float) -> None:
    raw = bytearray((data / "gait_grf" / "btk_c3d" / file).read_bytes())
    for place, value in edits:
        raw[place] = value
    path = tmp_path / "mutated.c3d"
    path.write_bytes(raw[: int(kept * len(raw))])
    check_outcome(read_or_refuse(path))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits=st.lists(st.tuples(st.integers(0, 1600), st.integers(0, 255)), min_size=1, max_size=5))
def test_mutated_small_file(tmp_path: Path, edits: list[tuple[int, int]]) -> None:
    small = tmp_path / "small.c3d"
    if not small.exists():
        small_c3d(small, kind=4)
    raw = bytearray(small.read_bytes())
    for place, value in edits:
        raw[place] = value
    path = tmp_path / "mutated.c3d"
    path.write_bytes(raw)
    check_outcome(read_or_refuse(path))
