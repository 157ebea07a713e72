"""A planner that does not look ahead ends anywhere within reach, ours always at the same distance."""

from __future__ import annotations

import numpy as np

from gambol.robots.actions.sequence import measure_advance, plan_actions
from gambol_evidence.reproduce.humanoid.comfort import stop_without_preview
from tests.robots.actions.made import make_drawer, make_model

MODEL = make_model(4)


def test_a_planner_without_preview_ends_anywhere_within_reach() -> None:
    distances = np.linspace(1.2, 2.0, 25).tolist()
    ends = [stop_without_preview(distance, MODEL) for distance in distances]
    reach, step = (MODEL.actions[name].inputs[:, column] for name, column in (("approach", 2), ("walk", 0)))
    assert reach.max() - step.mean() < min(ends) <= max(ends) <= reach.max()
    ours = [
        distance - measure_advance([one.length for one in plan_actions(make_drawer(distance), MODEL)[:-1]])
        for distance in distances
    ]
    assert np.std(ends) > 0.05
    assert np.std(ours) < 1e-9
