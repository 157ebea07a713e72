"""What the thesis saw in its motions (L05 section 3.9.1), measured in ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.reproduce.claims import Claim
from gambol.reproduce.sketch.bars import load_shipped_poses, read_named, solve_named
from gambol.spacetime.poses import PoseDatabase
from gambol.spacetime.sketch_verb import SolvedSketch, solve_sketch
from gambol.spacetime.synthesis import SketchWeights
from gambol.spacetime.transitions import mass_groups, segment_centers


def measure_counter_twist() -> Iterator[Claim]:
    """Before a turn the character twists away from it."""
    found = solve_named("twist_jumps")
    flights = [stage for stage in found.plan.stages if stage.kind == "flight"]
    grounds = [stage for stage in found.plan.stages if stage.kind == "ground"]
    heading = found.plan.rough.heading
    for number, (stand, flight) in enumerate(zip(grounds, flights, strict=False), start=1):
        turn = np.sign(heading[flight.last + 1] - heading[flight.first - 1])
        spin = turn * _spin_of(found, None)[stand.first : stand.last, 2]
        text = "twists away from the turn before take-off: momentum the other way, in that of the turn"
        share = max(0.0, -float(spin.min())) / float(spin[-1])
        yield Claim(f"counter-twist-{number}", "L05", text, share, "", "sketch twist_jumps", Band(low=0.05))
        yaw = turn * np.degrees(_yaw(found, "chest"))
        away = float(yaw[stand.first] - yaw[stand.first : stand.last + 1].min())
        text = "the chest turns away from the jump's turn before take-off"
        yield Claim(f"counter-twist-chest-{number}", "L05", text, away, "deg", "sketch twist_jumps", Band(low=2.0))


def measure_running_arms() -> Iterator[Claim]:
    """In running, arms and shoulders turn against the legs."""
    found = solve_named("running")
    upper, legs = _spin_of(found, ("upper", "arms"))[:, 2], _spin_of(found, ("lower",))[:, 2]
    middle = slice(len(upper) // 5, -(len(upper) // 5))
    together = float(np.corrcoef(upper[middle], legs[middle])[0, 1])
    text = "upper body and arms oppose the legs' angular momentum about the vertical: correlation"
    yield Claim("running-arms", "L05", text, together, "", "sketch running", Band(high=-0.5))
    arms = _spin_of(found, ("arms",))[:, 2]
    text = "arms alone: correlation with the legs"
    alone = float(np.corrcoef(arms[middle], legs[middle])[0, 1])
    yield Claim("running-arms-alone", "L05", text, alone, "", "sketch running", Band(high=-0.5))


def measure_crouch() -> Iterator[Claim]:
    """Mass displacement makes the character crouch by the knees; without it, it bends at the waist."""
    sketch = read_named("broad_jump")
    shares = [
        _knees_share(solve_sketch(sketch, poses, SketchWeights(displacement=weight)))
        for poses in (load_shipped_poses(), PoseDatabase())
        for weight in (SketchWeights().displacement, 0.0)
    ]
    text = "crouches by the knees and not the waist: knees' share of the bending, lowest frame before take-off"
    data = "sketch broad_jump"
    yield Claim("crouch-knees", "L05", text, shares[0], "", data, Band(low=0.5))
    text = "the share is larger with mass displacement than without, no poses suggested"
    yield Claim("crouch-displacement", "L05", text, shares[2] - shares[3], "", data, Band(low=0.0))


def measure_stiff_knee() -> Iterator[Claim]:
    """Landing with a stiff leg the pelvis twists."""
    stiff = solve_named("stiff_knee")
    sketch = stiff.plan.sketch
    free = solve_sketch(replace(sketch, body=replace(sketch.body, locked=())), load_shipped_poses())
    twists = [_pelvis_twist(found) for found in (stiff, free)]
    text = (
        "landing on a stiff leg twists the pelvis: its turn about the vertical and its roll, times that with both knees"
    )
    yield Claim("stiff-knee-pelvis", "L05", text, twists[0] / twists[1], "times", "sketch stiff_knee", Band(low=1.3))


def _spin_of(found: SolvedSketch, parts: tuple[str, ...] | None) -> Array:
    """(steps, 3) angular momentum about the whole body's centre of mass of some parts; their own spins left out."""
    character, motion = found.outcome.character, found.outcome.motion
    placed = place(character.skeleton, motion.q)
    points = segment_centers(character, placed)
    away = points - (points.transpose(0, 2, 1) @ (character.masses / character.mass))[:, None]
    middle, rate = 0.5 * (away[1:] + away[:-1]), np.diff(away, axis=0) / motion.frame_time
    named = mass_groups(character.skeleton)
    joints = range(len(character.masses)) if parts is None else [j for part in parts for j in named[part]]
    each = character.masses[:, None] * np.cross(middle, rate)
    return np.asarray(each[:, list(joints)].sum(axis=1))


def _yaw(found: SolvedSketch, body: str) -> Array:
    """(frames,) radians that a body faces about the vertical."""
    skeleton = found.outcome.character.skeleton
    ahead = quat.rotate(found.outcome.motion.placement.rotations[:, skeleton.index(body)], (1.0, 0.0, 0.0))
    return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))


def _knees_share(found: SolvedSketch) -> float:
    """Of the bending of knees and waist (hips, lumbar spine and chest against each other and the upright)."""
    skeleton, q = found.outcome.character.skeleton, found.outcome.motion.q
    stand = found.plan.stages[0]
    low = int(np.argmin(found.outcome.motion.placement.positions[: stand.last + 1, skeleton.index("pelvis"), 2]))
    knees = np.mean([q[low, skeleton.columns(skeleton.index(f"{s}_shank"))[0]] for s in ("left", "right")])
    chest = quat.rotate(found.outcome.motion.placement.rotations[low, skeleton.index("chest")], (0.0, 0.0, 1.0))
    return float(knees / (knees + np.arccos(np.clip(chest[2], -1.0, 1.0))))


def _pelvis_twist(found: SolvedSketch) -> float:
    """Degrees by which the pelvis strays from facing as sketched and from level, within 0.3 s of its landings."""
    motion = found.outcome.motion
    left = quat.rotate(motion.placement.rotations[:, 0], (0.0, 1.0, 0.0))
    turn = np.unwrap(np.arctan2(-left[:, 0], left[:, 1])) - found.plan.rough.heading
    stray = np.degrees(np.hypot(turn, np.arcsin(np.clip(left[:, 2], -1.0, 1.0))))
    reach = round(0.3 / motion.frame_time)
    landings = [stage.last + 1 for stage in found.plan.stages if stage.kind == "flight"]
    return float(np.mean([stray[at : at + reach].max() for at in landings]))
