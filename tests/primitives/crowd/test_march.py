"""Marches converge where certified, and do not where conditions are violated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.contraction.certificate import Verdict
from gambol.errors import InputError
from gambol.primitives.crowd import library
from gambol.primitives.crowd.certificates.phases import certify_phases
from gambol.primitives.crowd.control import ControlGains
from gambol.primitives.crowd.march import CrowdState, MarchModel, OrderParameters, StartSpread, simulate_march
from gambol.primitives.crowd.profile import SpeedProfile
from gambol.primitives.crowd.scene import MarchAct, read_scene
from tests.primitives.walking import gaits

PROFILE = SpeedProfile.of(1.0 + 0.15 * np.cos(2.0 * np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)))


def troop(control: ControlGains = ControlGains(), rows: int = 3, columns: int = 4) -> MarchModel:
    act = MarchAct(rows=rows, columns=columns)
    return MarchModel(control, act.graph, act.places, PROFILE, 1.0, 1.1)


@pytest.mark.parametrize("seed", [1, 2])
def test_from_any_start_it_falls_into_step_and_into_place(seed: int) -> None:
    whole = troop()
    done = simulate_march(whole, gaits(), whole.draw_start(StartSpread(), seed), 30.0, 30.0)
    first, last = OrderParameters(*done.orders[0]), OrderParameters(*done.orders[-1])
    assert first.in_step < 0.8
    assert last.in_step > 0.999
    assert last.out_of_rank < 0.05 < first.out_of_rank
    assert last.out_of_row < 0.1 < first.out_of_row
    assert last.turned < 0.02


def test_steps_corrected_too_hard_once_a_stride_never_settle() -> None:
    hard = ControlGains(step=4.0, step_limit=0.7, stride_updates=True)
    soft = replace(hard, step=0.2, step_limit=0.3)
    ends = []
    for control in (hard, soft):
        whole = troop(control)
        done = simulate_march(whole, gaits(), whole.draw_start(StartSpread(phases=0.1, frequencies=0.0), 1), 30.0, 30.0)
        ends.append(done.orders[-300:, 1].mean())
    assert ends[0] > 0.15 > 3.0 * ends[1]


def test_who_hardly_listens_does_not_fall_into_step() -> None:
    deaf = troop(ControlGains(coupling=0.02, frequency=0.002))
    done = simulate_march(deaf, gaits(), deaf.draw_start(StartSpread(), 1), 30.0, 30.0)
    assert done.orders[-1, 0] < 0.8


def test_bodies_never_step_backward_and_arrive_at_the_phase_of_their_oscillators() -> None:
    whole = troop()
    begin = whole.draw_start(StartSpread(), 2)
    done = simulate_march(whole, gaits(), begin, 12.0, 60.0)
    assert np.diff(done.paths.phases, axis=0).min() >= 0.0
    spread = np.abs(np.mean(np.exp(1j * done.paths.phases), axis=1))
    assert spread[-1] > 0.999


def test_the_integration_has_its_order() -> None:
    whole = troop()
    begin = whole.draw_start(StartSpread(phases=1.0), 4)

    def after(steps: int) -> CrowdState:
        ranks = begin
        for _ in range(steps):
            ranks = whole.advance(ranks, 0.4 / steps)
        return ranks

    exact, coarse, fine = after(256), after(8), after(16)
    errors = [np.abs(found.oscillator - exact.oscillator).max() for found in (coarse, fine)]
    assert errors[0] / errors[1] > 10.0


def test_near_rest_phases_part_in_the_march_as_fast_as_its_certificate_shows() -> None:
    """The certificate and the simulation have the same alpha, coupling and graph."""
    for control in (ControlGains(relaxation=1.0, coupling=0.3), ControlGains(relaxation=2.5, coupling=1.0)):
        whole = troop(control)
        shown = certify_phases(whole.graph, control.coupling, control.relaxation)
        assert shown.verdict is Verdict.REFUTED
        assert shown.witness is not None
        vector = np.linalg.eigh(whole.graph.laplacian.toarray())[1][:, 1]
        begin = whole.draw_start(StartSpread(phases=0.0, frequencies=0.0), 1)
        state = begin._replace(oscillator=1e-5 * np.stack((vector, np.zeros_like(vector)), axis=1))
        for _ in range(40):
            state = whole.advance(state, 0.02)
        grown = np.linalg.norm(state.oscillator) / 1e-5
        assert np.log(grown) / 0.8 == pytest.approx(shown.witness.growth, rel=1e-3)


def test_alone_an_amplitude_returns_to_one_as_the_equation_of_the_limit_cycle_says() -> None:
    """All agents alike: r^2 follows the logistic curve with the rate 2 alpha, and the phase turns at the frequency."""
    whole = troop(ControlGains(relaxation=1.7))
    begin = whole.draw_start(StartSpread(phases=0.0, frequencies=0.0), 1)
    for amplitude in (0.3, 1.6):
        state = begin._replace(oscillator=amplitude * begin.oscillator)
        for _ in range(50):
            state = whole.advance(state, 0.01)
        expected = 1.0 / (1.0 + (amplitude**-2 - 1.0) * np.exp(-2.0 * 1.7 * 0.5))
        np.testing.assert_allclose(np.sum(state.oscillator**2, axis=1), expected, rtol=1e-6)
        turned = np.exp(1j * (state.phase - begin.phase))
        np.testing.assert_allclose(turned, np.exp(1j * 0.5 * 2.0 * np.pi / 1.1), atol=1e-6)


def test_nobody_begins_inside_another_and_what_cannot_be_is_told() -> None:
    whole = troop(rows=6, columns=6)
    ranks = whole.draw_start(StartSpread(out_of_place=0.6), 7)
    places = whole.places + np.stack((ranks.progress, ranks.lateral), axis=1)
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 9.0 * np.eye(36)
    assert apart.min() >= 0.5
    tight = replace(whole, places=0.3 * whole.places)
    with pytest.raises(InputError, match="start too close"):
        tight.draw_start(StartSpread(out_of_place=0.6), 7)


def test_the_scenes_that_come_with_gambol_are_the_paper_s_two() -> None:
    good, bad = (read_scene(library.find(name)).act for name in ("march", "stampede"))
    assert isinstance(good, MarchAct)
    assert isinstance(bad, MarchAct)
    assert good.rows * good.columns == bad.rows * bad.columns == 36
    assert bad.control.stride_updates
    assert not good.control.stride_updates
