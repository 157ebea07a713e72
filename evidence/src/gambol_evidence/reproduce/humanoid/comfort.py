"""Claims about end-state comfort, and about how human-like pelvis and arms move (M17 sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.robots.actions.model import ActionModel, ActionTask
from gambol.robots.actions.player import ActionPlayer
from gambol.robots.actions.sequence import PlannedStep, measure_advance
from gambol.robots.actions.trials import APPROACHING, WALKING
from gambol.robots.actions.upper_body import UpperBody
from gambol.robots.drawer import Drawer
from gambol.robots.execution import Orders, Run, execute
from gambol.robots.pattern import PERIOD, Gait
from gambol.robots.stabiliser import SensedState
from gambol.robots.verb import make_robot_trials
from gambol.robots.walker import TICK, WalkingState
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.humanoid.gaits import SteadyGait
from gambol_evidence.reproduce.humanoid.setting import FROZEN, LEARNED_WALKS, HumanoidSetting, draw_world, resample

_DRAWERS, _WALKED = 100, 10
_DISTANCES = (1.3, 2.6)
_STEPS = 8
_SHARES = np.linspace(0.0, 1.0, 61)


def measure_comfort(setting: HumanoidSetting) -> Iterator[Claim]:
    """Yield the claims."""
    walked, planned = [], []
    for seed in range(FROZEN + 200, FROZEN + 200 + _DRAWERS):
        random = np.random.default_rng(seed)
        world, distance = draw_world(random, seed), random.uniform(*_DISTANCES)
        handle, item = (distance, 0.12, 0.95), (distance - 0.07, -0.1, 0.9)
        if seed < FROZEN + 200 + _WALKED:
            run = setting.open_drawer(Drawer(np.array(handle), np.array(item)), world).run
            feet = [foot.x for _, foot in run.footprints[-4:-2]]  # two steps on the spot follow
            walked.append(distance - float(np.mean(feet)))
        planned.append(stop_without_preview(distance, setting.model))
    ours, blind = (100.0 * float(np.std(ends)) for ends in (walked, planned))
    yield Claim(
        "comfort", "M17 section 3.2", "spread of the distance at which the robot stops before drawers",
        ours, "cm", f"{_WALKED} runs; {_DRAWERS} plans that do not look ahead: {blind:.1f} cm", Band(high=0.25 * blind),
    )  # fmt: skip
    yield from _measure_likeness(setting)


def stop_without_preview(distance: float, model: ActionModel) -> float:
    """Return how far (m) from a drawer steps of the mean learned length end that stop as soon as it is in reach."""
    step, reach = (
        float(model.actions[WALKING].inputs[:, 0].mean()),
        float(model.actions[APPROACHING].inputs[:, 2].max()),
    )
    count = 0
    while distance - measure_advance([step] * count) > reach:
        count += 1
    return distance - measure_advance([step] * count)


def _measure_likeness(setting: HumanoidSetting) -> Iterator[Claim]:
    """How far arms, trunk and pelvis are from those of retargeted walks: ours, and those of the generator alone."""
    trials = [trial for trial in make_robot_trials(setting.robot, setting.walks) if trial.action == WALKING]
    columns, runs = UpperBody(setting.robot).columns, []
    lengths, durations = (float(np.median([getattr(t, name) for t in trials])) for name in ("length", "duration"))
    gait = Gait(np.array([lengths / durations, 0.0]), samples=round(durations / PERIOD))
    for planner in (_LearnedGait(setting, gait), SteadyGait(setting.walker, gait, _STEPS)):
        runs.append(execute(setting.walker, planner, seconds=30.0))
    human = [(resample(trial.angles, _SHARES), _sway(trial.path)) for trial in trials]
    robots = [_cut_cycle(run, columns) for run in runs]
    data = f"a gait cycle beside {len(trials)} of {', '.join(LEARNED_WALKS)}; the generator alone"
    for part, name, words, unit, scale in (
        (0, "arms", "angles of arms and trunk", "degrees", 180.0 / np.pi),
        (1, "pelvis", "sway of the pelvis", "cm", 100.0),
    ):
        ours, alone = (
            scale * float(np.mean([np.sqrt(np.mean((robot[part] - one[part]) ** 2)) for one in human]))
            for robot in robots
        )
        yield Claim(
            f"likeness-{name}", OUR_BAR, f"{words}: distance from the retargeted walks, root mean square",
            ours, unit, f"{data}: {alone:.2f}", Band(high=alone),
        )  # fmt: skip


class _LearnedGait(SteadyGait):
    """Steps of one gait with the upper body of the learned WALKING."""

    def __init__(self, setting: HumanoidSetting, gait: Gait) -> None:
        super().__init__(setting.walker, gait, _STEPS)
        body = UpperBody(setting.robot)
        self._player = ActionPlayer(body, setting.model)
        self._playing = self._player.start()
        task = ActionTask(float(gait.velocity[0]) * gait.seconds, gait.seconds)
        self._plan = tuple(PlannedStep(WALKING, task, bool(n % 2)) for n in range(_STEPS))

    def order(self, state: WalkingState, sensed: SensedState) -> Orders:
        """Return what to do in the next tick."""
        orders = super().order(state, sensed)
        if self.step < 0:
            return orders
        self._playing, posture = self._player.advance(self._playing, TICK, self._plan)
        return orders._replace(posture=posture)


def _cut_cycle(run: Run, columns: Sequence[int]) -> tuple[Array, Array]:
    """Return upper-body angles (phases, columns) and sway (phases, 2) from one strike of the right foot to the next."""
    strikes = [time for time, foot in run.footprints if foot.side == 1]
    begin, end = (int(np.searchsorted(run.times, time)) for time in strikes[1:3])
    return resample(run.q[begin:end][:, list(columns)], _SHARES), _sway(run.q[begin:end, :2])


def _sway(path: Array) -> Array:
    """Return how a path (samples, 2) deviates from even progress (phases, 2), in metres."""
    found = resample(path, _SHARES)
    away = found - found[0] - _SHARES[:, None] * (found[-1] - found[0])
    return np.asarray(away - away.mean(axis=0))
