"""Person 1 of the printed model reacts: derivatives, both inferences, missing samples, and hostile input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from gambol.errors import InputError
from gambol.interaction.trials import Trial
from gambol.learn.gaussian.evidence import compute_posterior
from gambol.learn.gaussian.kernels import RbfKernel
from gambol.learn.gaussian.latents import LatentCost, minimise_latent_cost
from gambol_evidence.printed.hierarchy_partner import (
    HierarchyFrame,
    HierarchyPartner,
    HierarchyState,
    JointCost,
    make_joint_cost,
)
from tests.evidence.printed.handshakes import learn_handshakes, make_handshake
from tests.learn.gaussian.differences import differentiate_numerically

COVARIANCE = np.diag([0.02, 0.05, 0.03]) + 0.01


def react(
    partner: HierarchyPartner, trial: Trial, unseen: slice = slice(0, 0)
) -> list[tuple[HierarchyState, HierarchyFrame]]:
    """Return states and frames for the hand of person 2 in a trial, without the samples of some frames."""
    state, out = partner.start(trial.style), []
    missing = range(*unseen.indices(len(trial)))
    for frame, hand in enumerate(trial.paths[1]):
        state, found = partner.step(state, None if frame in missing else hand, trial.style)
        out.append((state, found))
    return out


def measure_errors(partner: HierarchyPartner, trial: Trial, unseen: slice = slice(0, 0)) -> np.ndarray:
    """Distances (frames,) in metres between the hand of person 1 and that of the trial."""
    hands = np.array([frame.hand for _, frame in react(partner, trial, unseen)])
    return np.linalg.norm(hands - trial.paths[0], axis=1)


def make_cost() -> JointCost:
    """A cost of three interaction latents and two of person 2, with posteriors that rounding does not disturb."""
    random = np.random.default_rng(0)
    latents, own = random.normal(size=(25, 3)), random.normal(size=(25, 2))
    above = compute_posterior(RbfKernel(1.2, (0.8,), 100.0), latents, np.sin(latents @ random.normal(size=(3, 2))))
    below = compute_posterior(RbfKernel(0.9, (0.6,), 80.0), own, np.cos(own @ random.normal(size=(2, 6))))
    seen = below.mean(own[:1])[0] + 0.1
    return JointCost(
        LatentCost(above, 4.0, np.zeros(3), 0.0),
        np.array([0.1, -0.2, 0.3]),
        np.linalg.inv(COVARIANCE),
        LatentCost(below, 6.0, np.zeros(2), 0.0, seen),
        np.array([0.05, -0.1]),
        np.array([1.4, 0.8]),
    )


POINT = np.array([0.3, -0.4, 0.2, 0.5, -0.1])


def test_derivatives_of_the_joint_cost() -> None:
    cost = make_cost()
    _, gradient, hessian = cost.evaluate(POINT)
    np.testing.assert_allclose(gradient, differentiate_numerically(lambda x: cost.evaluate(x)[0], POINT), rtol=1e-5)
    bends = differentiate_numerically(lambda x: cost.evaluate(x)[1], POINT)
    np.testing.assert_allclose(hessian, bends, rtol=1e-5, atol=1e-3)


def test_the_joint_cost_written_out() -> None:
    cost = make_cost()
    latent, own = POINT[:3], POINT[3:]
    offset = latent - cost.prior_mean
    wanted = 0.5 * offset @ np.linalg.solve(COVARIANCE, offset)
    for posterior, count, at, target in (
        (cost.interaction.posterior, 4, latent, (own - [0.05, -0.1]) * [1.4, 0.8]),
        (cost.hand.posterior, 6, own, cost.hand.target),
    ):
        variance, error = posterior.variance(at[None])[0], target - posterior.mean(at[None])[0]
        wanted += 0.5 * count * np.log(variance) + 0.5 * error @ error / variance
    assert cost.evaluate(POINT)[0] == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("reduced", [False, True])
def test_the_joint_cost_of_a_model_has_its_layers(reduced: bool) -> None:
    """Where the hand is as both layers tell, errors are 0; the hand alone is observed, also if person 2 is whole."""
    model = learn_handshakes(reduced=reduced)
    style, latent = model.describe({"sad": 0.7}), model.interaction.latents_[14]
    _, own = model.split(latent)
    hands = model.agents[1].decode(own, style)[model.hand]
    cost = make_joint_cost(model, latent, COVARIANCE, hands, style)
    above, below = (each.posterior.predict(at) for each, at in ((cost.interaction, latent), (cost.hand, own)))
    wanted = 0.5 * 6 * (np.log(above[1]) + np.log(below[1]))
    assert cost.evaluate(np.append(latent, own))[0] == pytest.approx(wanted, rel=1e-6)
    np.testing.assert_allclose(below[0], cost.hand.target, atol=1e-8)


def test_newton_finds_the_minimum() -> None:
    model = learn_handshakes()
    trial = make_handshake(0.05, 0.04)
    hands = np.append(trial.paths[1][12], trial.paths[1][9])
    start = model.interaction.latents_[12]
    cost = make_joint_cost(model, start, COVARIANCE, hands, model.describe({}))
    begun = np.append(start, model.split(start)[1])
    wanted = minimize(lambda x: cost.evaluate(x)[:2], begun, jac=True, method="BFGS", options={"gtol": 1e-4})
    found, value = minimise_latent_cost(cost, begun)
    assert value == pytest.approx(wanted.fun, abs=0.01)
    assert value < cost.evaluate(begun)[0] - 1.0
    assert np.abs(found - wanted.x).max() < 0.02


@pytest.mark.parametrize(("exact", "most"), [(False, 0.01), (True, 0.04)])
def test_hands_meet_in_unseen_trials(exact: bool, most: float) -> None:
    partner = HierarchyPartner(learn_handshakes(), exact)
    for trial in (make_handshake(0.05, 0.04), make_handshake(-0.04, -0.05, "sad")):
        assert measure_errors(partner, trial)[trial.contact] < most


@pytest.mark.parametrize("exact", [False, True])
def test_missing_samples_let_the_dynamics_go_on(exact: bool) -> None:
    partner, trial = HierarchyPartner(learn_handshakes(), exact), make_handshake()
    gap = slice(12, 17)
    errors = measure_errors(partner, trial, gap)
    stopped = np.linalg.norm(trial.paths[0][16] - trial.paths[0][11])
    assert stopped > 0.25  # what a hand that waits would be off by
    assert errors[gap].max() < 0.3 * stopped
    states = [state for state, _ in react(partner, trial, gap)]
    assert np.abs(states[14].hands[-1] - states[13].hands[-1]).max() > 0.01


def test_exact_inference_of_a_gap_is_less_certain() -> None:
    partner, trial = HierarchyPartner(learn_handshakes(), True), make_handshake()
    seen, unseen = (react(partner, trial, gap)[16][0].covariance for gap in (slice(0, 0), slice(12, 17)))
    assert np.linalg.eigvalsh(seen).min() > -1e-9
    assert np.trace(unseen) > 2.0 * np.trace(seen)


def test_nan_is_a_missing_sample() -> None:
    partner = HierarchyPartner(learn_handshakes())
    state = partner.start()
    one, two = (partner.step(state, hand)[0] for hand in (None, np.array([0.1, np.nan, 0.2])))
    np.testing.assert_array_equal(one.latents, two.latents)


def test_steps_of_half_a_frame() -> None:
    """The model moves in whole frames, and no time is lost."""
    partner, trial = HierarchyPartner(learn_handshakes()), make_handshake()
    state, half = partner.start(), 0.5 * partner.hierarchy.frame_time
    for hand in trial.paths[1][:20]:
        state, _ = partner.step(state, hand, seconds=half)
        state, _ = partner.step(state, hand, seconds=half)
    np.testing.assert_allclose(state.hands, trial.paths[1][13:20])
    assert abs(state.late) < 1e-9


@pytest.mark.parametrize("exact", [False, True])
def test_answers_are_the_same_and_finite_wherever_the_hand_is(exact: bool) -> None:
    partner = HierarchyPartner(learn_handshakes(), exact)
    state = partner.start()
    for hand in ([9.0, 9.0, 9.0], [0.0, 0.0, 0.0], [-30.0, 1.0, 1.0]):
        again, _ = partner.step(state, np.array(hand))
        state, frame = partner.step(state, np.array(hand))
        np.testing.assert_array_equal(again.latents, state.latents)
        assert np.isfinite(frame.local.rotations).all()
        assert np.isfinite(state.covariance).all()


def test_bad_input() -> None:
    partner = HierarchyPartner(learn_handshakes())
    with pytest.raises(InputError, match="unknown style 'angry'"):
        partner.start({"angry": 1.0})
    with pytest.raises(InputError, match="shape"):
        partner.step(partner.start(), np.zeros(2))
    with pytest.raises(InputError, match="step of -1"):
        partner.step(partner.start(), None, seconds=-1.0)
