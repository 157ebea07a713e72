"""`gambol bench near-unactuated`: responses to a push, of one character and of many, on one core.

Compared with the 20 frames per second of the paper (YL08, 2.8 GHz Core 2 Duo), and with MuJoCo in the same run: the
same person as a ragdoll that PD control holds to the same walk, with the same push, at four substeps per frame. The
ragdoll has no contacts and no planted feet, which is to its advantage.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.pushes import Push
from gambol.respond.model import ResponseModel, learn_response
from gambol.respond.stepping import respond_to_targets, start_response, step_response
from gambol_evidence.bench.rows import NOT_INSTALLED, Row, measure_seconds

_PAPER = 20.0
"""Frames per second of the paper."""
_BATCH = 64
_SUBSTEPS = 4
_STIFFNESS, _DAMPING = 300.0, 40.0
"""Gains of the ragdoll's joints (N m/rad, N m s/rad): those of our actuated coordinates."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured, on the built-in walk."""
    walk = samples.walk()
    fitted = fit(Character.from_motion(walk, 75.0), walk)
    push = Push("left_upper_arm", (0.0, -0.15 * fitted.character.mass * GRAVITY, 0.0), 0.5)
    targets = fitted.motion.q
    yield Row("learn", _time_learning(fitted, False), "s")
    with _empty_cache():
        yield Row("learn-compiling", _time_learning(fitted, True), "s")
    yield Row("learn-compiled", _time_learning(fitted, True), "s")
    peers: dict[str, float | None] = {"the paper": _PAPER, "MuJoCo ragdoll": None}
    try:
        ragdoll = _make_ragdoll(fitted, push)
    except ImportError:
        yield Row("ragdoll-peak", math.nan, "deg", note=f"MuJoCo {NOT_INSTALLED}")
    else:
        peers["MuJoCo ragdoll"] = len(targets) / measure_seconds(ragdoll, 5)
        yield Row("ragdoll-peak", _measure_peak(ragdoll(), targets), "deg")
    for kind, model in (("", learn_response(fitted)), ("-compiled", learn_response(fitted, machine_code=True))):
        yield Row(f"peak{kind}", _measure_peak(respond_to_targets(model, targets, [push]), targets), "deg")
        one = len(targets) / measure_seconds(lambda: respond_to_targets(model, targets, [push]), 5)  # noqa: B023
        many = _BATCH * len(targets) / measure_seconds(lambda: _respond_together(model, targets, push), 3)  # noqa: B023
        for name, speed in (("one", one), (f"batch-{_BATCH}", many)):
            for peer, theirs in peers.items():
                ratio, note = (None, NOT_INSTALLED) if theirs is None else (speed / theirs, "")
                yield Row(f"{name}{kind}", speed, "frames/s", peer, theirs, ratio, note)


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Hide machine code that was compiled before."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = empty
        try:
            yield
        finally:
            del os.environ["XDG_CACHE_HOME"]
            if before is not None:
                os.environ["XDG_CACHE_HOME"] = before


def _time_learning(fitted: Fit, machine_code: bool) -> float:
    """Return the seconds until a model is learned and has computed its first frame."""
    begun = perf_counter()
    model = learn_response(fitted, machine_code=machine_code)
    step_response(model, start_response(model, fitted.motion.q[0]), fitted.motion.q[1])
    return perf_counter() - begun


def _respond_together(model: ResponseModel, targets: Array, push: Push) -> None:
    """Respond with many copies of a walker, each pushed at another time."""
    state = start_response(model, np.repeat(targets[:1], _BATCH, axis=0))
    pushes = [[Push(push.body, push.force, push.start + 0.01 * n)] for n in range(_BATCH)]
    for target in targets[1:]:
        state, _ = step_response(model, state, np.repeat(target[None], _BATCH, axis=0), pushes)


def _measure_peak(poses: Array, targets: Array) -> float:
    """Return the largest deviation (degrees) of a joint angle from the walk: the effect of the push."""
    return float(np.degrees(np.abs(poses - targets)[:, 6:].max()))


def _make_ragdoll(fitted: Fit, push: Push) -> Callable[[], Array]:
    """Return what simulates the pushed walk in MuJoCo and returns its poses (frames, dofs)."""
    import mujoco

    from gambol.body.mjcf import to_mjcf

    model = mujoco.MjModel.from_xml_string(to_mjcf(fitted.character))
    h = fitted.motion.frame_time
    model.opt.timestep = h / _SUBSTEPS
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    stiffness, model.dof_damping[:] = np.full(model.nv, _STIFFNESS), _DAMPING
    # The root is held by springs in place of the legs, as in our response.
    stiffness[:3], model.dof_damping[:3] = 25.0 * fitted.character.mass, 10.0 * fitted.character.mass
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, push.body)
    targets = fitted.motion.q

    def simulate() -> Array:
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:] = targets[0], (targets[1] - targets[0]) / h
        poses = targets.copy()
        for n in range(1, len(targets)):
            velocity = (targets[n] - targets[n - 1]) / h
            data.xfrc_applied[body, :3] = push.force if push.start <= (n - 1) * h < push.end else 0.0
            for part in range(1, _SUBSTEPS + 1):
                goal = targets[n - 1] + part / _SUBSTEPS * h * velocity
                data.qfrc_applied[:] = stiffness * (goal - data.qpos) + model.dof_damping * velocity
                mujoco.mj_step(model, data)
            poses[n] = data.qpos
        return poses

    return simulate
