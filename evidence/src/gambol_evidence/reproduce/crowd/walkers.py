"""Bodies on the paths of steered discs: slip of the feet, distance from the path and clearance (M17, section 2.4)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.metrics.figures import Band
from gambol.motion.ensemble import Ensemble
from gambol.primitives.bodies import PoseBlender, WalkerStates
from gambol.primitives.crowd.gaits import GaitPlane
from gambol.primitives.crowd.paths import pose_paths
from gambol.primitives.crowd.performance import CROWD_FPS, simulate_steered_walk, walker_limits
from gambol.primitives.crowd.verb import make_step_prototypes
from gambol.primitives.live_poses import make_live_poses
from gambol.primitives.navigation.scenarios import make_doorway, make_poles
from gambol.primitives.navigation.walk import compute_clearance
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.crowd.marches import MARCH_WALK, load_gaits
from gambol_evidence.reproduce.recordings import load_cmu_file
from gambol_evidence.reproduce.slip_speeds import measure_slip_speeds, percentile_99

WALKER_SEEDS = 3
_FOLDERS = ("walk", "styled_walk", "run")
_SECONDS = 25.0


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims about scenes among poles and at a door, and about the gait of every recorded walk and run."""
    yield from _scenes(data)
    yield from _learned_poses(data)
    yield from _every_walk(data)


def _learned_poses(data: Path) -> Iterator[Claim]:
    """Walkers driven by the learned model itself, beside those posed by tables of the same strides."""
    plane = load_gaits(data)
    _, paths = simulate_steered_walk(make_poles(0), plane, _SECONDS, 0)
    tables, live = (
        pose_paths(bodies, paths, 1.0 / CROWD_FPS)
        for bodies in (PoseBlender(plane.prototypes), make_live_poses(plane.prototypes))
    )
    apart = [
        quat.angle(quat.multiply(quat.conjugate(one.placement.rotations), other.placement.rotations))
        for one, other in zip(tables, live, strict=True)
    ]
    about = f"walk of {MARCH_WALK}, six agents among five poles, orientations of all joints"
    text = "walkers driven by the learned model: rms difference of joint orientations from those posed by tables"
    error = float(np.degrees(np.sqrt(np.mean(np.square(apart)))))
    scene = Ensemble(tuple(live), "poles, driven by the learned model")
    yield Claim("primitives-poles", "M17 §2.4", text, error, "deg", about, Band(high=2.0), motion=scene)


def _every_walk(data: Path) -> Iterator[Claim]:
    """All clips of the folders that have a periodic stride."""
    speeds, dips, without = [], [], []
    for path in sorted(path for folder in _FOLDERS for path in (data / "cmu_bvh" / folder).glob("*.bvh")):
        try:
            plane = GaitPlane(make_step_prototypes(load_cmu_file(path), None))
        except InputError:
            without.append(path.stem)
            continue
        slip, dip = _straight(plane)
        speeds.append(slip)
        dips.append(dip)
    about = f"{len(speeds)} recorded walks and runs, straight, 3 s; no periodic stride: {', '.join(without) or 'none'}"
    text = "clips with a slip of heels and balls in contact below 0.05 m/s (99th percentile)"
    share = 100.0 * float(np.mean(np.array(speeds) <= 0.05))
    yield Claim(
        "walks-feet", OUR_BAR, text, share, "% of clips", f"{about}; worst {max(speeds):.3f} m/s", Band(low=90.0)
    )
    text = "largest mean lowering of the body to reach planted feet"
    yield Claim("walks-dip", OUR_BAR, text, np.max(dips), "m", about, Band(high=0.02))


def _straight(plane: GaitPlane) -> tuple[float, float]:
    """Return the 99th percentile of slip (m/s), and the mean lowering of the body (m)."""
    bodies, usual = PoseBlender(plane.prototypes), 2.0 * np.pi / float(plane.prototypes.periods[0])
    step = np.array([[plane.corners[0, 0] * usual / CROWD_FPS, 0.0]])
    blend = np.eye(len(plane.prototypes.names))[:1]
    walkers = WalkerStates.unlocked(np.zeros(1), np.zeros((1, 2)), np.zeros(1))
    local, places, contacts, drops = [], [], [], []
    for _ in range(round(4.0 * CROWD_FPS)):
        way = walkers._replace(phases=walkers.phases + usual / CROWD_FPS, places=walkers.places + step)
        walkers, poses = bodies.follow(walkers, blend, way, 1.0 / CROWD_FPS)
        local.append(poses.rotations[0])
        places.append(poses.places[0])
        contacts.append(bodies.blend(walkers.phases, blend).contacts[0])
        drops.append(walkers.lock.drop[0])
    begin = round(CROWD_FPS)
    motion = bodies.layout.motion(np.array(local), np.array(places), 1.0 / CROWD_FPS, "straight")[begin:]
    return percentile_99(measure_slip_speeds(motion, np.array(contacts)[begin:])), float(np.mean(drops[begin:]))


def _scenes(data: Path) -> Iterator[Claim]:
    plane = load_gaits(data)
    bodies, shoulders = PoseBlender(plane.prototypes), walker_limits(plane).radius
    for name, make in (("poles", make_poles), ("doorway", make_doorway)):
        off, room, speeds = [], [], []
        for seed in range(WALKER_SEEDS):
            floor = make(seed)
            _, ways = simulate_steered_walk(floor, plane, _SECONDS, seed)
            motions = pose_paths(bodies, ways, 1.0 / CROWD_FPS)
            hips = np.stack([motion.placement.positions[:, 0, :2] for motion in motions], axis=1)
            off.append(float(np.linalg.norm(hips - ways.places, axis=2).max()))
            room.append(compute_clearance(floor, hips, shoulders))
            for one, motion in enumerate(motions):
                speeds.append(
                    measure_slip_speeds(motion, bodies.blend(ways.phases[:, one], ways.blends[:, one]).contacts)
                )
        about = f"walk of {MARCH_WALK}, {WALKER_SEEDS} seeds, {floor.name.partition(' ')[0]}"
        text = "slip of heels and balls in contact: 99th percentile"
        yield Claim(f"{name}-feet", OUR_BAR, text, percentile_99(np.concatenate(speeds)), "m/s", about, Band(high=0.05))
        text = "largest distance of the hips from the steered disc"
        yield Claim(f"{name}-sway", OUR_BAR, text, np.max(off), "m", about, Band(high=0.1))
        text = f"smallest clearance between bodies, poles and walls, with a radius of {shoulders:g} m around the hips"
        scene = Ensemble(tuple(motions), f"{name}, last seed", floor.poles, floor.walls)
        yield Claim(f"{name}-bodies-room", OUR_BAR, text, np.min(room), "m", about, Band(low=0.0), motion=scene)
