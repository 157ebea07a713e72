"""`check`: measure how physical a clip is: feet, floor, flight, forces, joints and smoothness, each with a band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gambol.assumptions import FASTEST_RUN, FREE_FALL
from gambol.contacts.contact import is_foot
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts, group_stances
from gambol.errors import InputError
from gambol.fit.contact_file import GivenContacts
from gambol.fit.load import Source, as_motion
from gambol.fit.physics import Physics, estimate_physics
from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.vectors import find_median_place, measure_extent
from gambol.metrics.figures import Band, Check, Figure, list_values
from gambol.metrics.jerk import compute_strongest_jerks
from gambol.metrics.leg_faults import BENT_BACK, POP_ANGLE, count_backward_knees, count_leg_pops
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.motion.rig import find_one_bone_limbs
from gambol.progress import Progress, silent
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import find_foot_points, track_point
from gambol.stages.flight import drop_supported_flights, find_stages, measure_fall
from gambol.stages.frame_rate import (
    FALL_WINDOW,
    FASTEST_FALL,
    FrameRateEstimate,
    estimate_frame_rate,
    measure_fastest_fall,
)
from gambol.stages.treadmill import describe_treadmill, find_treadmill, restore_travel

_RECORDED = "33 or more of 34 CMU walks and runs are below"
_HICKS = "Hicks et al. 2015, J. Biomech. Eng. 137"
_JERKS = "our choice, with the CMU clips in view"
_SKATING = 0.5
"""Speed (m/s) above which a foot in contact is skating: 2.5 cm per frame at 20 frames per second, as in papers on
generated motion."""
_FASTEST_TURN = np.radians(9000.0)
"""Angular speed (rad/s) above any measured on a human joint (shoulders of pitchers come near)."""
_FLIGHT = 0.12
"""Shortest flight (s) that is measured."""
_LEVEL = 0.25
"""Height (m) of the floor, up or down, from which it is noted."""
_LOADED = 0.2
"""Least load on the ground, as a share of body weight, to measure friction: with less the ratio is noise."""
_SHARE = f"{_LOADED:g} body weight"
_NO_CONTACT = "no ground contact found"
_NO_KNEES = "needs a body with knees"
_NO_KNEES_NOTE = (
    "one bone per leg: contacts, slides, flight and jerk are judged, with the soles below the legs where the rest pose "
    "stands; forces, spin, joint limits and knees are not"
)


def check(
    clip: Source,
    *,
    contacts: GivenContacts | None = None,
    mass: float | None = None,
    progress: Progress = silent,
) -> Check:
    """Measure how physical a clip is; `mass` in kilograms (default: from the height, see `Character.from_motion`).

    `contacts` replaces those found: a file that `gambol contacts` wrote and a person corrected, or its content.

    >>> checked = gb.check("walk")
    >>> f"feet drift by {checked.figures['foot_drift_mm']:.2f} mm per contact"
    'feet drift by 0.05 mm per contact'
    """
    motion = as_motion(clip)
    if len(motion) < 10:
        raise InputError(f"{len(motion)} frames are too few to check", file=motion.name, fix="ten or more are needed")
    treadmill = find_treadmill(motion)
    in_place = () if treadmill is None else (f"{describe_treadmill(treadmill)}: judged as on a treadmill",)
    if treadmill is not None:
        motion = restore_travel(motion, treadmill)
    knees = motion.rig is not None or not find_one_bone_limbs(motion.skeleton, "leg")
    if contacts is not None and not knees:
        raise InputError("contacts cannot be given for a figure without knees", file=motion.name, fix="leave them out")
    physics = estimate_physics(motion, mass, contacts, progress) if knees else None
    touching = physics.contacts if physics else find_foot_contacts(motion)
    stages = physics.stages if physics else drop_supported_flights(motion, find_stages(touching))
    frame_rate = estimate_frame_rate(motion)
    measures = (
        *_feet(motion, touching),
        *_flight(motion, stages, physics, frame_rate),
        *_forces(physics),
        *_joints(motion, physics),
        *_jerk(motion),
    )
    unjudged = () if physics else (_NO_KNEES_NOTE,)
    return Check(
        motions=as_ensemble(motion),
        figures=list_values(measures),
        notes=(
            *unjudged,
            *in_place,
            *_frame_rate_notes(frame_rate),
            *_floor_notes(touching, stages),
            *_support_notes(touching, stages),
        ),
        measures=measures,
        unjudged=_why_unjudged(measures, touching, stages),
        contacts=touching,
        stages=stages,
        physics=physics,
    )


def _why_unjudged(measures: Sequence[Figure], contacts: Contacts, stages: Sequence[Stage]) -> str:
    """Return why a clip cannot be judged: it has no ground contact, and is no flight whose fall was measured."""
    fall = next(figure for figure in measures if figure.name == "fall in flight")
    judged = fall.measured if _all_in_flight(stages) else bool(contacts.items)
    return "" if judged else f"{_NO_CONTACT}: nothing about the feet could be judged"


def _frame_rate_notes(found: FrameRateEstimate) -> tuple[str, ...]:
    if not found.is_wrong:
        return ()
    fps = f"{found.fps:.4g}"
    return (f"says {found.stated:.4g} fps, but {found.why}: probably recorded at {fps} fps (pass --fps {fps})",)


def _floor_notes(contacts: Contacts, stages: Sequence[Stage]) -> tuple[str, ...]:
    if _all_in_flight(stages):
        return ("the clip has no ground contact: feet, floor and forces are not judged",)
    level = float(np.median([contact.place[2] for contact in contacts.items if is_foot(contact.part)] or [0.0]))
    if abs(level) < _LEVEL:
        return ()
    return (f"the feet rest at a height of {level:.2f} m, which is used as the floor",)


def _support_notes(contacts: Contacts, stages: Sequence[Stage]) -> tuple[str, ...]:
    """Return a note if no contact carries the body in half of the clip or more, though it does not fall."""
    carried = ~contacts.touching()
    for stage in (stage for stage in stages if stage.kind == "flight"):
        carried[stage.first : stage.last + 1] = False
    if not contacts.items or carried.mean() < 0.5:
        return ()
    return (
        f"in {100 * carried.mean():.0f} % of the clip neither foot is in contact and the body does not fall: "
        "the feet slide, or something else carries it",
    )


def _all_in_flight(stages: Sequence[Stage]) -> bool:
    return all(stage.kind == "flight" for stage in stages)


def _feet(motion: Motion, contacts: Contacts) -> list[Figure]:
    """Measure the drift of feet in contact, and their distance from the floor through all contacts.

    Contacts of a point that follow each other are one: it may roll before it is fixed.
    """
    points = {point.name: track_point(motion, point) for point in find_foot_points(motion)}
    points = {part: path for part, path in points.items() if contacts.named(part)}
    drifts, speeds, rests = [], [], []
    for path in (path[stay] for part, path in points.items() for stay in _find_stays(contacts, part)):
        if len(path) < 6:
            continue
        third = max(1, len(path) // 3)
        drifts.append(np.linalg.norm((find_median_place(path[-third:]) - find_median_place(path[:third]))[:2]))
        inner = path[len(path) // 4 : len(path) - len(path) // 4]
        speeds.append(np.linalg.norm(np.gradient(inner[:, :2], motion.frame_time, axis=0), axis=1))
        rests.append(find_median_place(path))
    drift = 1000.0 * float(np.median(drifts)) if drifts else np.nan
    share = 100.0 * float(np.mean(np.concatenate(speeds) > _SKATING)) if speeds else np.nan
    floor = _floor(np.array(rests), np.stack(list(points.values()), axis=1)) if len(rests) > 3 else None
    sunk, floating = (np.nan, np.nan) if floor is None else floor
    short = _why_absent(bool(drifts), contacts, "no contact of six frames or more")
    uneven = "fewer than four contacts" if len(rests) <= 3 else "the contacts are on several levels, as on stairs"
    uneven = _why_absent(floor is not None, contacts, uneven)
    return [
        Figure("foot drift", drift, "mm per contact", _RECORDED, Band(high=25.0), short),
        Figure("foot skate", share, f"% of contact above {_SKATING} m/s", _RECORDED, Band(high=10.0), short),
        Figure("penetration", 1000.0 * sunk, "mm", _RECORDED, Band(high=35.0), uneven),
        Figure("float", 1000.0 * floating, "mm", _RECORDED, Band(high=15.0), uneven),
    ]


def _find_stays(contacts: Contacts, part: str) -> list[slice]:
    """Return the frames of the contacts of a part, those that follow each other together; none of a given slide."""
    resting = [contact for contact in contacts.named(part) if contact.kind != "sliding"]
    return [slice(stay[0].first, max(one.last for one in stay) + 1) for stay in group_stances(resting)]


def _why_absent(measured: bool, contacts: Contacts, otherwise: str) -> str:
    """Return why a figure that needs contacts has no value."""
    if measured:
        return ""
    return otherwise if contacts.items else _NO_CONTACT


def _floor(rests: Array, feet: Array) -> tuple[float, float] | None:
    """Return how far (m) feet go below the plane through the contacts, and contacts above it; None on stairs."""
    plane = np.column_stack((np.ones(len(rests)), rests[:, :2] - rests[:, :2].mean(axis=0)))
    used = plane if measure_extent(rests * (1.0, 1.0, 0.0)) > 1.0 else plane[:, :1]
    solution, *_ = np.linalg.lstsq(used, rests[:, 2], rcond=None)
    heights = rests[:, 2] - used @ solution
    if np.std(heights) > 0.05:
        return None
    level = np.concatenate((solution, np.zeros(3 - len(solution))))
    ground = level[0] + (feet[..., :2] - rests[:, :2].mean(axis=0)) @ level[1:]
    return float(np.percentile((ground - feet[..., 2]).max(axis=1), 99)), float(np.percentile(heights, 95))


def _flight(
    motion: Motion, stages: Sequence[Stage], physics: Physics | None, frame_rate: FrameRateEstimate
) -> list[Figure]:
    flights = [s for s in stages if s.kind == "flight" and len(s) * motion.frame_time >= _FLIGHT]
    # Flights cut off by the clip have an unknown begin or end; they are used only if the whole clip is a flight.
    cut = [s for s in flights if s.first == 0 or s.last == len(motion) - 1]
    whole = [s for s in flights if len(s) >= 10 and (s not in cut or len(s) == len(motion))]
    falls = [measure_fall(motion, stage) for stage in whole]
    if not falls and frame_rate.is_wrong and frame_rate.gravity is not None:
        falls = [-frame_rate.gravity.value]  # the flights of a slowed clip look like support
    spin = [_spin_drift(physics.angular_momentum, stage) for stage in whole] if physics else []
    absent = "" if falls else f"no complete flight of {_FLIGHT} s and ten frames or more"
    return [
        Figure(
            "strongest fall",
            measure_fastest_fall(motion),
            "m/s²",
            "the ground cannot pull",
            Band(low=FASTEST_FALL),
            f"the clip is shorter than {FALL_WINDOW} s" if motion.duration < FALL_WINDOW + motion.frame_time else "",
        ),
        Figure(
            "fall in flight",
            float(np.mean(falls)) if falls else np.nan,
            "m/s²",
            "g = 9.81 m/s²",
            Band(*FREE_FALL),
            absent,
        ),
        Figure(
            "spin drift in flight",
            max(spin, default=np.nan),
            "kg m²/s",
            "our choice; at most 1.9 in five jumps of CMU subject 13",
            Band(high=6.0),
            absent if physics else _NO_KNEES,
        ),
    ]


def _spin_drift(angular_momentum: Array, stage: Stage) -> float:
    """Return the largest deviation of angular momentum from its mean in the inner part of a flight (0 in theory)."""
    margin = len(stage) // 5
    inner = angular_momentum[stage.first + margin : stage.last + 1 - margin]
    return float(np.linalg.norm(inner - inner.mean(axis=0), axis=1).max())


def _forces(physics: Physics | None) -> list[Figure]:
    (force, moment, friction), absent = _measure_forces(physics) if physics else ([np.nan] * 3, [_NO_KNEES] * 3)
    return [
        Figure(
            "missing force",
            force,
            "% of peak force",
            f"{_HICKS}: 5 %, doubled for unmeasured contact",
            Band(high=10.0),
            absent[0],
        ),
        Figure(
            "missing moment",
            moment,
            "% of peak force x height",
            f"{_HICKS}: 1 %, doubled for unmeasured contact",
            Band(high=2.0),
            absent[1],
        ),
        Figure(
            "friction",
            friction,
            f"at loads above {_SHARE}",
            "our choice, as in the force estimate",
            Band(high=0.8),
            absent[2],
        ),
    ]


def _measure_forces(physics: Physics) -> tuple[list[float], list[str]]:
    """Return missing force (%), missing moment (%) and friction, and why each is absent, or ""."""
    forces = physics.forces
    ground = forces.forces.sum(axis=1)
    needed = ground + forces.missing_force
    peak = float(np.linalg.norm(needed, axis=1).max())
    height = float(forces.center_of_mass[:, 2].mean() - np.percentile(forces.points[..., 2], 5))
    loaded = np.minimum(ground[:, 2], needed[:, 2]) > _LOADED * physics.weight
    aloft = "the clip is all flight" if _all_in_flight(physics.stages) else ""
    if aloft:
        loaded, peak = np.zeros_like(loaded), np.nan
    cone = np.linalg.norm(needed[loaded, :2], axis=1) / needed[loaded, 2]
    force = 100.0 * float(np.sqrt(np.mean(np.sum(forces.missing_force**2, axis=1)))) / peak
    moment = 100.0 * float(np.sqrt(np.mean(np.sum(forces.missing_moment**2, axis=1)))) / (peak * max(height, 0.1))
    friction = float(np.percentile(cone, 95)) if len(cone) else np.nan
    return [force, moment, friction], [
        aloft,
        aloft,
        aloft or ("" if len(cone) else f"no frame with a load of {_SHARE}"),
    ]


def _joints(motion: Motion, physics: Physics | None) -> list[Figure]:
    speeds = np.linalg.norm(np.diff(motion.placement.positions[:, motion.mover], axis=0), axis=1) / motion.frame_time
    turns = quat.multiply(quat.conjugate(motion.placement.rotations[:-1]), motion.placement.rotations[1:])
    turning = quat.angle(turns) / motion.frame_time
    absent = "" if physics else _NO_KNEES
    return [
        Figure(
            "joints at their limits",
            _measure_share_at_limits(physics.fitted) if physics else np.nan,
            "% of frames",
            "our choice",
            Band(high=10.0),
            absent,
        ),
        Figure("teleports", float((speeds > FASTEST_RUN).sum()), "frames", "runners stay below 13 m/s", Band(high=0.0)),
        Figure(
            "flips",
            float((turning > _FASTEST_TURN).sum()),
            "frames, summed over joints",
            "joints stay below 9000 deg/s",
            Band(high=0.0),
        ),
        Figure(
            "backward knees",
            float(count_backward_knees(motion)) if physics else np.nan,
            "frames, summed over legs",
            f"recorded knees overextend by less than {np.degrees(BENT_BACK):.0f} deg",
            Band(high=0.0),
            absent,
        ),
        Figure(
            "leg pops",
            float(count_leg_pops(motion)) if physics else np.nan,
            "frames, summed over legs",
            f"our choice: {np.degrees(POP_ANGLE):.0f} deg in a frame, unlike those around it",
            Band(high=0.0),
            absent,
        ),
    ]


def _measure_share_at_limits(fitted: Fit) -> float:
    """Return the share (%) of the frames in which a joint of the fitted body is at a limit."""
    q, skeleton = fitted.motion.q, fitted.character.skeleton
    beyond = ((q <= skeleton.lower + 1e-6) | (q >= skeleton.upper - 1e-6)).any(axis=1)
    return 100.0 * float(beyond.mean())


def _jerk(motion: Motion) -> list[Figure]:
    jerks = compute_strongest_jerks(motion)
    return [
        Figure("typical jerk", float(np.median(jerks)), "m/s³, median frame", _JERKS, Band(high=2000.0)),
        Figure("strongest jerk", float(jerks.max()), "m/s³", _JERKS, Band(high=12000.0)),
    ]
