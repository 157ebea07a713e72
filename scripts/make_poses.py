"""Make the database of transition poses that comes with gambol: `python scripts/make_poses.py`.

Recordings are not ours to ship, so the examples are our own: jumps and hops with poses drawn by hand at take-off and
landing, solved, and what the solver made of them; and the strides of the built-in run. Takes some minutes.
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
"""Degrees at hip, knee and ankle of the leg that carries a hop."""
FREE = {"takeoff": (45.0, 75.0, -5.0), "landing": (35.0, 80.0, -5.0)}
"""Of the other."""
ARMS = {"takeoff": (65.0, 45.0), "landing": (30.0, 40.0)}
"""Degrees at shoulder and elbow of a hop."""


def sketches() -> Iterator[Sketch]:
    """Jumps from both feet to both feet, near and far, turning and sideways; hops, and jumps from one to two feet."""
    for way, flight in ((0.0, 0.36), (0.0, 0.5), (0.5, 0.4), (1.0, 0.44), (1.5, 0.47), (2.0, 0.5)):
        yield jump(f"jump {way:g} m, {flight:g} s", (way, 0.0), flight)
    for turn in (90.0, 180.0):
        for way in (0.0, 0.5):
            yield jump(f"jump {way:g} m turning {turn:g}", (way, 0.0), 0.46, turn)
    yield jump("jump 0.6 m to the left", (0.0, 0.6), 0.42)
    yield jump("jump 0.6 m back", (-0.6, 0.0), 0.42)
    for way in (0.0, 0.4, 0.8):
        yield jump(f"hop {way:g} m", (way, 0.0), 0.3, off=FEET[:1], on=FEET[:1])
        yield jump(f"jump {way:g} m onto one foot", (way, 0.0), 0.34, on=FEET[:1])
        yield jump(f"hop {way:g} m onto both feet", (way, 0.0), 0.34, off=FEET[:1])
    yield jump("hop turning 180", (0.3, 0.0), 0.4, 180.0, FEET[:1], FEET[:1])


def jump(
    name: str,
    way: tuple[float, float],
    flight: float,
    turn: float = 0.0,
    off: tuple[str, ...] = FEET,
    on: tuple[str, ...] = FEET,
) -> Sketch:
    """A jump of a way (m) and a time in the air (s)."""
    leave, land = 0.8, 0.8 + flight
    keys = (
        Key(leave, {"x": 0.0, "y": 0.0, "turn": 0.0}),
        Key(land, {"x": way[0], "y": way[1], "turn": turn}),
    )
    landing = "heel" if way[0] > 0.3 else "ball"
    stages = (SupportSpec(leave, off), SupportSpec(land, ()), SupportSpec(land + 0.8, on, landing=landing))
    far = min(1.0, math.hypot(*way) / 1.5)
    poses = [
        wanted(0.5, "crouch", off, 0.2),
        wanted(leave, "takeoff", off),
        wanted(land, "landing", on, lean=DRAWINGS["landing"]["pelvis"][0] * far),
        wanted(land + 0.14, "absorb", on, 0.2),
    ]
    return Sketch(name, land + 0.8, keys, stages, tuple(pose for pose in poses if pose is not None))


def wanted(
    time: float, name: str, feet: tuple[str, ...], weight: float = 1.0, lean: float | None = None
) -> WantedPose | None:
    """A drawn pose at a time; on one foot the other leg is up, and crouches are left to the solver."""
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
    """Solve all, and write the database."""
    made = PoseDatabase()
    for sketch in sketches():
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
