"""Ground forces, joint moments and gait events of recorded walks, against force plates and OpenSim."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.fit.forces import compute_joint_torques, estimate_ground_forces
from gambol.fit.markers import find_visible_frames, markers_to_rig
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.geometry.filters import differentiate, low_pass
from gambol.io import load_recording
from gambol.io.opensim import read_forces
from gambol.metrics.figures import Band
from gambol.motion.recording import ForcePlate, Markers, Recording, Table
from gambol.stages.feet import feet_of_markers
from gambol.stages.gait import find_gait_events
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.plate_steps import compute_event_errors, find_plate_steps, plates_from_table

_WALK = "opensim_rajagopal_walk_fullbody/markers_walk.trc"
_CYCLE = (0.45, 1.80)
"""Interval (s) with moments of OpenSim, in which every foot in contact is on a plate."""
_CUTOFF = 6.0
PLATED_BODIES = {_WALK: 85.27, "btk_c3d/PiG_Motion-FlatFoot-One.c3d": 66.5, "btk_c3d/Gait.c3d": 63.0}
"""Body masses (kg) of the walkers with markers on the whole body. The last file states none: its plates carry 618 N on
average from mid-stance to mid-stance."""
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


def parts(data: Path) -> list[Callable[[], Iterator[Claim]]]:
    """Return the measurements on a folder of recordings."""
    walks = data / "gait_grf"
    return [partial(part, walks) for part in (_known_moments, _other_walks, _center_of_mass, _events)]


def _fit(markers: Markers, mass: float) -> Fit:
    rig = markers_to_rig(markers)
    return fit(Character.from_motion(rig, mass), rig)


def _known_moments(data: Path) -> Iterator[Claim]:
    """One walk: forces against the plates, moments against the inverse dynamics of OpenSim."""
    mass = PLATED_BODIES[_WALK]
    markers = load_recording(data / _WALK)
    plates, moments = (load_recording((data / _WALK).with_name(name)) for name in ("grf_walk.mot", "id_walk.sto"))
    assert isinstance(markers, Markers)
    assert isinstance(plates, Table)
    assert isinstance(moments, Table)
    fitted = _fit(markers, mass)
    forces = estimate_ground_forces(fitted.character, fitted.motion, _CUTOFF)
    torques = compute_joint_torques(fitted.character, fitted.motion, forces, _CUTOFF)
    times = fitted.motion.times
    cycle = (times >= _CYCLE[0]) & (times <= _CYCLE[1])
    where = "Rajagopal 2016 walk, 0.45 to 1.80 s"
    for side in ("left", "right"):
        estimated = forces.force_on(f"{side}_foot")
        for axis, file_axis, label in ((2, "vy", "vertical"), (0, "vx", "forward")):
            measured = np.interp(times, plates.times, plates[f"ground_force_{side[0]}_{file_axis}"])
            error = _share_of_weight((estimated[:, axis] - measured)[cycle], mass)
            claim = f"{label} force under the {side} foot: rms error"
            yield Claim(
                f"force-{label}-{side}", "force plates", claim, error, "% of body weight", where, Band(high=8.0)
            )
        for joint, part, label in _MOMENTS:
            column = fitted.character.skeleton.columns(fitted.character.body(f"{side}_{part}"))[0]
            theirs = np.interp(times[cycle], moments.times, moments[f"{label}_{side[0]}_moment"])
            alike = float(np.corrcoef(torques[cycle, column], theirs)[0, 1])
            claim = f"{side} {joint} moment in the sagittal plane: correlation with OpenSim"
            yield Claim(f"moment-{joint}-{side}", "OpenSim", claim, alike, "correlation", where, Band(low=0.85))


def _other_walks(data: Path) -> Iterator[Claim]:
    """Vertical force in steps that are entirely on a plate; one claim for recordings without the whole body."""
    bodiless = []
    for name in _PLATED:
        markers, plates = markers_and_plates(data / name)
        if name == _WALK:
            continue
        if name not in PLATED_BODIES:
            bodiless.append(f"{Path(name).stem}: its markers do not show the upper body, or only parts of a leg")
            continue
        mass, first = PLATED_BODIES[name], find_visible_frames(markers).start
        fitted = _fit(markers, mass)
        forces = estimate_ground_forces(fitted.character, fitted.motion, _CUTOFF)
        times = fitted.motion.times + first * markers.frame_time
        for step in find_plate_steps(feet_of_markers(markers), plates):
            stance = (times >= step.strike) & (times <= step.toe_off)
            plate = plates[step.plate]
            measured = np.interp(times, np.arange(len(plate.force)) * plate.frame_time, plate.force[:, 2])
            off = _share_of_weight((forces.force_on(f"{step.side}_foot")[:, 2] - measured)[stance], mass)
            claim = f"vertical force under the {step.side} foot in a step entirely on a plate: rms error"
            row = f"force-{Path(name).stem}-{step.side}"
            yield Claim(row, "force plates", claim, off, "% of body weight", name, Band(high=8.0))
    claim = "recordings with plates whose ground forces cannot be estimated, since they do not show the whole body"
    why = "; ".join(bodiless)
    yield Claim("force-no-body", "force plates", claim, float(len(bodiless)), "recordings", why, Band(high=6.0))


def _center_of_mass(data: Path) -> Iterator[Claim]:
    """Total vertical force of a walk against that of the centre of mass of another body model, Plug-in Gait."""
    file = data / "btk_c3d" / "PiG_Motion-FlatFoot-One.c3d"
    recorded = load_recording(file)
    assert isinstance(recorded, Recording)
    markers, mass = recorded.markers, PLATED_BODIES[f"btk_c3d/{file.name}"]
    theirs = markers.positions[:, markers.names.index("CentreOfMass")]
    fitted = _fit(markers, mass)
    ours = Dynamics(fitted.character).center_of_mass(fitted.motion.q)
    lifted = [
        differentiate(low_pass(path, markers.frame_time, _CUTOFF), markers.frame_time)[1][:, 2]
        for path in (ours, theirs)
    ]
    error = _share_of_weight(mass * (lifted[0] - lifted[1]), mass)
    claim = "vertical force on the whole body from our centre of mass and that of Plug-in Gait: rms difference"
    yield Claim("force-whole-body", "Plug-in Gait", claim, error, "% of body weight", file.name, Band(high=4.0))


def _share_of_weight(off: Array, mass: float) -> float:
    """Return the rms of forces (N) in per cent of body weight."""
    return 100.0 * float(np.sqrt(np.mean(off**2))) / (mass * GRAVITY)


def _events(data: Path) -> Iterator[Claim]:
    """Foot strikes and toe-offs of steps entirely on a plate, in every recording with plates."""
    errors = []
    for name in _PLATED:
        markers, plates = markers_and_plates(data / name)
        feet = feet_of_markers(markers)
        steps = find_plate_steps(feet, plates)
        found = 1000 * compute_event_errors(find_gait_events(feet), steps)
        errors.append(found)
        # No steps, or none found, is no evidence.
        worst = float(np.max(np.abs(found))) if found.size else float("nan")
        claim = f"largest timing error of {len(steps)} foot strikes and as many toe-offs"
        yield Claim(f"events-{Path(name).stem}", "force plates", claim, worst, "ms", name, Band(high=50.0))
    everything = np.concatenate(errors)
    what = f"{len(everything)} steps entirely on a plate, {len(_PLATED)} recordings, threshold 20 N"
    missed = float(np.isnan(everything).sum())
    yield Claim(
        "events-missed",
        "force plates",
        "foot strikes and toe-offs that were not found",
        missed,
        "events",
        what,
        Band(high=0.0),
    )
    for column, event in enumerate(("strike", "off")):
        median = float(np.nanmedian(np.abs(everything[:, column])))
        claim = f"median timing error of foot {event}"
        yield Claim(f"events-{event}", "force plates", claim, median, "ms", what, Band(high=25.0))


def markers_and_plates(file: Path) -> tuple[Markers, tuple[ForcePlate, ...]]:
    """Return markers and plates of a trial, from a C3D file or a TRC file with its forces."""
    recorded = load_recording(file)
    if isinstance(recorded, Recording):
        return recorded.markers, recorded.plates
    assert isinstance(recorded, Markers)
    if file.with_suffix(".forces").exists():
        return recorded, read_forces(file.with_suffix(".forces"))
    table = load_recording(file.with_name("grf_walk.mot"))
    assert isinstance(table, Table)
    return recorded, plates_from_table(table)
