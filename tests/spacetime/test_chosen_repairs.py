"""A repair that somebody chose does just that: other joints and other frames are as they were."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io import samples
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import remove_artefacts
from gambol.spacetime.chosen_repairs import REPAIRS, _fade
from gambol.spacetime.fix import fix
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import find_stages, measure_fall
from gambol.terms.deviation import KeptCoordinates
from tests.legs.harm import measure_slide, translate
from tests.spacetime.test_artefacts import shake

WALK, JUMP = samples.walk()[40:132], samples.jump()


def _list_turns(motion: Motion, *words: str) -> list[int]:
    """Return the columns of turns of joints whose names have one of these words."""
    dofs = enumerate(motion.skeleton.dofs)
    named = [(n, motion.skeleton.names[dof.joint].lower()) for n, dof in dofs if dof.kind == "turn"]
    return [n for n, name in named if not words or any(word in name for word in words)]


@pytest.mark.parametrize("kind", ["jitter", "rate"])
def test_a_sound_clip_is_returned_as_it_is(kind: str) -> None:
    fixed = fix(WALK, only=[kind])
    np.testing.assert_allclose(fixed.motion.q, WALK.q, atol=1e-9)
    assert fixed.motion.frame_time == WALK.frame_time


def test_only_jitter_removes_noise_and_nothing_else() -> None:
    noisy = shake(WALK, 1.5, 0.004)
    fixed = fix(noisy, only=["jitter"])
    places = remove_artefacts(noisy).motion.placement.positions
    np.testing.assert_allclose(fixed.motion.placement.positions, places, atol=1e-6)
    assert any("noise removed" in note for note in fixed.notes)


def test_only_the_rate_is_corrected() -> None:
    slow = replace(JUMP, frame_time=1.35 * JUMP.frame_time)
    fixed = fix(slow, only=["rate"])
    assert fixed.motion.frame_time == pytest.approx(JUMP.frame_time, rel=0.07)
    np.testing.assert_allclose(fixed.motion.q, slow.q, atol=1e-9)


def test_only_feet_are_planted_by_path_and_legs() -> None:
    offsets = np.stack((0.4 * WALK.times, 0.1 * WALK.times, 0.0 * WALK.times), axis=1)
    skated = translate(WALK, offsets)
    fixed = fix(skated, only=["feet"]).motion
    assert measure_slide(skated, WALK) > 80.0
    assert measure_slide(fixed, WALK) < 4.0
    others = _list_turns(WALK, "spine", "chest", "neck", "head", "arm", "hand", "collar")
    assert others
    np.testing.assert_allclose(fixed.q[:, others], skated.q[:, others], atol=1e-6)


def test_only_flights_are_put_on_parabolas() -> None:
    """A jump that falls too slowly by a third, with a second of standing before and after it."""
    contacts = find_foot_contacts(JUMP)
    (flight,) = [stage for stage in find_stages(contacts) if stage.kind == "flight"]
    time = JUMP.frame_time * np.arange(len(JUMP))[flight.first : flight.last + 1]
    time = time - time[0]
    lift = np.zeros((len(JUMP), 3))
    lift[flight.first : flight.last + 1, 2] = -0.15 * 9.81 * time * (time[-1] - time)
    floating = translate(JUMP, lift)
    fixed = fix(floating, only=["flight"]).motion
    assert abs(measure_fall(floating, flight) + 9.81) > 2.0
    assert measure_fall(fixed, flight) == pytest.approx(-9.81, abs=0.6)
    moved = np.linalg.norm(fixed.placement.positions - floating.placement.positions, axis=2).max(axis=1)
    beside = round(0.55 / JUMP.frame_time)
    assert moved[: flight.first - beside].max(initial=0.0) < 0.002
    assert moved[flight.last + beside :].max(initial=0.0) < 0.002


def test_the_user_is_told_what_can_be_chosen() -> None:
    with pytest.raises(InputError, match="unknown repair 'legs'") as raised:
        fix(WALK, only=["legs"])
    assert all(name in str(raised.value) for name in REPAIRS)
    term = KeptCoordinates(WALK.q, (), 0)
    with pytest.raises(InputError, match="in the whole repair"):
        fix(WALK, only=["feet"], terms=[term])


def test_a_change_fades_beside_a_flight_and_not_at_an_end_of_the_clip() -> None:
    inside, at_begin, at_end = _fade(10, 20, 60)[:, 0], _fade(0, 20, 60)[:, 0], _fade(10, 0, 60)[:, 0]
    assert (inside[[0, -1]] == 0.0).all()
    assert (inside[10:40] == 1.0).all()
    assert (np.diff(inside[:11]) > 0.0).all()
    assert (np.diff(inside[39:]) < 0.0).all()
    np.testing.assert_array_equal(at_begin[10:], inside[10:])
    assert (at_begin[:40] == 1.0).all()
    np.testing.assert_array_equal(at_end[:40], inside[:40])
    assert (at_end[10:] == 1.0).all()
