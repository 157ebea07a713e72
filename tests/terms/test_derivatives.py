"""Every term's Jacobian and Hessian by finite differences; a term that is not in the registry fails a test."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import replace

import numpy as np
import pytest

import gambol.terms
from gambol.body.kernels import Kernels, make_kernels
from gambol.contacts.foothold import Foothold
from gambol.solve.assemble import assemble
from gambol.solve.problem import Problem
from gambol.terms.balance import BalanceCost, CenterReturnCost, CenterTarget, RestCost
from gambol.terms.contacts import Clearance, FixedContacts, Separation, ShoeSprings
from gambol.terms.curve import MomentumCurve
from gambol.terms.deviation import (
    Cycle,
    KeptCoordinates,
    MassDisplacement,
    PoseDeviation,
    PosesUpToTravel,
    PoseTarget,
    RepeatedChange,
)
from gambol.terms.direction import ForceDirectionCost
from gambol.terms.foothold import FootholdChange
from gambol.terms.forces import ExternalForce, Grasp, Press, RubberBand
from gambol.terms.momentum import NewtonEuler
from gambol.terms.muscle import MuscleCost
from gambol.terms.separation import LinkSeparation
from gambol.terms.smoothness import AccelerationCost, ForceFadeCost, ForceRateCost, VelocityCost
from gambol.terms.space import Term, make_space
from gambol.terms.speed import JointSpeedLimit, SpeedTarget
from gambol.terms.splines import MomentumSpline
from gambol.terms.torque import JointTorque, TorqueLimit
from tests.terms.bodies import SOLE, STEP, hopping, monopod, sole_of

FRAMES, MONOPOD, TIP = 6, monopod(), SOLE[1]
START = hopping(FRAMES) + 0.05 * np.random.default_rng(1).normal(size=(FRAMES, 10))
HOLD = sole_of(START)
UNEVEN = STEP * np.linspace(0.8, 1.3, FRAMES - 1)
ALL = np.ones(FRAMES, dtype=bool)
PUSH = ExternalForce("trunk", np.array([0.1, 0.0, 0.4]), 2, np.array([[30.0, -10.0, 5.0], [20.0, 40.0, 0.0]]))
GRASP = Grasp(("trunk", "thigh"), np.array([[0.2, 0.0, 0.5], [0.0, 0.1, 0.0]]), 1, 4)
SLOPE = np.array([0.1, -0.2, 1.0]) / np.linalg.norm([0.1, -0.2, 1.0])
FOOTHOLD = Foothold(HOLD.places.mean(axis=0) + 0.02, yaw=0.8, normal=SLOPE, preferred=np.array([0.3, 0.1, 0.0]))
MOVABLE = replace(HOLD, foothold=FOOTHOLD, first=1, last=4)
SKATE = replace(HOLD, slide=np.array([0.6, 0.8, 0.0]), last=3)
SIDE = GRASP.side(0)
BAND = RubberBand("trunk", np.array([0.1, 0.2, 0.3]), 1, np.linspace(0.2, 1.0, 12).reshape(4, 3), 500.0)
PUSHED = Press(
    ("trunk", "thigh"), GRASP.points, 1, np.tile(SLOPE, (4, 1)), np.linspace(0.2, 1.0, 12).reshape(4, 3), 0.3, 1e4
).side(0)
EVERY = NewtonEuler((MOVABLE, SKATE), residual_weight=10.0, forces=(PUSH, SIDE))
TORQUE = JointTorque(EVERY, 0.0, 1e-2)
MUSCLES = np.column_stack([np.random.default_rng(4).uniform(0.1, 2.0, (4, 6)), [-0.2, 0.1, 0.7, 0.0]])
SLOPES = np.random.default_rng(5).normal(size=(2, 10))

REGISTRY: dict[str, list[Term]] = {
    "held": [FixedContacts((HOLD, SKATE))],
    "held at a foothold": [FixedContacts((MOVABLE,))],
    "laws on the ground": [NewtonEuler((HOLD,), residual_weight=10.0)],
    "laws in flight": [NewtonEuler((), residual_weight=10.0)],
    "laws on skates": [NewtonEuler((HOLD, SKATE))],
    "laws at a foothold": [NewtonEuler((MOVABLE,))],
    "external force": [NewtonEuler((HOLD,), forces=(PUSH,)), NewtonEuler((), forces=(PUSH,))],
    "grasp": [SIDE, NewtonEuler((replace(HOLD, last=2),), forces=(SIDE,))],
    "band": [BAND, NewtonEuler((replace(HOLD, last=2),), forces=(BAND,))],
    "press": [PUSHED, NewtonEuler((replace(HOLD, last=2),), forces=(PUSHED,))],
    "joint torque": [SIDE, EVERY, JointTorque(EVERY, 1e-4, 1e-2)],
    "torque limit": [
        NewtonEuler((HOLD,)),
        TorqueLimit((HOLD,), ("foot", "trunk"), np.where(np.arange(10) < 7, np.inf, 20.0), 1e-2),
    ],
    "links apart": [LinkSeparation(np.array([1, 3]), START[[1, 3]], np.full(2, 0.1), SLOPES, 0.2, 5.0)],
    "held in shoes": [
        NewtonEuler((HOLD,)),
        FixedContacts((replace(HOLD, first=1, last=4),), ShoeSprings((HOLD,), 0.03)),
    ],
    "force direction": [NewtonEuler((HOLD,)), ForceDirectionCost((HOLD,), START[:, :3], 2.0)],
    "muscles": [SIDE, EVERY, TORQUE, MuscleCost(TORQUE, MUSCLES)],
    "displacement": [MassDisplacement(START + 0.1, 5.0)],
    "kept": [KeptCoordinates(START + 0.1, (7, 9), 2), PoseDeviation(START, np.ones(10))],
    "angles": [PoseDeviation(START + 0.1, np.ones(10))],
    "smoothness": [AccelerationCost(1e-3), VelocityCost(0.1, START)],
    "rates": [ForceRateCost(ALL, 0.1, 0.2), ForceFadeCost(np.arange(FRAMES) < 3, 0.3, 0.4)],
    "balance": [
        BalanceCost(0, np.zeros(2), 2.0),
        RestCost(4, 3.0),
        CenterReturnCost(1, 4, 2.0),
        CenterTarget(2, np.ones(3), 3.0),
    ],
    "points": [
        Clearance("foot", TIP, np.array([4, 5])),
        Clearance("foot", TIP, np.array([2, 3]), normal=HOLD.axes[:2]),
    ],
    "apart": [
        Separation(
            ("foot", "trunk"), np.array([TIP, [0.1, 0.2, 0.3]]), np.array([2, 4]), HOLD.axes[:2], np.array([0.1, 0.2])
        )
    ],
    "steps": [
        FixedContacts((MOVABLE,)),
        FootholdChange(None, FOOTHOLD, 2.0),
        FootholdChange(FOOTHOLD, Foothold(np.zeros(3), normal=SLOPE), 3.0),
        PosesUpToTravel((4, 5), START, (FOOTHOLD,), SLOPE),
    ],
    "relative rates": [AccelerationCost(1e-3, START + 0.1), ForceRateCost(ALL, 0.1, 0.2, START - 0.1)],
    "curve": [MomentumCurve(2, 5)],
    "spline": [MomentumSpline(0, 5, np.array([0.0] * 4 + [0.5] + [1.0] * 4), np.zeros((5, 6)), False, False)],
    "repeated change": [RepeatedChange(1, 5, START + 0.1 * np.arange(len(START))[:, None], 2.0)],
    "pose": [PoseTarget(3, START[3], np.ones(10)), PoseTarget(2, START[2], np.ones(10), exact=True)],
    "cycle": [Cycle(4, 2, np.linspace(0.0, 1.0, 10))],
    "speed": [SpeedTarget(2, np.ones(2), 0.7), JointSpeedLimit(np.full(10, 0.5))],
}


@pytest.fixture(scope="module")
def made(interpreted: None) -> Kernels:
    return make_kernels(MONOPOD, ("foot", "trunk", "thigh"))


@pytest.mark.parametrize("steps", [STEP, UNEVEN], ids=["even steps", "uneven steps"])
@pytest.mark.parametrize("name", REGISTRY)
def test_derivatives_are_those_of_finite_differences(name: str, steps: float | np.ndarray, made: Kernels) -> None:
    """Jacobian and Hessian along random directions, at a random point near the start."""
    rng = np.random.default_rng(2)
    space = make_space(Problem(), MONOPOD, made, START, steps)
    for term in REGISTRY[name]:
        term.add(space)
    functions, problem = assemble(space.problem), space.problem
    x = problem.start + 0.02 * rng.normal(size=problem.size)
    multipliers = rng.normal(size=problem.constraint_count)

    def slope(at: np.ndarray) -> np.ndarray:
        gradient = np.array(functions.gradient(at, [])[1]).ravel()
        return gradient + np.array(functions.jacobian(at, [])[1].T @ multipliers).ravel()

    upper = np.array(functions.hessian(x, [], 1.0, multipliers))
    hessian = upper + np.triu(upper, 1).T
    for _ in range(3):
        way, small = rng.normal(size=len(x)), 1e-6
        ahead, back = (np.array(functions.constraints(x + s * small * way)).ravel() for s in (1, -1))
        along = np.array(functions.jacobian(x, [])[1] @ way).ravel()
        np.testing.assert_allclose(along, (ahead - back) / (2 * small), rtol=1e-6, atol=1e-8 * np.abs(along).max())
        costs = [float(functions.gradient(x + s * small * way, [])[0]) for s in (1, -1)]
        gradient = np.array(functions.gradient(x, [])[1]).ravel() @ way
        assert gradient == pytest.approx((costs[0] - costs[1]) / (2 * small), rel=1e-6, abs=1e-5)
        bends = (slope(x + small * way) - slope(x - small * way)) / (2 * small)
        np.testing.assert_allclose(hessian @ way, bends, rtol=1e-5, atol=1e-7 * max(np.abs(bends).max(), 1.0))


def test_every_term_is_in_the_registry() -> None:
    """All classes with an `add` method for a space."""
    classes = set()
    for module in pkgutil.iter_modules(gambol.terms.__path__):
        for _, one in inspect.getmembers(importlib.import_module(f"gambol.terms.{module.name}"), inspect.isclass):
            takes = inspect.signature(one.add).parameters if callable(getattr(one, "add", None)) else {}
            if (
                one.__module__.startswith("gambol.terms")
                and "space" in takes
                and not getattr(one, "_is_protocol", False)
            ):
                classes.add(one)
    assert classes
    assert classes <= {type(term) for terms in REGISTRY.values() for term in terms}
