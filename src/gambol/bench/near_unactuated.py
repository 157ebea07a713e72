"""`gambol bench near-unactuated`: answers to a push, one character and many, on one core.

Beside them the paper's 20 frames a second (2.8 GHz Core 2 Duo, 2008), and MuJoCo in the same run: the same person as a
ragdoll that PD control holds to the same walk, with the same push, at four substeps a frame. The ragdoll has no
contacts, and no feet that stay where they are: that is to its advantage.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter

import numpy as np

from gambol.bench.rows import Row, measure_seconds
from gambol.body.character import GRAVITY, Character
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.pushes import Push
from gambol.respond.model import ResponseModel, learn_response
from gambol.respond.stepping import respond_to_targets, start_response, step_response

_PAPER = 20.0
_BATCH = 64
_SUBSTEPS = 4
_STIFFNESS, _DAMPING = 300.0, 40.0
"""Of the ragdoll's joints, as along our actuated directions."""


def run() -> Iterator[Row]:
    """Rows as they are measured, on the built-in walk."""
    walk = samples.walk()
    fitted = fit(Character.from_motion(walk, 75.0), walk)
    push = Push("left_upper_arm", (0.0, -0.15 * fitted.character.mass * GRAVITY, 0.0), 0.5)
    targets = fitted.motion.q
    yield Row("learn", _learned(fitted, False), "s")
    with _empty_cache():
        yield Row("learn-compiling", _learned(fitted, True), "s")
    yield Row("learn-compiled", _learned(fitted, True), "s")
    try:
        ragdoll = _ragdoll(fitted, push)
    except ImportError:
        peers = [("the paper", _PAPER)]
    else:
        peers = [("the paper", _PAPER), ("MuJoCo ragdoll", len(targets) / measure_seconds(ragdoll, 5))]
        yield Row("ragdoll-peak", _off(ragdoll(), targets), "deg")
    for kind, model in (("", learn_response(fitted)), ("-compiled", learn_response(fitted, machine_code=True))):
        yield Row(f"peak{kind}", _off(respond_to_targets(model, targets, [push]), targets), "deg")
        one = len(targets) / measure_seconds(lambda: respond_to_targets(model, targets, [push]), 5)  # noqa: B023
        many = _BATCH * len(targets) / measure_seconds(lambda: _together(model, targets, push), 3)  # noqa: B023
        for name, speed in (("one", one), (f"batch-{_BATCH}", many)):
            for peer, theirs in peers:
                yield Row(f"{name}{kind}", speed, "frames/s", peer, theirs, speed / theirs)


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Machine code that was compiled before is not found."""
    before = os.environ.get("XDG_CACHE_HOME")
    with tempfile.TemporaryDirectory() as empty:
        os.environ["XDG_CACHE_HOME"] = empty
        try:
            yield
        finally:
            del os.environ["XDG_CACHE_HOME"]
            if before is not None:
                os.environ["XDG_CACHE_HOME"] = before


def _learned(fitted: Fit, machine_code: bool) -> float:
    """Seconds until a model is learnt and has answered its first frame."""
    begun = perf_counter()
    model = learn_response(fitted, machine_code=machine_code)
    step_response(model, start_response(model, fitted.motion.q[0]), fitted.motion.q[1])
    return perf_counter() - begun


def _together(model: ResponseModel, targets: Array, push: Push) -> None:
    """Many of the same walker, each with a push of its own."""
    state = start_response(model, np.repeat(targets[:1], _BATCH, axis=0))
    pushes = [[Push(push.body, push.force, push.start + 0.01 * n)] for n in range(_BATCH)]
    for target in targets[1:]:
        state, _ = step_response(model, state, np.repeat(target[None], _BATCH, axis=0), pushes)


def _off(poses: Array, targets: Array) -> float:
    """Degrees that a joint is off the walk at most: what a push does, here and there."""
    return float(np.degrees(np.abs(poses - targets)[:, 6:].max()))


def _ragdoll(fitted: Fit, push: Push) -> Callable[[], Array]:
    """The walk, pushed, in MuJoCo: poses (frames, dofs)."""
    import mujoco

    from gambol.body.mjcf import to_mjcf

    model = mujoco.MjModel.from_xml_string(to_mjcf(fitted.character))
    h = fitted.motion.frame_time
    model.opt.timestep = h / _SUBSTEPS
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    stiffness, model.dof_damping[:] = np.full(model.nv, _STIFFNESS), _DAMPING
    # The root is held as ours is, by springs that stand for the legs.
    stiffness[:3], model.dof_damping[:3] = 25.0 * fitted.character.mass, 10.0 * fitted.character.mass
    body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, push.body)
    targets = fitted.motion.q

    def act() -> Array:
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

    return act
