"""Claims about actions that are learned again, from what the simulated robot did (M17 section 3.4)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.metrics.figures import Band
from gambol.robots.actions.model import ActionModel, ActionTask, learn_actions
from gambol.robots.actions.trials import APPROACHING, OPENING, WALKING, ActionTrial
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.drawer import Drawer
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.humanoid.setting import FROZEN, DrawerRun, HumanoidSetting, resample

_TRAINED, _TESTED = 12, 4
_SPREAD = 0.03
_SHARES = np.linspace(0.0, 1.0, 61)


def measure_retraining(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    body = UpperBody(setting.robot)
    runs = [setting.open_drawer(_draw(FROZEN + 300 + seed, _SPREAD)) for seed in range(_TRAINED)]
    trials = [trial for number, one in enumerate(runs) for trial in collect_trials(one, body, f"run {number}")]
    away, peaks = [], []
    for model in (setting.model, learn_actions(trials)):
        tested = [
            setting.open_drawer(_draw(FROZEN + 400 + seed, 0.2 * _SPREAD), model=model) for seed in range(_TESTED)
        ]
        cuts = [trial for one in tested for trial in collect_trials(one, body, "")]
        away.append(float(np.degrees(np.sqrt(np.mean([_measure_away(trial, model) ** 2 for trial in cuts])))))
        peaks.append(max(one.run.peak_force for one in tested))
    data = f"{_TRAINED} runs learned from, {_TESTED} others"
    yield Claim(
        "retrained", "M17 section 3.4",
        "angles of the upper body: distance of what the robot does from what was synthesised, after retraining",
        away[1], "degrees", f"{data}; before: {away[0]:.2f}", Band(high=away[0]),
    )  # fmt: skip
    yield Claim(
        "retrained-force", "M17 section 3.4", "largest force on a foot, after retraining",
        peaks[1], "body weights", f"{data}; before: {peaks[0]:.2f}", Band(high=1.41),
    )  # fmt: skip


def collect_trials(one: DrawerRun, body: UpperBody, source: str) -> list[ActionTrial]:
    """Return what a robot did as trials of its actions."""
    run, plan = one.run, one.planner.plan
    steps = [step for step in plan if step.action in (WALKING, APPROACHING)]
    landings = [time for time, _ in run.footprints[: len(steps)]]
    bounds = [landings[0] - steps[0].duration, *landings]
    opening = plan[len(steps)]
    cuts = [(steps[n], bounds[n], bounds[n + 2]) for n in range(0, len(steps), 2)]
    trials = []
    for step, begin, end in (*cuts, (opening, bounds[-1], bounds[-1] + opening.duration)):
        first, last = (int(np.searchsorted(run.times, time)) for time in (begin, end))
        angles = resample(run.q[first:last][:, body.columns], _SHARES)
        path = resample(run.q[first:last, :2], _SHARES)
        drawer = None if step.action == WALKING else step.task.drawer
        trials.append(ActionTrial(step.action, angles, path - path[0], step.length, step.duration, drawer, source))
    return trials


def _measure_away(trial: ActionTrial, model: ActionModel) -> float:
    """Return the distance (rad) of a trial from the curve of its task, root mean square."""
    curve = model.synthesise(trial.action, ActionTask(trial.length, trial.duration, trial.drawer))
    shares = _SHARES if trial.action == OPENING else _SHARES[:-1]
    wanted = np.stack([curve.evaluate(float(share))[0] for share in shares])
    return float(np.sqrt(np.mean((trial.angles[: len(shares)] - wanted) ** 2)))


def _draw(seed: int, spread: float) -> Drawer:
    """Return a drawer before which the robot need not go aside, with an object that is anywhere within a spread (m)."""
    random = np.random.default_rng(seed)
    handle = np.array([random.uniform(1.4, 2.4), random.uniform(0.06, 0.2), random.uniform(0.88, 1.06)])
    return Drawer(handle, handle + [-0.07, -0.22, -0.05] + spread * random.uniform(-1.0, 1.0, 3))
