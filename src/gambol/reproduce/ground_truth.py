"""`gambol reproduce ground-truth`: the body against other engines, other formats and measured forces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.human import average_build, human
from gambol.body.measure import with_thorax
from gambol.fit.forces import ground_forces, joint_torques
from gambol.fit.markers import as_rig
from gambol.fit.rig import Fit, fit
from gambol.io import load, load_recording
from gambol.io.opensim import read_forces
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol.motion.recording import ForcePlate, Markers, Recording, Table
from gambol.reproduce.claims import Claim
from gambol.stages.feet import feet_of_markers
from gambol.stages.gait import gait_events
from gambol.stages.plates import event_errors, plates_of_table, steps_on_plates

_WALK = Path("gait_grf") / "opensim_rajagopal_walk_fullbody"
_MASS = 85.27
_CYCLE = (0.45, 1.80)
"""Seconds in which both feet are on plates."""
_CUTOFF = 6.0
_PLATED = (
    "btk_c3d/FunctionalWalk.c3d",
    "btk_c3d/Gait.c3d",
    "btk_c3d/PiG_Motion-FlatFoot-One.c3d",
    "btk_c3d/PiG_Motion3_FF.c3d",
    "btk_c3d/sample01__Eb015pr.c3d",
    "opensim_core_c3d_walking/walking2.c3d",
    "bmclab/walk1.trc",
    "bmclab/walk2.trc",
    "opensim_rajagopal_walk_fullbody/markers_walk.trc",
)
_MOMENTS = (("hip", "thigh", "hip_flexion"), ("knee", "shank", "knee_angle"), ("ankle", "foot", "ankle_angle"))


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    yield from _engines()
    yield from _formats(data)
    yield from _fits(data)
    yield from _forces(data)
    yield from _events(data)


def _engines() -> Iterator[Claim]:
    character = human(average_build(1.75), 80.0)
    numbers, expressions = Dynamics(character), Expressions(character)
    states = np.random.default_rng(0).normal(size=(20, 3, len(character.skeleton.dofs)))
    ours = np.array([numbers.torques(*state) for state in states])
    largest = np.abs(ours).max()
    theirs = np.array([np.array(expressions.torques(*state))[:, 0] for state in states])
    what = "20 random states of the average person"
    off = float(np.abs(ours - theirs).max() / largest)
    yield Claim(
        "torques-casadi",
        "CasADi",
        "inverse dynamics agree with Pinocchio",
        off,
        "of the largest",
        what,
        Band(high=1e-9),
    )
    try:
        import mujoco
    except ImportError:
        return
    from gambol.body.mjcf import to_mjcf

    model = mujoco.MjModel.from_xml_string(to_mjcf(character))
    state = mujoco.MjData(model)
    judged = []
    for q, velocity, acceleration in states:
        state.qpos[:], state.qvel[:], state.qacc[:] = q, velocity, acceleration
        mujoco.mj_inverse(model, state)
        judged.append(state.qfrc_inverse.copy())
    off = float(np.abs(ours - np.array(judged)).max() / largest)
    yield Claim(
        "torques-mujoco",
        "MuJoCo",
        "inverse dynamics agree with Pinocchio",
        off,
        "of the largest",
        what,
        Band(high=1e-6),
    )


def _formats(data: Path) -> Iterator[Claim]:
    for clip in ("02_01", "35_01"):
        amc = load(data / "cmu_asf_amc" / f"{clip}.amc")
        bvh = load(data / "cmu_bvh" / "walk" / f"{clip}.bvh")
        files = f"{clip}.amc, {clip}.bvh"
        legs = [f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "toes")]
        off = 1000 * max(_apart(amc, bvh, part) for part in ("pelvis", "spine", "chest", *legs))
        yield Claim(
            f"amc-bvh-{clip}",
            "CMU",
            "hips, legs and lower spine are where the AMC has them",
            off,
            "mm",
            files,
            Band(high=1.0),
        )
        off = 1000 * max(_apart(amc, with_thorax(bvh), part) for part in ("neck", "left_hand", "right_hand"))
        claim = "with the thorax put back, neck and hands are where the AMC has them"
        yield Claim(f"thorax-{clip}", "CMU", claim, off, "mm", files, Band(high=15.0))


def _apart(one: Motion, other: Motion, part: str) -> float:
    places = [m.placement.positions[:, m.rig.parts[part]] for m in (one, other) if m.rig is not None]
    return float(np.linalg.norm(places[0] - places[1], axis=1).max())


def _fits(data: Path) -> Iterator[Claim]:
    for kind in ("walk", "run"):
        clips = sorted((data / "cmu_bvh" / kind).glob("*.bvh"))
        errors = [float(_fit(load(path)).errors.mean()) for path in clips]
        claim = "mean distance of the character's joint centres from the rig's"
        yield Claim(
            f"fit-{kind}",
            "CMU",
            claim,
            1000 * float(np.mean(errors)),
            "mm",
            f"{len(clips)} clips of {kind}",
            Band(high=15.0),
        )


def _fit(motion: Motion, mass: float | None = None) -> Fit:
    return fit(Character.from_motion(motion, mass), motion)


def _forces(data: Path) -> Iterator[Claim]:
    """One measured walk: forces against the plates, moments against OpenSim's inverse dynamics."""
    markers = load_recording(data / _WALK / "markers_walk.trc")
    plates, moments = (load_recording(data / _WALK / name) for name in ("grf_walk.mot", "id_walk.sto"))
    assert isinstance(markers, Markers)
    assert isinstance(plates, Table)
    assert isinstance(moments, Table)
    fitted = _fit(as_rig(markers), _MASS)
    forces = ground_forces(fitted.character, fitted.motion, _CUTOFF)
    torques = joint_torques(fitted.character, fitted.motion, forces, _CUTOFF)
    times = fitted.motion.times
    cycle = (times >= _CYCLE[0]) & (times <= _CYCLE[1])
    where = "Rajagopal 2016 walk, 0.45 to 1.80 s"
    for side in ("left", "right"):
        estimated = forces.on(f"{side}_foot")
        for axis, file_axis, label in ((2, "vy", "vertical"), (0, "vx", "forward")):
            measured = np.interp(times, plates.times, plates[f"ground_force_{side[0]}_{file_axis}"])
            error = 100 * float(np.sqrt(np.mean((estimated[:, axis] - measured)[cycle] ** 2))) / (_MASS * GRAVITY)
            claim = f"{label} force under the {side} foot, rms error"
            yield Claim(
                f"force-{label}-{side}", "force plates", claim, error, "% of body weight", where, Band(high=8.0)
            )
        for joint, part, label in _MOMENTS:
            column = fitted.character.skeleton.columns(fitted.character.body(f"{side}_{part}"))[0]
            theirs = np.interp(times[cycle], moments.times, moments[f"{label}_{side[0]}_moment"])
            alike = float(np.corrcoef(torques[cycle, column], theirs)[0, 1])
            claim = f"{side} {joint} moment in the sagittal plane correlates with OpenSim's"
            yield Claim(f"moment-{joint}-{side}", "OpenSim", claim, alike, "correlation", where, Band(low=0.85))


def _events(data: Path) -> Iterator[Claim]:
    """Strikes and offs of the steps that land wholly on a plate, in every recording with plates."""
    errors = []
    for name in _PLATED:
        markers, plates = markers_and_plates(data / "gait_grf" / name)
        feet = feet_of_markers(markers)
        steps = steps_on_plates(feet, plates)
        found = 1000 * event_errors(gait_events(feet), steps)
        errors.append(found)
        worst = float(np.nanmax(np.abs(found), initial=0.0))
        claim = f"largest error of {len(steps)} strikes and as many offs"
        yield Claim(f"events-{Path(name).stem}", "force plates", claim, worst, "ms", name, Band(high=50.0))
    everything = np.concatenate(errors)
    what = f"{len(everything)} steps wholly on a plate, {len(_PLATED)} recordings, 20 N"
    missed = float(np.isnan(everything).sum())
    yield Claim(
        "events-missed", "force plates", "strikes and offs that were not found", missed, "events", what, Band(high=0.0)
    )
    for column, event in enumerate(("strike", "off")):
        median = float(np.nanmedian(np.abs(everything[:, column])))
        claim = f"median error of a foot's {event}"
        yield Claim(f"events-{event}", "force plates", claim, median, "ms", what, Band(high=25.0))


def markers_and_plates(file: Path) -> tuple[Markers, tuple[ForcePlate, ...]]:
    """Markers and plates of one trial, from a C3D or from a TRC with its forces beside it."""
    recorded = load_recording(file)
    if isinstance(recorded, Recording):
        return recorded.markers, recorded.plates
    assert isinstance(recorded, Markers)
    if file.with_suffix(".forces").exists():
        return recorded, read_forces(file.with_suffix(".forces"))
    table = load_recording(file.with_name("grf_walk.mot"))
    assert isinstance(table, Table)
    return recorded, plates_of_table(table)
