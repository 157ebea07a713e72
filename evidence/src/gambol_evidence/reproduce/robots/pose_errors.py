"""Claims about pose error: how far links are from the person's, scaled about the hips.

That of GMR is not known for these clips. A stand-in is computed: inverse kinematics of the same links, every frame from
the frame before, without a plan of soles, within joint limits alone.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.fit.rig import Fit
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_about
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.poses.problem import PoseProblem
from gambol.poses.solve import solve_apart
from gambol.poses.targets import aim_point, stay_near
from gambol.robots.biped import Biped
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.robots.people import LINKS, locate_person, measure_pose_error, sample_person
from gambol_evidence.reproduce.robots.setting import KINDS, RobotsSetting


def measure_pose_errors(setting: RobotsSetting) -> Iterator[Claim]:
    """Yield the claims: the last clip of every kind."""
    clips = [setting.list_clips(kind)[-1] for kind in KINDS]
    for robot, biped in setting.robots.items():
        found = [errors for clip in clips if (errors := _measure_clip(setting, robot, biped, clip)) is not None]
        solved, fast, tracked = 100.0 * np.mean(found, axis=0)
        data = f"{len(found)} clips; --fast {fast:.3g} cm, frame by frame {tracked:.3g} cm"
        yield Claim(
            f"{robot}-pose", "our bar: no more than inverse kinematics of the same links, frame by frame",
            f"{robot}: mean distance of links from the person's, scaled about the hips", solved, "cm", data,
            Band(high=float(tracked)),
        )  # fmt: skip
        yield Claim(
            f"{robot}-pose-physical", OUR_BAR, f"{robot}: pose error of physical motions, relative to --fast",
            solved / fast, "times", data, Band(high=1.1),
        )  # fmt: skip


def _measure_clip(setting: RobotsSetting, robot: str, biped: Biped, clip: str) -> tuple[float, float, float] | None:
    """Return the errors (m) of the default, of --fast and of the stand-in; None where there is no reference motion."""
    solved, fast = (setting.attempt(robot, clip, fast=fast).result for fast in (False, True))
    if solved is None or fast is None:
        return None
    person, scale = sample_person(setting.load_middle(clip), solved), solved.figures["scale_ratio"]
    poses = solved.motion.q, fast.motion.q, track_frame_by_frame(biped, person, scale)
    one, other, third = (measure_pose_error(biped, q, person, scale) for q in poses)
    return one, other, third


def track_frame_by_frame(biped: Biped, person: Fit, scale: float) -> Array:
    """Return coordinates (frames, dofs) of a robot that follows a person's joint centres, each frame from the last."""
    goals = scale * locate_person(person)
    places = [biped.places[link] for link in LINKS]
    q = np.empty((len(goals), len(biped.skeleton.dofs)))
    last = _guess_first(biped, person, goals[0])
    for frame, goal in enumerate(goals):
        targets = [aim_point(one.joint, one.point, at) for one, at in zip(places, goal, strict=True)]
        last = solve_apart(PoseProblem(biped.skeleton, targets, stay_near(biped.skeleton, last)), last)
        q[frame] = last[0]
    return q


def _guess_first(biped: Biped, person: Fit, goal: Array) -> Array:
    """Return coordinates (1, dofs) of a robot in a bent posture, placed and turned as a person in the first frame."""
    pelvis = person.motion.placement.rotations[:1, person.character.skeleton.names.index("pelvis")]
    turned = quat.multiply(pelvis, quat.conjugate(biped.frame))
    start = biped.bent[None].copy()
    start[:, 3:6] = angles_about(np.eye(3)[::-1], turned)
    hips = np.mean([biped.locate(link) for link in LINKS[:2]], axis=0) - biped.standing.positions[0, 0]
    start[:, :3] = goal[:2].mean(axis=0) - quat.rotate(turned, hips)
    return start
