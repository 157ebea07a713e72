"""TRC, MOT, STO and FORCES: real files, exact round trips, ragged rows, and wrong headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gambol.errors import InputError
from gambol.io import opensim
from gambol.motion.marker_names import find_marker_parts
from gambol.motion.recording import ForcePlate, Markers, Table

TABLES = [
    "opensim_core_c3d_walking/std_cop_walking2_grfs.sto",
    "opensim_core_c3d_walking/std_walking2_grfs.sto",
    "opensim_rajagopal_walk_fullbody/coordinates.sto",
    "opensim_rajagopal_walk_fullbody/grf_walk.mot",
    "opensim_rajagopal_walk_fullbody/id_walk.sto",
]
MARKERS = {
    "bmclab/walk1.trc": (364, 28, 1 / 150),
    "bmclab/walk2.trc": (251, 28, 1 / 150),
    "opensim_core_c3d_walking/std_walking2_markers.trc": (126, 44, 0.04),
    "opensim_rajagopal_walk_fullbody/markers_walk.trc": (238, 41, 0.01),
}
TRC = (
    "PathFileType\t4\t(X/Y/Z)\tx.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    "100\t\t100\t\t3\t\t2\t\tmm\t100\t1\t3\n"
    "Frame#\tTime\tL.ASIS\t\t\tL.Heel\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.00\t10\t1000\t20\t30\t50\t40\n"
    "2\t0.01\t\t\t\t31\t51\t41\n"
    "3\t0.02\t12\t1002\t22\n"
)
STO = "walk\nversion=1\nAngles are in degrees.\nnRows=2\nnColumns=3\nendheader\ntime\ta\tb c\n0\t1\t2\n0.5\t3\tnan\n"


def written(tmp_path: Path, text: str, name: str = "x.trc") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("file", MARKERS)
def test_real_markers_stand_on_the_floor(data: Path, file: str) -> None:
    markers = opensim.read_trc(data / "gait_grf" / file)
    frames, count, frame_time = MARKERS[file]
    assert markers.positions.shape == (frames, count, 3)
    assert markers.frame_time == pytest.approx(frame_time, rel=1e-12)
    heights = np.nanmedian(markers.positions[:, :, 2], axis=0)
    parts = find_marker_parts(markers.names)
    foot = np.mean([h for n, h in zip(markers.names, heights, strict=True) if parts.get(n, "").endswith("foot")])
    pelvis = np.mean([h for n, h in zip(markers.names, heights, strict=True) if parts.get(n) == "pelvis"])
    assert 0.0 < foot < 0.2
    assert 0.85 < pelvis < 1.15
    assert np.nanmin(markers.positions[:, :, 2]) > -0.01


@pytest.mark.parametrize("file", ["bmclab/walk2.trc", "opensim_rajagopal_walk_fullbody/markers_walk.trc"])
def test_y_up_becomes_x_forward_y_left(data: Path, file: str) -> None:
    """Not bmclab/walk1, whose markers have the names of the other side."""
    markers = opensim.read_trc(data / "gait_grf" / file)
    left, right = (markers.positions[:, markers.names.index(f"{side}.ASIS")] for side in "LR")
    assert left[-1, 0] - left[0, 0] > 1.0
    assert (left[:, 1] > right[:, 1]).all()


def test_marker_gaps_and_doubled_tabs(tmp_path: Path) -> None:
    markers = opensim.read_trc(written(tmp_path, TRC))
    assert markers.names == ("L.ASIS", "L.Heel")
    nan = [np.nan] * 3
    np.testing.assert_allclose(
        markers.positions,
        [
            [[0.01, -0.02, 1.0], [0.03, -0.04, 0.05]],
            [nan, [0.031, -0.041, 0.051]],
            [[0.012, -0.022, 1.002], nan],
        ],
    )
    np.testing.assert_allclose(markers.missing, [1 / 3, 1 / 3])


@pytest.mark.parametrize(("unit", "factor"), [("cm", 10.0), ("m", 1000.0)])
def test_marker_units(tmp_path: Path, unit: str, factor: float) -> None:
    usual = opensim.read_trc(written(tmp_path, TRC)).positions
    other = opensim.read_trc(written(tmp_path, TRC.replace("\tmm\t", f"\t{unit}\t"))).positions
    np.testing.assert_allclose(other, factor * usual)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("\t3\t\t2", "\t1000000000\t\t2", "NumFrames is 1000000000, but there are 3"),
        ("\t3\t\t2", "\t3\t\t1000000000", "NumMarkers is 1000000000, but 2"),
        ("\t3\t\t2", "\tnan\t\t2", "NumFrames must be"),
        ("100\t\t100", "0\t\t100", "DataRate must be"),
        ("100\t\t100", "-5\t\t100", "DataRate must be"),
        ("100\t\t100", "nan\t\t100", "DataRate must be"),
        ("100\t\t100", "inf\t\t100", "DataRate must be"),
        ("\tmm\t", "\tell\t", "known units: mm, cm"),
        ("1002", "much", "line 9: a cell is not a number"),
        ("1000\t20\t30\t50\t40", "1000\t20\t30\t50\t40\t60", "line 7: 9 cells"),
        ("PathFileType", "Something", "not a TRC"),
    ],
)
def test_trc_with_a_wrong_header(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in TRC
    with pytest.raises(InputError, match=problem):
        opensim.read_trc(written(tmp_path, TRC.replace(old, new, 1)))


def test_many_names_and_no_data_allocate_nothing(tmp_path: Path) -> None:
    names = "\t".join(f"m{i}" for i in range(200_000))
    head = TRC.split("\n")
    rows = "\n".join("1" for _ in range(100_000))
    text = "\n".join([*head[:2], "100 100 100000 200000 mm", f"Frame#\tTime\t{names}", "", rows])
    with pytest.raises(InputError, match="rows have far fewer"):
        opensim.read_trc(written(tmp_path, text))


@pytest.mark.parametrize("file", TABLES)
def test_real_tables_survive_a_round_trip(data: Path, tmp_path: Path, file: str) -> None:
    table = opensim.read_table(data / "gait_grf" / file)
    same(opensim.read_table(written(tmp_path, opensim.format_sto(table), "again.sto")), table)


def same(one: Table, other: Table) -> None:
    assert (one.labels, one.name, dict(one.header)) == (other.labels, other.name, dict(other.header))
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.times, other.times)


def test_old_and_new_headers(data: Path, tmp_path: Path) -> None:
    old = opensim.read_table(data / "gait_grf" / TABLES[0])
    assert (old.name, len(old), old.labels[:2]) == ("ds_std_cop_walking2_grfs.sto", 101, ("f1_1", "f1_2"))
    new = opensim.read_table(written(tmp_path, STO, "x.sto"))
    assert (new.name, new.labels) == ("walk", ("a", "b c"))
    assert new.header == {"version": "1", "Angles are in degrees.": ""}
    np.testing.assert_array_equal(new.values, [[1.0, 2.0], [3.0, np.nan]])
    np.testing.assert_array_equal(new["a"], [1.0, 3.0])


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    values=hnp.arrays(float, st.tuples(st.integers(1, 6), st.integers(0, 4)), elements=st.floats()),
    name=st.text("abc =_.", min_size=1, max_size=8).filter(lambda n: n.strip() and not n.startswith("=")),
)
def test_any_numbers_survive_a_round_trip(tmp_path: Path, values: np.ndarray, name: str) -> None:
    table = Table(
        labels=tuple(f"joint {i}, deg" for i in range(values.shape[1])),
        values=values,
        times=np.cumsum(np.full(len(values), 0.1)),
        header={"inDegrees": "yes", "a note": "", "nRows": "77"},
        name=" ".join(name.split()),
    )
    again = opensim.read_table(written(tmp_path, opensim.format_sto(table), "x.sto"))
    np.testing.assert_array_equal(again.values, table.values)
    np.testing.assert_array_equal(again.times, table.times)
    assert (again.labels, again.name) == (table.labels, table.name)
    assert again.header == {"inDegrees": "yes", "a note": ""}


def test_csv(tmp_path: Path) -> None:
    table = opensim.read_table(written(tmp_path, STO, "x.sto"))
    lines = opensim.format_csv(table).split("\n")
    assert lines[:3] == ["# name=walk", "# version=1", "# Angles are in degrees."]
    assert lines[3:] == ["time,a,b c", "0.0,1.0,2.0", "0.5,3.0,nan", ""]
    quoted = Table(("x,y",), np.ones((1, 1)), np.zeros(1))
    assert '"x,y"' in opensim.format_csv(quoted)


def test_labels_that_cannot_be_written() -> None:
    with pytest.raises(InputError, match="invalid column name"):
        opensim.format_sto(Table(("a\tb",), np.ones((1, 1)), np.zeros(1)))


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("nRows=2", "nRows=1000000000", "declares 1000000000 rows, but there are 2"),
        ("nRows=2", "datarows 3", "declares 3 rows, but there are 2"),
        ("endheader", "end", "no line 'endheader'"),
        ("time\ta", "a\ttime", "first column must be 'time'"),
        ("b c", "a", "names must be unique"),
        ("\t3\tnan", "\t3", "line 9: 2 cells, expected 3"),
        ("\t3\tnan", "\tx\tnan", "line 9: a cell is not a number"),
        ("0\t1\t2", "nan\t1\t2", "not a finite number"),
        ("0\t1\t2\n0.5\t3\tnan\n", "", "declares 2 rows, but there are 0"),
    ],
)
def test_table_with_a_wrong_header(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in STO
    with pytest.raises(InputError, match=problem):
        opensim.read_table(written(tmp_path, STO.replace(old, new, 1), "x.sto"))


@pytest.mark.parametrize(
    "content", [b"", b"\n\n\n", b"\0\1\2" * 99, b"\xff\xfe\xfd" * 99, b"endheader", b"endheader\n"]
)
@pytest.mark.parametrize("reader", [opensim.read_trc, opensim.read_table, opensim.read_forces])
def test_what_is_none_of_these(tmp_path: Path, content: bytes, reader: Callable[[Path], object]) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(InputError):
        reader(path)
    with pytest.raises(InputError, match="cannot be read"):
        reader(tmp_path / "none")


@pytest.mark.parametrize("trial", ["walk1", "walk2"])
def test_forces_file_is_under_the_feet(data: Path, trial: str) -> None:
    plates = opensim.read_forces(data / "gait_grf" / "bmclab" / f"{trial}.forces")
    markers = opensim.read_trc(data / "gait_grf" / "bmclab" / f"{trial}.trc")
    parts = find_marker_parts(markers.names)
    feet = [i for i, name in enumerate(markers.names) if parts[name].endswith("foot")]
    assert len(plates) == 7
    stepped = 0
    for plate in plates:
        step = round(markers.frame_time / plate.frame_time)
        stance = plate.force[::step, 2] > 400.0
        away = markers.positions[stance][:, feet, :2] - plate.center_of_pressure[::step][stance][:, None, :2]
        assert (np.linalg.norm(away, axis=2).min(axis=1) < 0.11).all()
        assert plate.force[:, 2].min() > -1.0
        stepped += int(stance.any())
    assert stepped >= 3
    assert 700.0 < max(plate.force[:, 2].max() for plate in plates) < 900.0


Outcome = Markers | Table | tuple[ForcePlate, ...]


def read_or_refuse(reader: Callable[[Path], Outcome], path: Path) -> Outcome | InputError:
    try:
        return reader(path)
    except InputError as error:
        return error


def check_outcome(outcome: Outcome | InputError) -> None:
    if isinstance(outcome, InputError):
        assert outcome.file is not None
    else:
        assert len(outcome) > 0


CHANGES = st.lists(
    st.tuples(st.sampled_from(["drop", "cut", "double", "byte"]), st.floats(0.0, 1.0), st.integers(0, 255)),
    max_size=5,
)


def changed(raw: bytes, changes: list[tuple[str, float, int]]) -> bytes:
    lines = raw.split(b"\n")
    for what, where, value in changes:
        # Half of all changes fall on the first ten lines, where the header is.
        at = int(where * 20) if where < 0.5 else int(where * (len(lines) - 1))
        at = min(at, len(lines) - 1)
        if what == "drop" and len(lines) > 1:
            del lines[at]
        elif what == "cut":
            lines = lines[: at + 1]
        elif what == "double":
            lines.insert(at, lines[at])
        elif lines[at]:
            place = value % len(lines[at])
            lines[at] = lines[at][:place] + bytes([value]) + lines[at][place + 1 :]
    return b"\n".join(lines)


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=CHANGES)
@pytest.mark.parametrize("file", ["bmclab/walk2.trc", "opensim_core_c3d_walking/std_walking2_markers.trc"])
def test_mutated_markers(data: Path, tmp_path: Path, file: str, changes: list[tuple[str, float, int]]) -> None:
    path = tmp_path / "x.trc"
    path.write_bytes(changed((data / "gait_grf" / file).read_bytes(), changes))
    check_outcome(read_or_refuse(opensim.read_trc, path))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=CHANGES)
@pytest.mark.parametrize("file", [TABLES[0], "bmclab/walk2.forces"])
def test_mutated_tables(data: Path, tmp_path: Path, file: str, changes: list[tuple[str, float, int]]) -> None:
    path = tmp_path / "x.sto"
    path.write_bytes(changed((data / "gait_grf" / file).read_bytes(), changes))
    reader = opensim.read_forces if file.endswith("forces") else opensim.read_table
    check_outcome(read_or_refuse(reader, path))
