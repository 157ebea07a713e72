"""Coordinates of OpenSim models: positions computed by hand, both kinds of model files, and markers of a real walk."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.io import holds_motion, load_markers
from gambol.io.coordinates import find_model, read_coordinates
from gambol.io.osim import read_model
from gambol.motion.motion import Motion

IDENTITY = "<LinearFunction><coefficients>1 0</coefficients></LinearFunction>"
NOTHING = "<Constant><value>0</value></Constant>"
KNEE = (
    "<MultiplierFunction><function><SimmSpline><x>-2 -1 0 1</x><y>-0.40 -0.43 -0.44 -0.43</y></SimmSpline></function>"
    "<scale>0.5</scale></MultiplierFunction>"
)
PARTS = {
    "pelvis": ("ground", (0, 0, 0)), "torso": ("pelvis", (-0.1, 0.1, 0)),
    "femur_l": ("pelvis", (0, -0.1, -0.1)), "tibia_l": ("femur_l", (0, -0.2, 0)), "talus_l": ("tibia_l", (0, -0.4, 0)),
    "femur_r": ("pelvis", (0, -0.1, 0.1)), "tibia_r": ("femur_r", (0, -0.2, 0)), "talus_r": ("tibia_r", (0, -0.4, 0)),
    "toes_l": ("talus_l", (0.15, -0.05, 0)), "toes_r": ("talus_r", (0.15, -0.05, 0)),
}  # fmt: skip


def transform(body: str) -> str:
    """What moves a body: the pelvis in six ways, a knee that slides as it bends, other joints about z."""
    moves = {"rotation1": (f"{body}_angle", "0 0 1", IDENTITY)}
    if body == "pelvis":
        for n, axis in enumerate(("1 0 0", "0 1 0", "0 0 1"), start=1):
            moves[f"translation{n}"] = (f"pelvis_t{'xyz'[n - 1]}", axis, IDENTITY)
    if body.startswith("tibia"):
        moves["translation2"] = (f"{body}_angle", "0 1 0", KNEE)
    moves.setdefault("rotation2", ("", "1 0 0", NOTHING))
    return "".join(
        f'<TransformAxis name="{name}"><coordinates>{coordinate}</coordinates><axis>{axis}</axis>'
        f"<function>{function}</function></TransformAxis>"
        for name, (coordinate, axis, function) in moves.items()
    )


def list_coordinates(body: str) -> list[str]:
    return [f"{body}_angle"] + ([f"pelvis_t{axis}" for axis in "xyz"] if body == "pelvis" else [])


def write_model(path: Path, version: int) -> Path:
    bodies, joints = [], []
    for body, (parent, offset) in PARTS.items():
        place = " ".join(map(str, offset))
        names = "".join(
            f'<Coordinate name="{c}"><default_value>0</default_value></Coordinate>' for c in list_coordinates(body)
        )
        moves = f"<SpatialTransform>{transform(body)}</SpatialTransform>"
        old = (
            f'<Joint><CustomJoint name="j"><parent_body>{parent}</parent_body><location_in_parent>{place}'
            "</location_in_parent><orientation_in_parent>0 0 0</orientation_in_parent><location>0 0 0</location>"
            f"<orientation>0 0 0</orientation><CoordinateSet><objects>{names}</objects></CoordinateSet>{moves}"
            "</CustomJoint></Joint>"
        )
        bodies.append(f'<Body name="{body}"><mass_center>0 0 0</mass_center>{old if version < 4 else ""}</Body>')
        joints.append(
            f'<CustomJoint name="{body}_joint"><socket_parent_frame>above</socket_parent_frame>'
            f"<socket_child_frame>/bodyset/{body}</socket_child_frame><coordinates>{names}</coordinates><frames>"
            f'<PhysicalOffsetFrame name="above"><socket_parent>/bodyset/{parent}</socket_parent>'
            f"<translation>{place}</translation><orientation>0 0 0</orientation></PhysicalOffsetFrame></frames>{moves}"
            "</CustomJoint>"
        )
    listed = f"<JointSet><objects>{''.join(joints)}</objects></JointSet>" if version >= 4 else ""
    path.write_text(
        f'<OpenSimDocument Version="{version}0000"><Model><BodySet><objects>{"".join(bodies)}</objects></BodySet>'
        f"{listed}</Model></OpenSimDocument>"
    )
    return path


def write_table(path: Path, columns: dict[str, list[float]], header: str = "inDegrees=yes") -> Path:
    rows = np.array([np.arange(len(next(iter(columns.values())))) * 0.01, *columns.values()]).T
    lines = "\n".join("\t".join(map(repr, row)) for row in rows.tolist())
    path.write_text(f"walk\n{header}\nendheader\ntime\t" + "\t".join(columns) + f"\n{lines}\n")
    return path


def find(motion: Motion, name: str, frame: int) -> np.ndarray:
    return motion.placement.positions[frame, motion.skeleton.index(name)]


@pytest.fixture(params=[3, 4])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_model(tmp_path / "person.osim", request.param)


def test_positions_are_as_computed_by_hand(model: Path, tmp_path: Path) -> None:
    table = write_table(
        tmp_path / "walk.mot",
        {"pelvis_tx": [0, 1], "pelvis_ty": [1, 1], "femur_l_angle": [0, 90], "tibia_l_angle": [0, np.degrees(-1.0)]},
    )
    (motion,) = read_coordinates(table, model)
    assert find(motion, "femur_l", 0) == pytest.approx([0, 0.9, -0.1])
    # The knee is 0.2 m below the hip and slides by half of 0.44 m; bent by 1 rad, by half of 0.43 m.
    assert find(motion, "tibia_l", 0) == pytest.approx([0, 0.9 - 0.2 - 0.22, -0.1])
    assert find(motion, "talus_l", 0) == pytest.approx([0, 0.9 - 0.42 - 0.4, -0.1])
    # The thigh turned by 90 degrees about z points forward, and the shank by 1 rad less.
    knee = np.array([1.0 + 0.2 + 0.215, 0.9, -0.1])
    assert find(motion, "tibia_l", 1) == pytest.approx(knee)
    down = np.array([np.sin(np.pi / 2 - 1.0), -np.cos(np.pi / 2 - 1.0), 0.0])
    assert find(motion, "talus_l", 1) == pytest.approx(knee + 0.4 * down)
    assert find(motion, "talus_r", 1) == pytest.approx([1.0, 0.9 - 0.42 - 0.4, 0.1])


def test_radians_paths_and_speeds(model: Path, tmp_path: Path) -> None:
    degrees = write_table(tmp_path / "a.mot", {"femur_l_angle": [10, 40], "pelvis_tx": [0, 1]})
    radians = write_table(
        tmp_path / "b.sto",
        {
            "/jointset/femur_l_joint/femur_l_angle/value": [np.radians(10), np.radians(40)],
            "/jointset/femur_l_joint/femur_l_angle/speed": [5, 5],
            "/jointset/pelvis_joint/pelvis_tx/value": [0, 1],
        },
        "inDegrees=no",
    )
    one, other = read_coordinates(degrees, model)[0], read_coordinates(radians, model)[0]
    assert one.placement.positions == pytest.approx(other.placement.positions)
    assert "tibia_l_angle" in one.notes[0]


def test_a_model_without_arms_becomes_a_person(model: Path, tmp_path: Path) -> None:
    sway = np.linspace(0, 1, 40)
    table = write_table(
        tmp_path / "person_walk.mot", {"pelvis_tx": [*sway], "pelvis_ty": [0.95] * 40, "femur_l_angle": [*(30 * sway)]}
    )
    motion = load(table)  # the model is the only one beside it
    assert motion.rig is not None
    assert any("no head and arms: estimated" in note for note in motion.notes)
    up = motion.placement.positions[0, :, 2]
    names = motion.skeleton.names
    assert (
        up[names.index("head_end")] > up[names.index("head")] > up[names.index("humerus_l")] > up[names.index("hand_l")]
    )
    left, right = (motion.placement.positions[0, names.index(f"humerus_{side}"), 1] for side in "lr")
    assert left > right


def test_tables_that_are_no_coordinates_stay_tables(model: Path, tmp_path: Path) -> None:
    forces = write_table(tmp_path / "grf.mot", {"ground_force_vx": [0, 1], "ground_force_vy": [1, 1]})
    assert find_model(forces) is None
    assert not holds_motion(forces)
    with pytest.raises(InputError, match=r"none of its columns is a coordinate of person\.osim"):
        load(forces, skeleton=model)
    with pytest.raises(InputError, match="--osim"):
        load(forces)


def write_frame(name: str, body: str, place: str, angles: str) -> str:
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>/bodyset/{body}</socket_parent>'
        f"<translation>{place}</translation><orientation>{angles}</orientation></PhysicalOffsetFrame>"
    )


def test_couplings_offsets_and_curves(tmp_path: Path) -> None:
    """A weld that is turned and shifted on both sides, a pin, and a coordinate that doubles another."""
    half = np.pi / 2
    joints = (
        "<PinJoint name='a'><socket_parent_frame>/ground</socket_parent_frame><socket_child_frame>/bodyset/one"
        "</socket_child_frame><coordinates><Coordinate name='turn'><default_value>0</default_value></Coordinate>"
        "</coordinates></PinJoint>"
        "<WeldJoint name='b'><socket_parent_frame>p</socket_parent_frame><socket_child_frame>c</socket_child_frame>"
        f"<frames>{write_frame('p', 'one', '1 0 0', f'0 0 {half}')}"
        f"{write_frame('c', 'two', '0 -1 0', '0 0 0')}</frames></WeldJoint>"
        "<SliderJoint name='d'><socket_parent_frame>q</socket_parent_frame>"
        f"<socket_child_frame>/bodyset/three</socket_child_frame>"
        f"<frames>{write_frame('q', 'two', '0 0 0', f'0 0 {half}')}</frames><coordinates>"
        "<Coordinate name='slide'><default_value>0</default_value></Coordinate>"
        "</coordinates></SliderJoint>"
    )
    coupling = (
        "<CoordinateCouplerConstraint><coupled_coordinates_function>"
        "<PolynomialFunction><coefficients>3 0 0</coefficients>"
        "</PolynomialFunction></coupled_coordinates_function><independent_coordinate_names>turn"
        "</independent_coordinate_names><dependent_coordinate_name>slide</dependent_coordinate_name>"
        "<scale_factor>2</scale_factor></CoordinateCouplerConstraint>"
    )
    model = tmp_path / "m.osim"
    model.write_text(
        f"<OpenSimDocument><Model><JointSet><objects>{joints}</objects></JointSet><ConstraintSet><objects>{coupling}"
        "</objects></ConstraintSet></Model></OpenSimDocument>"
    )
    (motion,) = read_coordinates(write_table(tmp_path / "t.mot", {"turn": [0, half]}, "inDegrees=no"), model)
    # Body two: 1 m ahead of body one, turned by 90 degrees; its origin is 1 m along its own y from the joint's frame.
    # The slider starts there: at (1, 0) + turned (0, 1) = (0, 0), and moves along its x by 2 * 3 * turn²,
    # which is turned by 90 degrees three times: the pin, the weld, and the slider's frame.
    assert find(motion, "three", 0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    assert find(motion, "three", 1) == pytest.approx([0.0, -6 * half**2, 0.0], abs=1e-12)


JOINT = (
    "<M><JointSet><objects><WeldJoint><frames><F name='x'>{}</F></frames>"
    "<socket_parent_frame>x</socket_parent_frame></WeldJoint></objects></JointSet></M>"
)
OLD_JOINT = "<M><BodySet><objects><Body name='b'><Joint>{}</Joint></Body></objects></BodySet></M>"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<OpenSim", "not an OpenSim model"),
        ("<a/>", "no joints"),
        (OLD_JOINT.format("<MagicJoint name='j'/>"), "MagicJoint"),
        (JOINT.format("<translation>1 2</translation>"), "three numbers"),
        (JOINT.format("<socket_parent>x</socket_parent>"), "fixed in itself"),
    ],
)
def test_bad_models_are_named_in_one_line(tmp_path: Path, text: str, says: str) -> None:
    model = tmp_path / "bad.osim"
    model.write_text(text)
    with pytest.raises(InputError, match=says):
        read_model(model)


def test_rows_that_are_not_even_are_resampled(model: Path, tmp_path: Path) -> None:
    table = tmp_path / "walk.mot"
    table.write_text("walk\ninDegrees=no\nendheader\ntime\tpelvis_tx\n0\t0\n0.1\t1\n0.2\t2\n0.35\t3.5\n0.4\t4\n")
    (motion,) = read_coordinates(table, model)
    assert motion.frame_time == pytest.approx(0.1)
    assert motion.placement.positions[:, 0, 0] == pytest.approx([0, 1, 2, 3, 4])
    assert "resampled" in motion.notes[0]


def test_markers_of_a_walk_are_where_its_model_has_them(data: Path) -> None:
    """Kinematics that OpenSim solved, against the recording it solved them from; a walk of 85 kg, 1.8 m."""
    folder = data / "gait_grf" / "opensim_rajagopal_walk_fullbody"
    motion, markers = load(folder / "coordinates.sto"), load_markers(folder / "markers_walk.trc")
    model = read_model(folder / "subject_walk_scaled.osim")
    begin, seen = 0.45, range(45, 180, 5)
    frames = [round((frame * markers.frame_time - begin) / motion.frame_time) for frame in seen]
    apart = []
    for element in ElementTree.parse(folder / "subject_walk_scaled.osim").getroot().iter("Marker"):
        body = (element.findtext("socket_parent_frame") or "").rsplit("/", 1)[-1]
        if element.get("name") not in markers.names or body.startswith(("toes", "radius")):
            continue
        on_joint = model.joints[body].in_child.invert()
        at = np.array([float(word) for word in (element.findtext("location") or "").split()])
        local = motion.origin.axes @ (on_joint.position + quat.rotate(on_joint.rotation, at))
        joint = motion.skeleton.index(body)
        places = motion.placement.positions[frames, joint] + quat.rotate(
            motion.placement.rotations[frames, joint], local
        )
        apart.append(
            np.linalg.norm(places - markers.positions[list(seen), markers.names.index(element.get("name", ""))], axis=1)
        )
    assert len(apart) > 30
    assert np.median(apart) < 0.03
    assert np.max(apart) < 0.07
