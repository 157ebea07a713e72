"""Observations of the thesis on its synthesised motions (L05, section 3.9.1), measured on ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from gambol.fit.rig import as_clip
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.kinematics import place
from gambol.spacetime.poses import PoseDatabase
from gambol.spacetime.sketch_verb import SolvedSketch, solve_sketch
from gambol.spacetime.synthesis import SketchWeights
from gambol.spacetime.transitions import mass_groups, segment_centers
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.sketch.bars import load_shipped_poses, read_named, solve_named

_LARGER = 0.05
"""Increase of the share of the knees that counts."""


def measure_counter_twist() -> Iterator[Claim]:
    """Before a turning jump the character twists the other way."""
    found = solve_named("twist_jumps")
    flights = [stage for stage in found.plan.stages if stage.kind == "flight"]
    grounds = [stage for stage in found.plan.stages if stage.kind == "ground"]
    heading = found.plan.rough.heading
    for number, (stand, flight) in enumerate(zip(grounds, flights, strict=False), start=1):
        turn = np.sign(heading[flight.last + 1] - heading[flight.first - 1])
        spin = turn * _spin_of(found, None)[stand.first : stand.last, 2]
        text = "counter-twist before take-off: largest angular momentum against the turn, over that at take-off"
        share = -float(spin.min()) / float(spin[-1])
        yield Claim(
            f"counter-twist-{number}", "L05 §3.9.1, p. 40", text, share, "", "sketch twist_jumps", Band(low=0.05)
        )
        yaw = turn * np.degrees(_yaw(found, "chest"))
        away = float(yaw[stand.first] - yaw[stand.first : stand.last + 1].min())
        text = "counter-twist before take-off: largest rotation of the chest against the turn"
        yield Claim(
            f"counter-twist-chest-{number}", "L05 §3.9.1, p. 40", text, away, "deg", "sketch twist_jumps", Band(low=2.0)
        )


def measure_running_arms() -> Iterator[Claim]:
    """In running, upper body and arms counter the angular momentum of the legs."""
    found = solve_named("running")
    upper, legs = _spin_of(found, ("upper", "arms"))[:, 2], _spin_of(found, ("lower",))[:, 2]
    middle = slice(len(upper) // 5, -(len(upper) // 5))
    together = float(np.corrcoef(upper[middle], legs[middle])[0, 1])
    text = "vertical angular momentum of upper body and arms counters that of the legs: correlation"
    yield Claim("running-arms", "L05 §3.9.1, p. 40", text, together, "", "sketch running", Band(high=-0.5))
    arms = _spin_of(found, ("arms",))[:, 2]
    text = "vertical angular momentum of the arms counters that of the legs: correlation"
    alone = float(np.corrcoef(arms[middle], legs[middle])[0, 1])
    yield Claim("running-arms-alone", "L05 §3.9.1, p. 40", text, alone, "", "sketch running", Band(high=-0.5))


def measure_crouch() -> Iterator[Claim]:
    """With the mass displacement term the character crouches with the knees; without it, it bends at the waist."""
    sketch, found = read_named("broad_jump"), solve_named("broad_jump")
    stand = found.plan.stages[0]
    heights = found.outcome.motion.placement.positions[: stand.last + 1, 0, 2]
    text = "depth of the crouch before take-off: height of the pelvis, standing minus lowest"
    depth, motion = float(heights[0] - heights.min()), as_clip(found.outcome.motion)
    yield Claim("crouch-depth", OUR_BAR, text, depth, "m", "sketch broad_jump", Band(low=0.18), motion=motion)
    shares = [
        _knees_share(solve_sketch(sketch, poses, SketchWeights(displacement=weight)))
        for poses in (load_shipped_poses(), PoseDatabase())
        for weight in (SketchWeights().displacement, 0.0)
    ]
    text = "crouch with the knees, not the waist: share of the knees in the bending, lowest frame before take-off"
    data = "sketch broad_jump"
    yield Claim("crouch-knees", "L05 §3.7, p. 36", text, shares[0], "", data, Band(low=0.5))
    text = "increase of that share by the mass displacement term, without suggested poses"
    yield Claim("crouch-displacement", "L05 §3.7, p. 36", text, shares[2] - shares[3], "", data, Band(low=_LARGER))


def measure_stiff_knee() -> Iterator[Claim]:
    """Landing with a stiff leg twists the pelvis."""
    stiff = solve_named("stiff_knee")
    sketch = stiff.plan.sketch
    free = solve_sketch(replace(sketch, body=replace(sketch.body, locked=())), load_shipped_poses())
    twists = [_pelvis_twist(found) for found in (stiff, free)]
    text = "landing with a locked knee twists the pelvis: yaw and roll within 0.3 s, over those with free knees"
    yield Claim(
        "stiff-knee-pelvis",
        "L05 §3.9.1, p. 40",
        text,
        twists[0] / twists[1],
        "times",
        "sketch stiff_knee",
        Band(low=1.3),
    )


def _spin_of(found: SolvedSketch, parts: tuple[str, ...] | None) -> Array:
    """Return the angular momentum (steps, 3) of parts about the centre of mass of the body, as of point masses."""
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
    """Return the heading (frames,) of a body in radians."""
    skeleton = found.outcome.character.skeleton
    ahead = quat.rotate(found.outcome.motion.placement.rotations[:, skeleton.index(body)], (1.0, 0.0, 0.0))
    return np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0]))


def _knees_share(found: SolvedSketch) -> float:
    """Return the share of the knees in the bending of knees and trunk, in the lowest frame before take-off."""
    skeleton, q = found.outcome.character.skeleton, found.outcome.motion.q
    stand = found.plan.stages[0]
    low = int(np.argmin(found.outcome.motion.placement.positions[: stand.last + 1, skeleton.index("pelvis"), 2]))
    knees = np.mean([q[low, skeleton.columns(skeleton.index(f"{s}_shank"))[0]] for s in ("left", "right")])
    chest = quat.rotate(found.outcome.motion.placement.rotations[low, skeleton.index("chest")], (0.0, 0.0, 1.0))
    return float(knees / (knees + np.arccos(np.clip(chest[2], -1.0, 1.0))))


def _pelvis_twist(found: SolvedSketch) -> float:
    """Return yaw and roll (deg) of the pelvis relative to the sketch within 0.3 s of landings, mean of the largest."""
    motion = found.outcome.motion
    left = quat.rotate(motion.placement.rotations[:, 0], (0.0, 1.0, 0.0))
    turn = np.unwrap(np.arctan2(-left[:, 0], left[:, 1])) - found.plan.rough.heading
    stray = np.degrees(np.hypot(turn, np.arcsin(np.clip(left[:, 2], -1.0, 1.0))))
    reach = round(0.3 / motion.frame_time)
    landings = [stage.last + 1 for stage in found.plan.stages if stage.kind == "flight"]
    return float(np.mean([stray[at : at + reach].max() for at in landings]))
