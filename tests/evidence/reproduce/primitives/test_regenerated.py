"""The claims about generated walks: measures that see what is wrong, on the built-in walk and run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.features.strides import find_strides
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.primitives.oscillator import states_on_cycle
from gambol.primitives.player import Player, play
from gambol.primitives.prototypes import close_stride
from gambol_evidence.reproduce.primitives.regenerated import (
    measure_angle_error,
    measure_recovery_times,
    refit_style,
    regenerate_online,
)
from gambol_evidence.reproduce.slip_speeds import measure_slip_speeds, percentile_99
from tests.primitives.learned import moving

WALK = np.array([1.0, 0.0])


def test_what_comes_online_is_compared_phase_by_phase():
    model = moving()
    found = regenerate_online(model, WALK)
    assert measure_angle_error(model.layout, found, model.prototypes.channels[0]) < 0.2
    assert measure_angle_error(model.layout, np.roll(found, 1, axis=0), model.prototypes.channels[0]) > 1.0
    off = found.copy()
    off[:, list(model.layout.joints)] = quat.multiply(
        off[:, list(model.layout.joints)], quat.from_axis_angle((1.0, 0.0, 0.0), np.radians(3.0))
    )
    assert measure_angle_error(model.layout, off, model.prototypes.channels[0]) == pytest.approx(3.0, abs=0.1)


def test_a_held_out_stride_gets_its_own_means_and_weights_and_the_learned_sources():
    model, stride = moving(), find_strides(samples.walk())[0]
    curve = close_stride(model.layout.channels(stride))
    again = refit_style(model, replace(stride, period=2.0 * stride.period))
    assert again.periods == pytest.approx([2.0 * stride.period])
    np.testing.assert_array_equal(again.delays[0], model.delays[0])
    own, refitted = (
        measure_angle_error(model.layout, regenerate_online(one, blend), curve)
        for one, blend in ((model, WALK), (again, np.ones(1)))
    )
    assert refitted < own + 0.02
    flat = replace(again, weights=0.0 * again.weights)
    assert measure_angle_error(model.layout, regenerate_online(flat, np.ones(1)), curve) > 3.0


def test_feet_that_slide_are_seen():
    model = moving()
    motion = play(Player(model), 2.0, lambda _: WALK)
    turned = 2.0 * np.pi * motion.times / model.periods[0]
    contacts = np.stack([model.contacts_at(float(at), WALK) for at in turned])
    assert percentile_99(measure_slip_speeds(motion, contacts)) < 0.05
    q = motion.q.copy()
    slide = next(c for c in motion.skeleton.columns(0, "slide") if motion.skeleton.dofs[c].axis[0])
    q[:, slide] += 0.2 * motion.times
    slid = measure_slip_speeds(replace(motion, q=q), contacts)
    assert np.median(slid) == pytest.approx(0.2, abs=0.02)


def test_oscillators_that_do_not_come_back_are_seen():
    player = Player(moving())
    states = np.stack((states_on_cycle(np.zeros(3)), 20.0 * states_on_cycle(np.array([0.0, 2.0, 4.0]))))
    seconds = measure_recovery_times(player, states)
    assert seconds[0] == 0.0
    assert 0.1 < seconds[1] < 3.0
