"""Nonlinear inverse optimisation as printed (L05 section 5.6.1): the recording should have little more energy than
the motion of least energy.

Costs of joints sum to one, springs start as in (5.26), accelerations and postures cost nothing, and solves stop after
20 iterations, as the thesis suggests. The gradient of the difference of energies is approximated with the motion just
found (5.25); the length of a step is found by the printed line search. On recordings the styles that it finds do not
generate them once solves converge (see `styles.learning`, which is used by default).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from gambol.geometry.arrays import Array
from gambol.progress import Progress, accept_stop, pass_messages, silent
from gambol.styles.learning import LearnedClip, LearnedStyle, StyleStart, measure_moment
from gambol.styles.scene import SolvedScene, StyleScene, fit_scene, generate_motion
from gambol.terms.muscle import IS_REST, MuscleCost, find_joint_columns

PRINTED_STEPS = 50
_INNER = 20
"""Iterations of a solve."""
_SUM, _SHORTEST = 1e4, 1e-6
"""Weight of the soft constraints on the costs (5.22), and the shortest step of the line search."""
_UNKNOWN = 1e9
"""Standard error of what is not known."""
_LEAST = 1e-9
"""Least value of costs, stiffness and damping, which are not bounded in the thesis."""


def learn_printed(
    scene: StyleScene,
    *,
    steps: int = PRINTED_STEPS,
    progress: Progress = silent,
) -> LearnedStyle:
    """Learn the parameters of a recorded motion as printed; the generated motion is that of the last, stopped solve."""
    messages = pass_messages(progress)
    progress("fitting the clip to physics", 0, None)
    fitted = fit_scene(scene, messages)
    scene = scene.with_reference(fitted.q)
    parameters = find_printed_start(fitted)

    def measure(tried: Array) -> tuple[float, SolvedScene]:
        """Return G + D and the motion found."""
        found = generate_motion(scene, np.maximum(tried, _limit(tried)), iterations=_INNER, progress=messages)
        gap = _find_energy(fitted, tried) - _find_energy(found, tried)
        return gap + _SUM * ((tried[:, 0].sum() - 1.0) ** 2 + (np.minimum(tried[:, 0], 0.0) ** 2).sum()), found

    value, found = measure(parameters)
    moments = [measure_moment(found.q, scene)]
    stopped = False
    try:
        for step in range(steps):
            progress(f"printed algorithm (difference of energies {value:.3g}): step", step, steps)
            slope = _differentiate_energy(fitted, parameters) - _differentiate_energy(found, parameters)
            slope[:, 0] += 2.0 * _SUM * (parameters[:, 0].sum() - 1.0 + np.minimum(parameters[:, 0], 0.0))
            slope[:, 4:6] = 0.0
            length, (here, now) = 1.0, measure(parameters - slope)
            while length > _SHORTEST:
                there, then = measure(parameters - 0.5 * length * slope)
                if here <= there:
                    break
                length, here, now = 0.5 * length, there, then
            if here >= value:
                break
            moment = measure_moment(now.q, scene)
            parameters, value, found, moments = parameters - length * slope, here, now, [*moments, moment]
    except KeyboardInterrupt as stop:
        if len(moments) == 1:
            raise
        accept_stop(stop)
        stopped = True
    start = StyleStart(parameters[:, :-1], parameters[:, -1])
    unknown, limited = np.full(parameters.shape, _UNKNOWN), np.maximum(parameters, _limit(parameters))
    return LearnedStyle((LearnedClip(scene, fitted, found),), start, limited, unknown, tuple(moments), stopped)


def find_printed_start(fitted: SolvedScene) -> Array:
    """Return equal costs, and springs about the mean pose that leave the least torque to muscles (5.26)."""
    angles, step = fitted.q[:, find_joint_columns(fitted.space)], fitted.space.step_times[0]
    away = angles - angles.mean(axis=0)
    rates = (angles[2:] - angles[:-2]) / (2.0 * step)
    rows = []
    for joint, torque in enumerate(fitted.joint_torques.T):
        inner = away[1:-1, joint]
        columns = np.column_stack([np.maximum(inner, 0.0), np.minimum(inner, 0.0), rates[:, joint]])
        above, below, damping = nnls(columns, -torque)[0]
        rows.append([1.0 / angles.shape[1], above, below, damping, 0.0, 0.0, angles[:, joint].mean()])
    return np.array(rows)


def _limit(parameters: Array) -> Array:
    """Return the least values of parameters: all but rest angles are positive."""
    return np.where(IS_REST, -np.inf, _LEAST) * np.ones_like(parameters)


def _find_energy(found: SolvedScene, parameters: Array) -> float:
    torques = found.find_muscle_torques(parameters)
    return float(found.space.step_times[0] * (parameters[:, 0] * torques**2).sum())


def _differentiate_energy(found: SolvedScene, parameters: Array) -> Array:
    """Return derivatives (joint dofs, 7) of the energy of a motion by the parameters."""
    return MuscleCost(found.torque, parameters).differentiate_cost(found.space, found.solution.x)
