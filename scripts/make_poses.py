"""Make the built-in database of transition poses: `python scripts/make_poses.py`.

Recordings may not be redistributed, so the examples are jumps and hops that are solved from poses drawn by hand at
take-off and landing, and the strides of the built-in run. Takes some minutes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from gambol.io import samples
from gambol.spacetime.drawn_poses import DRAWINGS
from gambol.spacetime.poses import SHIPPED, PoseDatabase
from gambol.spacetime.sketch import Key, Sketch, SupportSpec, WantedPose
from gambol.spacetime.sketch_verb import solve_sketch
from gambol.spacetime.transitions import find_clip_examples

FEET = ("left foot", "right foot")
CARRYING = {"takeoff": (5.0, 14.0, -38.0), "landing": (32.0, 34.0, 8.0)}
"""Degrees at hip, knee and ankle of the supporting leg of a hop."""
FREE = {"takeoff": (45.0, 75.0, -5.0), "landing": (35.0, 80.0, -5.0)}
"""Degrees at hip, knee and ankle of the other leg."""
ARMS = {"takeoff": (65.0, 45.0), "landing": (30.0, 40.0)}
"""Degrees at shoulder and elbow in a hop."""


def sketch_examples() -> Iterator[Sketch]:
    """Yield jumps from and to both feet, short and long, turning and sideways; hops, and jumps from one to two feet."""
    for length, flight in ((0.0, 0.36), (0.0, 0.5), (0.5, 0.4), (1.0, 0.44), (1.5, 0.47), (2.0, 0.5)):
        yield sketch_jump(f"jump {length:g} m, {flight:g} s", (length, 0.0), flight)
    for turn in (90.0, 180.0):
        for length in (0.0, 0.5):
            yield sketch_jump(f"jump {length:g} m turning {turn:g}", (length, 0.0), 0.46, turn)
    yield sketch_jump("jump 0.6 m to the left", (0.0, 0.6), 0.42)
    yield sketch_jump("jump 0.6 m back", (-0.6, 0.0), 0.42)
    for length in (0.0, 0.4, 0.8):
        yield sketch_jump(f"hop {length:g} m", (length, 0.0), 0.3, off=FEET[:1], on=FEET[:1])
        yield sketch_jump(f"jump {length:g} m onto one foot", (length, 0.0), 0.34, on=FEET[:1])
        yield sketch_jump(f"hop {length:g} m onto both feet", (length, 0.0), 0.34, off=FEET[:1])
    yield sketch_jump("hop turning 180", (0.3, 0.0), 0.4, 180.0, FEET[:1], FEET[:1])


def sketch_jump(
    name: str,
    offset: tuple[float, float],
    flight: float,
    turn: float = 0.0,
    off: tuple[str, ...] = FEET,
    on: tuple[str, ...] = FEET,
) -> Sketch:
    """Sketch a jump by an offset (m, forward and left) with a flight time (s)."""
    leave, land = 0.8, 0.8 + flight
    keys = (
        Key(leave, {"x": 0.0, "y": 0.0, "turn": 0.0}),
        Key(land, {"x": offset[0], "y": offset[1], "turn": turn}),
    )
    landing = "heel" if offset[0] > 0.3 else "ball"
    stages = (SupportSpec(leave, off), SupportSpec(land, ()), SupportSpec(land + 0.8, on, landing=landing))
    far = min(1.0, math.hypot(*offset) / 1.5)
    poses = [
        target_pose(0.5, "crouch", off, 0.2),
        target_pose(leave, "takeoff", off),
        target_pose(land, "landing", on, lean=DRAWINGS["landing"]["pelvis"][0] * far),
        target_pose(land + 0.14, "absorb", on, 0.2),
    ]
    return Sketch(name, land + 0.8, keys, stages, tuple(pose for pose in poses if pose is not None))


def target_pose(
    time: float, name: str, feet: tuple[str, ...], weight: float = 1.0, lean: float | None = None
) -> WantedPose | None:
    """Return a drawn pose at a time; on one foot the other leg is raised, and crouches are left to the solver."""
    joints = {part: angles for part, angles in DRAWINGS[name].items() if part != "pelvis"}
    lean = DRAWINGS[name]["pelvis"][0] if lean is None else lean
    if feet == FEET:
        return WantedPose(time, joints, {"lean": lean}, weight)
    if name not in CARRYING:
        return None
    sides = ("left", "right") if feet[0].startswith("left") else ("right", "left")
    joints = {part: angles for part, angles in joints.items() if part not in ("thigh", "shank", "foot")}
    for side, (hip, knee, ankle) in zip(sides, (CARRYING[name], FREE[name]), strict=True):
        joints |= {f"{side}_thigh": (hip, 4.0, 0.0), f"{side}_shank": (knee,), f"{side}_foot": (ankle, 0.0)}
    shoulder, elbow = ARMS[name]
    joints |= {"upper_arm": (shoulder, 12.0, 0.0), "forearm": (elbow,)}
    return WantedPose(time, joints, {"lean": 0.6 * lean}, weight)


def main() -> None:
    """Solve all sketches and write the database."""
    made = PoseDatabase()
    for sketch in sketch_examples():
        found = solve_sketch(sketch, PoseDatabase())
        solution = found.outcome.solution
        print(f"{sketch.name:<32} {solution.status}, {solution.iterations} iterations", flush=True)
        if solution.converged:
            made = made.with_examples(found.examples)
    made = made.with_examples(find_clip_examples(samples.run()))
    made.save(SHIPPED)
    print(f"{len(made)} flights in {SHIPPED.name}")


if __name__ == "__main__":
    main()
