"""Claims about playback: reference motions in MuJoCo by joint position control, without balance.

From every tenth frame the robot starts with the pose and velocity of the motion, and its joints follow it for a second.
A motion that obeys the laws of dynamics leaves its path later than one that does not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.interpolate import CubicSpline

from gambol.body.robot_description import JOINTS
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.robots.biped import Biped
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.simulation import Simulation
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.robots.setting import RobotsSetting

_EVERY, _SECONDS = 10, 1.0
"""Frames between starts, and seconds that are simulated from each."""
_TICK = 0.005
"""Seconds between goals of the joints."""
_FAR = 0.1
"""Distance (m) of the base from its path at which the robot has left it."""
_LOST = 1.0
"""Distance (m) at which the simulation ends and the drift stays: robots that lie have a singular orientation."""
_LEVEL = 0.005
"""Largest difference (m) between heights of the ground in a clip that is played on a plane."""
_SOURCE = "our bar: a motion that is dynamically consistent drifts later"


def measure_playback(setting: RobotsSetting) -> Iterator[Claim]:
    """Yield the claims, on the first robot."""
    name, robot = next(iter(setting.robots.items()))
    solved: list[Array] = []
    kinematic: list[Array] = []
    driven: list[Array] = []
    clips = 0
    for clip in setting.clips:
        made = [setting.attempt(name, clip, fast=fast).result for fast in (False, True)]
        references = [result.reference for result in made if result is not None]
        if len(references) < 2 or np.ptp(references[0].ground) > _LEVEL:
            continue
        clips += 1
        solved += play_back(robot, references[0])
        kinematic += play_back(robot, references[1])
        driven += play_back(robot, references[0], feed_forward=True)
    data = f"{name}: {clips} clips on level ground, {len(solved)} starts"
    for row, words, drifts, beside, other in (
        ("playback", "joint position control", solved, kinematic, "--fast"),
        ("playback-driven", "torques fed forward", driven, solved, "without torques fed forward"),
    ):
        left, compared = (float(np.mean([_find_leaving(drift) for drift in each])) for each in (drifts, beside))
        yield Claim(
            f"{row}-later", _SOURCE, f"mean time until the base is 10 cm off its path, at most 1 s, {words}", left, "s",
            f"{data}; {other} {compared:.3g} s", Band(low=compared),
        )  # fmt: skip
        drift, compared = (100.0 * float(np.median([each[-1] for each in chosen])) for chosen in (drifts, beside))
        yield Claim(
            f"{row}-drift", _SOURCE, f"drift of the base after {_SECONDS:g} s, {words}: median", drift, "cm",
            f"{data}; {other} {compared:.3g} cm", Band(high=compared),
        )  # fmt: skip


def play_back(robot: Biped, reference: ReferenceMotion, *, feed_forward: bool = False) -> list[Array]:
    """Return how far (ticks,) the base is from its path (m), for every start.

    With `feed_forward`, the torques that the motion needs are added, within the limits of the joints.
    """
    times, ground = reference.motion.times, float(np.median(reference.ground))
    path = CubicSpline(times, reference.motion.q - ground * np.eye(reference.motion.q.shape[1])[2])
    velocity = path.derivative()
    most = robot.description.torques[JOINTS]
    torques = CubicSpline(times, np.clip(reference.torques, -most, most)) if feed_forward else None
    drifts = []
    for start in times[::_EVERY]:
        if start + _SECONDS > times[-1] + 1e-9:
            break
        simulation = Simulation(robot, path(start))
        simulation.data.qvel[:] = velocity(start)
        # Controllers damp the velocity of joints, not its error: goals are ahead by as much.
        lead = -simulation.model.actuator_biasprm[:, 2] / simulation.model.actuator_gainprm[:, 0]
        away = np.full(round(_SECONDS / _TICK), _LOST)
        for tick, time in enumerate(start + _TICK * np.arange(len(away))):
            goal, middle = path(time + _TICK), time + 0.5 * _TICK
            goal[JOINTS] = path(middle)[JOINTS] + lead * velocity(middle)[JOINTS]
            if torques is not None:
                simulation.data.qfrc_applied[JOINTS] = torques(middle)
            simulation.advance(goal, _TICK)
            away[tick] = np.linalg.norm(simulation.q[:3] - goal[:3])
            if away[tick] > _LOST:
                break
        drifts.append(away)
    return drifts


def _find_leaving(drift: Array) -> float:
    """Return when (s) the base is far from its path first."""
    far = np.flatnonzero(drift > _FAR)
    return _TICK * float(far[0] if len(far) else len(drift))
