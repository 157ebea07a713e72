"""Every function that reads a file, with small valid files that gambol or these tests write."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from gambol.io import load_recording, read_mapping, read_motions, samples, save
from gambol.io.models import save_model
from gambol.io.packed import digest
from tests.hostile import uses
from tests.hostile.mutate import (
    Mutation,
    mutate_bytes,
    mutate_glb,
    mutate_json,
    mutate_lines,
    mutate_npz,
    mutate_text,
    mutate_yaml,
)
from tests.hostile.trial import Reader

ASF = """:version 1.10
:name made
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name lfemur
    direction 0.34 -0.94 0
    length 7.2
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
    id 2
    name ltibia
    direction 0.34 -0.94 0
    length 7.4
    axis 0 0 20 XYZ
    dof rx
    limits (-10.0 170.0)
  end
:hierarchy
  begin
    root lfemur
    lfemur ltibia
  end
"""
AMC = "#!OML:ASF\n:FULLY-SPECIFIED\n:DEGREES\n" + "".join(
    f"{n}\nroot 9.3 17.8 {n}.5 -2 1.5 0.1\nlfemur 2.3 {n} 1.5\nltibia {n}.2\n" for n in range(1, 6)
)
HAND = "x,y,z\n" + "".join(f"{0.01 * n},0.2,{1.0 + 0.01 * n}\n" for n in range(12)) + "nan,,null\n"
MANIFEST = (
    '{"member": 0, "key": "a", "status": "kept", "file": "000.npz", "stride": 1.1, "clearance_cm": null}\n'
    '{"member": 1, "key": "b", "status": "no solution", "file": null, "stride": 0.9, "clearance_cm": 2.5}\n'
)
PUSHES = (
    "- {body: head, force: [0, 60, 0], start: 1.0, duration: 0.2}\n"
    "- {body: chest, force: [9, 0, 0], start: 2, point: [0, 0, 0]}\n"
)
RIG = "pelvis: Hips\nspine: Spine\nhead: Head\nleft_thigh: LeftUpLeg\nright_thigh: RightUpLeg\nneck:\n"
ROBOT_MAP = """robot: made.xml
up: [0, 0, 1]
facing: [1, 0, 0]
chest: trunk
left_thigh: left_thigh
left_shank: left_shank
left_foot: left_foot
left_upper_arm: left_arm
left_forearm: left_forearm
right_thigh: right_thigh
right_shank: right_shank
right_foot: right_foot
right_upper_arm: right_arm
right_forearm: right_forearm
left_sole: [[-0.1, 0.05, -0.1], [-0.1, -0.05, -0.1], [0.1, 0.05, -0.1], [0.1, -0.05, -0.1]]
"""
CONTACTS = (
    "contacts:\n  - {part: left_ball, start: 0.1, end: 0.5, kind: fixed, place: [0.1, 0.1, 0.0]}\n"
    "  - {part: pelvis, start: 0.1, end: 0.5, kind: sliding, along: [1, 0, 0], surface: bar, grip: true}\n"
    "flights:\n  - {start: 0.5, end: 0.9}\n"
)
STREAM = '{"pushes": [{"body": "head", "force": [0, 60, 0]}]}\n{"target": {"lean": 1}}\n{}\n'
TASK = (
    "clip: walk\nstart: 0.2\nend: 1.5\nstride: 1.2\nslope: 6\nskate: true\nchanges: [{stage: left step 2, left: 0.1}]\n"
    "load: {right_hand: 3}\nshoes: 40\nlock: {left_shank flexion: 10}\n"
)
URDF = """<robot name="r"><link name="base"><inertial><mass value="2"/><origin xyz="0 0 0" rpy="0 0 0"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="arm"><inertial>
<mass value="1"/><origin xyz="0 0 0.1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.5" rpy="0 0.1 0"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="3"/></joint></robot>
"""


def _files(suffix: str, *texts: str | bytes, **beside: str) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        for name, text in beside.items():
            (folder / name.replace("_", ".")).write_text(text)
        made = []
        for number, text in enumerate(texts):
            path = folder / f"seed{number}{suffix}"
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            made.append(path)
        return made

    return write


def _library(folder: Path, *names: str) -> Callable[[Path], list[Path]]:
    found = [folder / name for name in names] if names else sorted(folder.glob("*.yaml"))
    return lambda _: found


def _write_clips(suffix: str, folder: Path) -> list[Path]:
    from tests.io.test_gltf import arm
    from tests.motion.bodies import person, standing

    paths = [folder / f"person{suffix}", folder / f"arm{suffix}"]
    save(standing(person())[:4], paths[0])
    save(arm(4), paths[1])
    return paths


def _write_vrm(folder: Path) -> list[Path]:
    """A GLB with the bones that VRM 1.0 names."""
    import json
    import struct

    (path, _) = _write_clips(".glb", folder)
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20 : 20 + length])
    nodes = {node.get("name"): n for n, node in enumerate(document["nodes"])}
    bones = {"hips": "pelvis", "head": "head", "leftUpperLeg": "left_thigh", "rightUpperLeg": "right_thigh"}
    human = {"humanBones": {bone: {"node": nodes[name]} for bone, name in bones.items()}}
    document["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "humanoid": human}}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    path = folder / "seed.vrm"
    path.write_bytes(
        struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest
    )
    return [path]


def _write_c3d(folder: Path) -> list[Path]:
    from tests.io.test_c3d import small_c3d

    return [small_c3d(folder / f"seed{kind}.c3d", kind=kind) for kind in (1, 4)]


def _write_coordinates(folder: Path) -> list[Path]:
    from tests.io.test_coordinates import PARTS, list_coordinates, write_model, write_table

    write_model(folder / "model.osim", 4)
    columns = {name: [0.1, 0.2, 0.3, 0.5] for body in PARTS for name in list_coordinates(body)}
    return [write_table(folder / "seed.mot", columns)]


def _write_models(folder: Path) -> list[Path]:
    from tests.io.test_coordinates import write_model

    _write_coordinates(folder)
    return [write_model(folder / f"seed{version}.osim", version) for version in (3, 4)]


def _write_run(folder: Path) -> list[Path]:
    from gambol.io.runs import write_run
    from tests.io.test_runs import make_run

    write_run(make_run(), folder / "seed.npz", {"times": np.arange(3.0)})
    return [folder / "seed.npz"]


def _archive(make: Callable[[Path], Any]) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        make(folder / "seed.npz")
        return [folder / "seed.npz"]

    return write


def _save_primitives(path: Path) -> None:
    from tests.primitives.learned import moving

    save_model(moving(), path)


def _save_family(path: Path) -> None:
    from gambol.spacetime.families.family import Family
    from tests.spacetime.families.short_jump import four, short_jump

    clip, plan = short_jump(), four()
    draw = np.random.default_rng(1)
    dofs = len(clip.fitted.character.skeleton.dofs)
    times = np.sort(draw.uniform(size=(2, 2, 18)))
    solved = np.ones((2, 2), dtype=bool)
    family = Family(plan, clip, clip.fitted.character, times[0, 0], times, draw.normal(size=(2, 2, 18, dofs)), solved)
    save_model(family, path)


def _save_walker(path: Path) -> None:
    from tests.respond.latent.walkers import make_test_walker

    save_model(make_test_walker(), path)


def _save_interaction(path: Path) -> None:
    from tests.interaction.meetings import make_model

    save_model(make_model(), path)


def _save_actions(path: Path) -> None:
    from tests.robots.actions.made import make_model

    save_model(make_model(6), path)


def _save_mixture(path: Path) -> None:
    from gambol.learn.anechoic import AnechoicMixture

    signals = np.sin(np.linspace(0.0, 2 * np.pi, 20, endpoint=False) + np.arange(3)[:, None])
    save_model(AnechoicMixture(1).fit(signals[None]), path)


def _save_process(path: Path) -> None:
    from gambol.learn.gaussian import GaussianProcess

    inputs = np.linspace(0.0, 1.0, 12)[:, None]
    save_model(GaussianProcess().fit(inputs, np.sin(3 * inputs)), path)


def _checkpoint(write: Callable[[Path, Any], None], read: Callable[[Path], Any], content: Any) -> Reader:
    """Read what a stopped run has solved: other content than was written is a failure."""

    def read_same(path: Path) -> Any:
        found = read(path)
        assert digest(found) == digest(content), "not what was written"
        return found

    return Reader(read_same, ".npz", _archive(lambda path: write(path, content)), mutate_npz)


def _list_checkpoints() -> dict[str, Reader]:
    """Return readers of what families, learned walkers, repairs and scenes have solved when they are stopped."""
    from gambol.composition.runner import read_state, write_state
    from gambol.respond.latent.examples import ExamplePush, SolvedExample, read_solved_example, write_solved_example
    from gambol.solve.ipopt import SolverState
    from gambol.spacetime.edits.solve_edit import WarmStart
    from gambol.spacetime.families.member import Member, read_member, write_member
    from gambol.spacetime.solved_windows import SolvedWindow, read_windows, write_windows

    q = np.arange(8.0).reshape(4, 2)
    start = WarmStart(q, SolverState(q[0], q[1], q[2]))
    windows = [SolvedWindow(0, 3, True, "solved", 7, np.zeros(4), q)]
    state = {"scene": "p", "calls": 2, "state": {"step_times": np.ones(3), "q0": q, "shifts0": q[:, :1]}}
    return {
        "member": _checkpoint(write_member, read_member, Member(q[:, 0], q, True, "solved", 7, 1.5, start)),
        "example": _checkpoint(
            write_solved_example, read_solved_example, SolvedExample(ExamplePush(0.1, 90.0, 0.5), q, 1, 2)
        ),
        "windows": _checkpoint(
            lambda path, content: write_windows(path, "p", content), lambda path: read_windows(path, "p"), windows
        ),
        "scene": _checkpoint(write_state, read_state, state),
    }


def _write_style(folder: Path) -> list[Path]:
    from gambol.styles.style import STYLE_UNITS, PhysicalStyle

    ones = np.ones((2, len(STYLE_UNITS)))
    save_model(
        PhysicalStyle("walk", ("left_thigh flexion", "head tilt"), ones, ones, "walk", (0.0, 1.0)), folder / "seed.json"
    )
    return [folder / "seed.json"]


def _write_whole_style(folder: Path) -> list[Path]:
    """A style of all joints of a person."""
    from gambol.styles.style import STYLE_UNITS, PhysicalStyle, name_joints

    joints = name_joints(uses.make_character().skeleton)
    values = np.ones((len(joints), len(STYLE_UNITS)))
    save_model(PhysicalStyle("walk", joints, values, 0.1 * values, "walk", (0.0, 1.0)), folder / "seed.json")
    return [folder / "seed.json"]


def _write_reference(folder: Path) -> list[Path]:
    """Two frames of standing in the fields of other programs, and five as gambol writes them."""
    from gambol.motion.motion import Motion
    from gambol.robots.references.reference import ReferenceMotion

    biped = uses.make_biped()
    motion = Motion(biped.skeleton, np.tile(biped.bent, (5, 1)), 1.0 / 30.0)
    rests = np.ones((5, 2), dtype=bool)
    reference = ReferenceMotion(biped, motion, rests, rests, np.zeros((5, 2, 4)))
    reference.save(folder / "own.npz")
    fields = reference.arrays()
    names = ("fps", "joint_names", "joint_pos", "root_pos", "root_rot")
    np.savez(folder / "other.npz", **{name: fields[name] for name in names})
    return [folder / "own.npz", folder / "other.npz"]


def _write_frames(folder: Path) -> list[Path]:
    """Frames of a person."""
    import json

    from gambol.motion.kinematics import local_frames

    walk = uses.make_walk()
    local = local_frames(walk.skeleton, walk.q[:12])
    axes, unit = walk.origin.axes, walk.origin.unit
    frames = [
        {
            "root": (axes.T @ place[0] / unit).tolist(),
            "rotations": {
                name: [turn[0], *(axes.T @ turn[1:]).tolist()]
                for name, turn in zip(walk.skeleton.names, turns, strict=True)
            },
        }
        for place, turns in zip(local.positions, local.rotations, strict=True)
    ]
    (folder / "seed.jsonl").write_text("".join(json.dumps(frame) + "\n" for frame in frames))
    return [folder / "seed.jsonl"]


def _find_jvrc() -> tuple[Path, str]:
    from jvrc_description import urdf_path

    return Path(urdf_path).parent, Path(urdf_path).name


def _write_poses(folder: Path) -> list[Path]:
    import json

    from gambol.spacetime import poses

    held = json.loads(Path(poses.__file__).with_suffix(".json").read_text())
    rows = next(value for value in held.values() if isinstance(value, list))
    del rows[2:]
    (folder / "seed.json").write_text(json.dumps(held))
    return [folder / "seed.json"]


def _write_usd(path: Path) -> Path:
    """Write what is read from a BVH as USD, and open it."""
    from pxr import Usd

    motions = read_motions(path)
    usd = path.with_suffix(".usda")
    save(list(motions), usd)
    if Usd.Stage.Open(str(usd)) is None:
        raise ValueError("USD cannot open what was written")
    return usd


def _read_hand(path: Path) -> Any:
    from gambol.interaction.hand_path import load_hand_path

    return np.nan_to_num(load_hand_path(path))  # samples may be missing


def _read_lines(path: Path) -> list[Any]:
    """Answer the lines of a file as `push-stream` does."""
    stream = _stream()
    answers = [stream.answer(line) for line in path.read_bytes().splitlines()]
    return [answer for answer in answers if "error" not in answer]


@cache
def _stream() -> Any:
    from gambol.body.character import Character
    from gambol.fit.rig import fit
    from gambol.respond.near_unactuated import NearUnactuatedResponder
    from gambol.respond.stream import Stream

    walk = samples.walk()
    return Stream(NearUnactuatedResponder.learn(fit(Character.from_motion(walk), walk), 10))


@cache
def _fitted_jump() -> Any:
    from gambol.body.character import Character
    from gambol.fit.rig import fit

    jump = samples.jump()
    return fit(Character.from_motion(jump), jump)


def list_readers() -> dict[str, Reader]:
    """Return all readers by name."""
    from gambol import load
    from gambol.body.urdf import read_urdf
    from gambol.cli.push_specs import push_file
    from gambol.composition import library as compositions
    from gambol.composition.composition_file import read_composition
    from gambol.fit.contact_file import use_contacts
    from gambol.interaction.model import InteractionModel
    from gambol.io.models import as_model, load_model
    from gambol.learn.anechoic import AnechoicMixture
    from gambol.learn.gaussian import GaussianProcess
    from gambol.primitives.crowd import library as crowds
    from gambol.primitives.crowd.scene import read_scene
    from gambol.primitives.model import Primitives
    from gambol.respond.latent.responder import LatentWalker
    from gambol.robots.actions.model import ActionModel
    from gambol.robots.biped_file import load_biped
    from gambol.robots.descriptions import find_robot, read_description
    from gambol.robots.mjcf_description import read_mjcf
    from gambol.spacetime import sketches
    from gambol.spacetime.edits import library as edits
    from gambol.spacetime.edits.edit import read_edit
    from gambol.spacetime.families import library as families
    from gambol.spacetime.families.family import Family
    from gambol.spacetime.families.plan import read_plan
    from gambol.spacetime.poses import PoseDatabase
    from gambol.spacetime.sketch import read_sketch
    from gambol.styles.style import PhysicalStyle
    from gambol.styles.task import read_task
    from tests.io.test_bvh import SMALL
    from tests.io.test_opensim import STO, TRC
    from tests.robots.mjcf import HUMANOID

    def settings(read: Callable[[Path], Any], *texts: str, folder: Any = None) -> Reader:
        seeds = _files(".yaml", *texts) if folder is None else _library(Path(folder.__file__).parent)
        return Reader(read, ".yaml", seeds, mutate_yaml)

    def model(kind: type, use: Callable[[Any], Any], make: Callable[[Path], Any], slow: bool = False) -> Reader:
        read = uses.used(lambda path: as_model(path, kind), use)
        return Reader(read, ".npz", _archive(make), mutate_npz, slow)

    def motion(suffix: str, seeds: Callable[[Path], Iterable[Path]], mutate: Mutation) -> Reader:
        return Reader(load, suffix, seeds, mutate)

    return {
        "bvh": motion(
            ".bvh", lambda folder: [*_files(".bvh", SMALL)(folder), *_write_clips(".bvh", folder)], mutate_text
        ),
        "amc": motion(".amc", _files(".amc", AMC, made_asf=ASF), mutate_text),
        "asf": Reader(
            lambda path: read_motions(path.parent / "made.amc", skeleton=path),
            ".asf",
            _files(".asf", ASF, made_amc=AMC),
            mutate_text,
        ),
        "glb": motion(".glb", partial(_write_clips, ".glb"), mutate_glb),
        "gltf": motion(".gltf", partial(_write_clips, ".gltf"), mutate_json),
        "vrm": motion(".vrm", _write_vrm, mutate_glb),
        "c3d": Reader(load_recording, ".c3d", _write_c3d, mutate_bytes),
        "c3d-points": motion(".c3d", _write_c3d, mutate_bytes),
        "trc": Reader(load_recording, ".trc", _files(".trc", TRC), mutate_text),
        "trc-points": motion(".trc", _files(".trc", TRC), mutate_text),
        "sto": Reader(load_recording, ".sto", _files(".sto", STO), mutate_text),
        "mot": Reader(
            lambda path: read_motions(path, skeleton=path.with_name("model.osim")),
            ".mot",
            _write_coordinates,
            mutate_text,
        ),
        "osim": Reader(
            lambda path: read_motions(path.with_name("seed.mot"), skeleton=path), ".osim", _write_models, mutate_text
        ),
        "urdf": Reader(read_urdf, ".urdf", _files(".urdf", URDF), mutate_text),
        "urdf biped": Reader(
            uses.used(read_description, uses.use_description), ".urdf", _library(*_find_jvrc()), mutate_text, slow=True
        ),
        "mjcf": Reader(read_mjcf, ".xml", _files(".xml", HUMANOID), mutate_text),
        "biped": Reader(lambda path: load_biped(path).bent, ".xml", _files(".xml", HUMANOID), mutate_text),
        "robot mapping": Reader(
            lambda path: load_biped(path).bent, ".yaml", _files(".yaml", ROBOT_MAP, made_xml=HUMANOID), mutate_yaml
        ),
        "usd": Reader(_write_usd, ".bvh", _files(".bvh", SMALL), mutate_text, slow=True),
        "hand path": Reader(_read_hand, ".csv", _files(".csv", HAND), mutate_text),
        "stream": Reader(_read_lines, ".jsonl", _files(".jsonl", STREAM), mutate_text, slow=True),
        "rig mapping": settings(lambda path: read_mapping(path, "a: b"), RIG),
        "pushes": settings(push_file, PUSHES),
        "contacts": settings(lambda path: use_contacts(_fitted_jump(), path).items, CONTACTS),
        "task": settings(read_task, TASK),
        "edit": settings(read_edit, folder=edits),
        "family plan": settings(read_plan, folder=families),
        "sketch": settings(read_sketch, folder=sketches),
        "crowd": settings(read_scene, folder=crowds),
        "composition": settings(read_composition, folder=compositions),
        "robot": Reader(
            uses.used(load_biped, uses.use_robot),
            ".yaml",
            _library(find_robot(Path("jvrc1")).parent, "jvrc1.yaml"),
            mutate_yaml,
            slow=True,
        ),
        "style": Reader(lambda path: as_model(path, PhysicalStyle), ".json", _write_style, mutate_json),
        "whole style": Reader(uses.used(load_model, uses.use_style), ".json", _write_whole_style, mutate_json),
        "poses": Reader(uses.used(PoseDatabase.load, uses.use_poses), ".json", _write_poses, mutate_json, slow=True),
        "reference": Reader(uses.use_reference, ".npz", _write_reference, mutate_npz, slow=True),
        "manifest": Reader(uses.use_manifest, ".jsonl", _files(".jsonl", MANIFEST), mutate_lines),
        "robot stream": Reader(uses.follow_stream, ".jsonl", _write_frames, mutate_lines, slow=True),
        "run": motion(".npz", _write_run, mutate_npz),
        "mixture": model(AnechoicMixture, uses.use_mixture, _save_mixture),
        "process": model(GaussianProcess, uses.use_process, _save_process),
        **_list_checkpoints(),
        "primitives": model(Primitives, uses.use_primitives, _save_primitives, slow=True),
        "family": model(Family, uses.use_family, _save_family, slow=True),
        "walker": model(LatentWalker, uses.use_walker, _save_walker, slow=True),
        "interaction": model(InteractionModel, uses.use_interaction, _save_interaction, slow=True),
        "actions": model(ActionModel, uses.use_actions, _save_actions),
    }
