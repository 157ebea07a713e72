"""Person 1 of the printed model reacts to the hand of person 2, exactly or by direct mappings (M17 section 4.3).

Exact: the latents of both people and of their interaction maximise the joint probability with the observed hand, given
the last two interaction latents. Those of person 1 are free, so that they are their mean. The cost of the interaction
latent i and of person 2's latent x is

C/2 ln σ_f²(x) + |y − f(x, e)|² / 2σ_f²(x) + D/2 ln σ_g²(i) + |x − g(i)|² / 2σ_g²(i) + ½ (i − h)ᵀ S⁻¹ (i − h),

with C columns y of hand samples and D latents of both people. S is the variance of the dynamics h and what the last
latents, which are not known either, add to it: their covariance is that of Laplace's approximation at the last maximum.
Without it errors of the dynamics add up, and the meeting is lost.

Direct: Gaussian processes from the last hand samples to i and to the latents of person 1. Either way f then tells the
pose of person 1. Missing samples let the dynamics h go on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.interaction.trials import NEUTRAL
from gambol.learn.gaussian import GaussianProcess
from gambol.learn.gaussian.latents import LatentCost, minimise_latent_cost
from gambol.motion.kinematics import Placement
from gambol_evidence.printed.hierarchy import Hierarchy, fix_style


class HierarchyState(NamedTuple):
    """Where both people are in the meeting."""

    latents: Array
    """(2, dimensions) last interaction latents."""
    person: Array
    """(dimensions,) latent of person 1."""
    hands: Array
    """(samples, 3) last places of the hand of person 2, the latest last; those not seen are predicted."""
    covariance: Array
    """(2 dimensions, 2 dimensions) of the last interaction latents; exact inference alone uses it."""
    late: float = 0.0
    """Seconds since the last frame."""


class HierarchyFrame(NamedTuple):
    """One frame of person 1."""

    local: Placement
    """Joints relative to their parents, the root relative to the frame of person 1; one frame."""
    hand: Array
    """(3,) place of the touching point (m)."""


@dataclass(frozen=True, eq=False)
class JointCost:
    """Negative log probability of an interaction latent and of person 2's latent, as one vector, up to a constant."""

    interaction: LatentCost
    """Of the interaction latent, without its prior; its posterior is that of person 2's scaled latents."""
    prior_mean: Array
    prior_precision: Array
    """(dimensions, dimensions) of the interaction latent."""
    hand: LatentCost
    """Of person 2's latent, given the observed hand."""
    mean: Array
    scales: Array
    """(dimensions,) of person 2's latents: what is subtracted, and then multiplied by."""

    @property
    def longest_step(self) -> float:
        """Largest distance of a Newton step."""
        return min(self.interaction.longest_step, self.hand.longest_step)

    def evaluate(self, unknowns: Array) -> tuple[float, Array, Array]:
        """Return the cost with gradient and Hessian."""
        size = len(unknowns) - len(self.mean)
        latent, own = unknowns[:size], unknowns[size:]
        scaled = (own - self.mean) * self.scales
        value, gradient, hessian = self.hand.evaluate(own)
        above = replace(self.interaction, target=scaled).evaluate(latent)
        offset = latent - self.prior_mean
        prior = self.prior_precision @ offset
        predicted = self.interaction.posterior.differentiate(latent)
        error = (scaled - predicted.mean) / predicted.variance
        # Of |x − g(i)|² / 2σ², by x, and by x and i.
        pull = self.scales * error
        slopes = predicted.mean_jacobian + np.outer(error, predicted.variance_gradient)
        mixed = -self.scales[:, None] * slopes / predicted.variance
        stiffness = np.diag(self.scales**2 / predicted.variance)
        return (
            value + above[0] + 0.5 * float(offset @ prior),
            np.concatenate([above[1] + prior, gradient + pull]),
            np.block([[above[2] + self.prior_precision, mixed.T], [mixed, hessian + stiffness]]),
        )


@dataclass(frozen=True, eq=False)
class HierarchyPartner:
    """Reacts to a hand; `exact`: by maximising the joint probability, otherwise by the direct mapping."""

    hierarchy: Hierarchy
    exact: bool = False

    def start(self, style: Mapping[str, float] = NEUTRAL) -> HierarchyState:
        """Return the state at rest."""
        model = self.hierarchy
        rest = model.describe(style) @ model.rests
        hands = np.tile(model.rest_hand, (model.lags[-1] + 1, 1))
        covariance = np.tile(model.rest_covariance, (2, 2))
        return HierarchyState(np.tile(rest, (2, 1)), model.split(rest)[0], hands, covariance)

    def step(
        self,
        state: HierarchyState,
        hand: Array | None,
        style: Mapping[str, float] = NEUTRAL,
        seconds: float | None = None,
    ) -> tuple[HierarchyState, HierarchyFrame]:
        """Return the state and the pose after some seconds (default: a frame), given the hand (3,) of person 2.

        Its place is in the frame of person 1 (m); None or NaN: not seen. The model moves in whole frames.
        """
        model, shares = self.hierarchy, self.hierarchy.describe(style)
        elapsed = state.late + (model.frame_time if seconds is None else seconds)
        if not 0.0 <= elapsed < np.inf:
            raise InputError(f"step of {seconds} s", fix="use a number from 0")
        frames = int(elapsed / model.frame_time + 0.5)
        for left in reversed(range(frames)):
            state = self._advance(state, _check_hand(hand) if left == 0 else None, shares)
        state = state._replace(late=elapsed - frames * model.frame_time)
        row, person = model.agents[0].decode(state.person, shares), model.people[0]
        local = person.decode(row[None])
        return state, HierarchyFrame(local, person.arm.locate(local)[0])

    def _advance(self, state: HierarchyState, hand: Array | None, style: Array) -> HierarchyState:
        """Return the state after a frame."""
        model = self.hierarchy
        hands = np.vstack([state.hands[1:], state.hands[-1:] if hand is None else hand])
        latent, covariance = self._predict(state)
        person, other = model.split(latent)
        if hand is None:
            hands[-1] = model.agents[1].decode(other, style)[model.hand][:3]
        elif self.exact:
            latent, covariance = self._infer(latent, covariance, hands, style)
            person, _ = model.split(latent)
        else:
            latent, person = (self._map_directly(each, hands, style) for each in (model.direct, model.direct_person))
        return HierarchyState(np.vstack([state.latents[1:], latent]), person, hands, covariance)

    def _predict(self, state: HierarchyState) -> tuple[Array, Array]:
        """Return the next interaction latent by the dynamics, and the covariance of the last and the next one."""
        if not self.exact:
            return self.hierarchy.dynamics.predict_next(state.latents)[0], state.covariance
        found, size = self.hierarchy.dynamics.differentiate(state.latents), self.hierarchy.rests.shape[1]
        # The last latent stays; the next one depends on the last two.
        moves = np.vstack([np.eye(2 * size)[size:], found.mean_jacobian])
        covariance = moves @ state.covariance @ moves.T
        covariance[size:, size:].flat[:: size + 1] += found.variance
        return found.mean, covariance

    def _map_directly(self, process: GaussianProcess, hands: Array, style: Array) -> Array:
        posterior = fix_style(process, tuple(style.tolist()))
        return posterior.covariance_at(self._stack(hands)) @ posterior.weights

    def _stack(self, hands: Array) -> Array:
        """Return the last hand samples as one vector, the present first."""
        return hands[[-1 - lag for lag in self.hierarchy.lags]].ravel()

    def _infer(self, mean: Array, covariance: Array, hands: Array, style: Array) -> tuple[Array, Array]:
        """Return the most probable interaction latent and the covariance of the last two, given those predicted.

        The search begins at the predicted latent and at the direct one.
        """
        model, size = self.hierarchy, len(mean)
        own = covariance[size:, size:]
        cost, found = make_joint_cost(model, mean, own, self._stack(hands)[: 3 * model.observed], style), []
        for start in (mean, self._map_directly(model.direct, hands, style)):
            found.append(minimise_latent_cost(cost, np.append(start, model.split(start)[1])))
        best, _ = min(found, key=lambda one: one[1])
        hessian = cost.evaluate(best)[2]
        seen = hessian[:size, :size] - cost.prior_precision
        seen -= hessian[:size, size:] @ np.linalg.solve(hessian[size:, size:], hessian[size:, :size])
        sizes, axes = np.linalg.eigh(seen)
        information = (axes * np.maximum(sizes, 0.0)) @ axes.T
        gain = covariance[:, size:] @ information @ np.linalg.inv(np.eye(size) + own @ information)
        return best[:size], covariance - gain @ covariance[size:]


def make_joint_cost(hierarchy: Hierarchy, mean: Array, covariance: Array, hands: Array, style: Array) -> JointCost:
    """Return the cost of latents given the prediction of the interaction latent and hand samples (columns,)."""
    layer, own, mean_hands = hierarchy.interaction, hierarchy.agents[1].gplvm, style @ hierarchy.agents[1].means
    second = slice(hierarchy.agents[0].gplvm.n_components, None)
    above = replace(layer.posterior_, weights=layer.posterior_.weights[:, second])
    below = fix_style(own, tuple(style.tolist()))
    below = replace(below, weights=below.weights[:, hierarchy.hand])
    target = (hands - mean_hands[hierarchy.hand] - own.mean_[hierarchy.hand]) * own.scales_[hierarchy.hand]
    return JointCost(
        LatentCost(above, float(len(layer.scales_)), mean, 0.0),
        mean,
        np.linalg.inv(covariance),
        LatentCost(below, float(len(hands)), np.zeros(own.n_components), 0.0, target),
        layer.mean_[second],
        layer.scales_[second],
    )


def _check_hand(hand: Array | None) -> Array | None:
    """Return a sample (3,), or None where it is not known."""
    if hand is None:
        return None
    if np.shape(hand) != (3,):
        raise InputError(f"hand of shape {np.shape(hand)}", fix="use x, y and z in metres")
    return np.asarray(hand, float) if np.isfinite(hand).all() else None
