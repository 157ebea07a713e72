"""Pre-fitting: splines that are known come back, and the built-in jump is explained and solved with its splines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import BSpline

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.kernels import make_kernels
from gambol.body.soles import find_soles
from gambol.contacts.views import list_constraints, list_loads
from gambol.fit.contacts import detect_contacts
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import find_runs
from gambol.io import samples
from gambol.solve.problem import Problem
from gambol.spacetime.edits.prefit import Prefit, compute_momentum, fit_splines, prefit_stage
from gambol.spacetime.program import optimise
from gambol.terms.contacts import FixedContacts, list_clearances
from gambol.terms.deviation import MassDisplacement, PoseDeviation
from gambol.terms.momentum import NewtonEuler
from gambol.terms.smoothness import ForceRateCost, VelocityCost
from gambol.terms.space import make_space
from gambol.terms.splines import end_slopes, stage_steps

ENDS = np.array([0.0, 1.0])


@pytest.fixture(scope="module")
def jump() -> Fit:
    motion = samples.jump()
    return fit(Character.from_motion(motion), motion)


@pytest.fixture(scope="module")
def stages(jump: Fit) -> list[Prefit]:
    last = len(jump.motion) - 1
    return [
        prefit_stage(jump.character, jump.motion, a, b, landed=a > 0, leaves=b < last)
        for a, b in find_runs(~detect_contacts(jump).flight)
    ]


def _random(seed: int, seconds: float, slopes: np.ndarray) -> BSpline:
    """A spline over the phase with as many gaps as its seconds ask for, none below 0.07 s, and these end slopes."""
    rng, gaps = np.random.default_rng(seed), round(seconds / 0.15)
    sizes = 0.07 / seconds + (1.0 - gaps * 0.07 / seconds) * rng.dirichlet(np.full(gaps, 2.0))
    knots = np.r_[np.zeros(4), np.cumsum(sizes)[:-1], np.ones(4)]
    control = rng.normal(size=(gaps + 3, 6))
    begin = control[0] + slopes[0] * seconds * sizes[0] / 3.0
    end = control[-1] - slopes[1] * seconds * sizes[-1] / 3.0
    control[1], control[-2] = (np.where(np.isfinite(s), s, c) for s, c in ((begin, control[1]), (end, control[-2])))
    return BSpline(knots, control, 3)


@pytest.mark.parametrize(("landed", "leaves"), [(False, True), (True, True), (True, False), (False, False)])
@pytest.mark.parametrize(("seconds", "rate"), [(0.8, 30), (2.0, 30), (2.0, 60)])
def test_a_known_spline_is_recovered(landed: bool, leaves: bool, seconds: float, rate: int) -> None:
    slopes = end_slopes(landed, leaves, GRAVITY)
    for seed in range(3):
        known = _random(seed, seconds, slopes)
        momentum = known(np.linspace(0.0, 1.0, round(seconds * rate) + 1))
        knots, control = fit_splines(momentum, 1.0 / rate, slopes)
        np.testing.assert_allclose(knots, known.t, atol=1e-6)
        np.testing.assert_allclose(control, known.c, atol=1e-6)


@pytest.mark.parametrize(("landed", "leaves"), [(False, True), (True, True), (True, False), (False, False)])
def test_end_values_and_slopes_hold_and_others_are_free(landed: bool, leaves: bool) -> None:
    momentum = np.cumsum(np.random.default_rng(1).normal(size=(50, 6)), axis=0)
    knots, control = fit_splines(momentum, 0.02, end_slopes(landed, leaves, 3.7))
    spline = BSpline(knots, control, 3)
    np.testing.assert_allclose(spline(ENDS), momentum[[0, -1]], atol=1e-12)
    begin, end = spline(ENDS, nu=1) / (49 * 0.02)
    falling = np.array([0.0, 0.0, -3.7, 0.0, 0.0, 0.0])
    kept = np.abs(np.stack((begin, end)) - np.stack((0.0 * falling, falling))) < 1e-9
    assert kept.tolist() == [[landed and n != 2 for n in range(6)], [leaves] * 6]


def _hostile() -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    kink = np.zeros((60, 6))
    kink[30:] = 1.0
    return [
        np.ones((60, 6)), np.zeros((6, 6)), rng.normal(size=(6, 6)), rng.normal(size=(2, 6)), rng.normal(size=(3, 6)),
        rng.normal(size=(61, 6)), 1e4 * rng.normal(size=(121, 6)), kink,
        np.linspace(0.0, 1.0, 40)[:, None] * np.ones(6),
    ]  # fmt: skip


@pytest.mark.parametrize("case", range(9))
@pytest.mark.parametrize("flights", [False, True])
def test_knots_keep_their_spacing_whatever_comes(case: int, flights: bool) -> None:
    momentum = _hostile()[case]
    knots, control = fit_splines(momentum, 1.0 / 30.0, end_slopes(flights, flights, GRAVITY))
    assert len(knots) == len(control) + 4
    assert (knots[:4] == 0.0).all()
    assert (knots[-4:] == 1.0).all()
    inner = np.diff(knots[3:-3])
    if len(inner) > 1:
        assert inner.min() >= 2.0 / (len(momentum) - 1) - 1e-12
    assert np.isfinite(control).all()
    assert np.abs(control).max() < 30.0 * max(1.0, np.abs(momentum).max())


def test_a_turned_jump_has_turned_splines(jump: Fit, stages: list[Prefit]) -> None:
    turn = quat.from_axis_angle((0.0, 0.0, 1.0), 0.7)
    axes = quat.to_matrix(turn)
    skeleton = jump.character.skeleton
    dofs = tuple(
        replace(d, axis=tuple(axes @ d.axis)) if d.joint == 0 and d.kind == "slide" else d for d in skeleton.dofs
    )
    rests = skeleton.rests.copy()
    rests[0] = quat.multiply(turn, rests[0])
    offsets = skeleton.offsets.copy()
    offsets[0] = axes @ offsets[0]
    turned = replace(jump.character, skeleton=replace(skeleton, dofs=dofs, rests=rests, offsets=offsets))
    for stage in stages:
        found = prefit_stage(turned, jump.motion, stage.first, stage.last, landed=stage.landed, leaves=stage.leaves)
        np.testing.assert_allclose(found.knots, stage.knots, atol=1e-5)
        expected = np.hstack((stage.control[:, :3] @ axes.T, stage.control[:, 3:] @ axes.T))
        np.testing.assert_allclose(found.control, expected, atol=1e-4)
        for part in (slice(0, 3), slice(3, 6)):
            size = np.linalg.norm(stage.residual[part])
            assert np.linalg.norm(found.residual[part]) == pytest.approx(size, rel=1e-5)
        assert np.abs(expected[:, 1]).max() > 0.5, "the turn has mixed components"


def test_the_jump_is_explained_to_a_few_percent(jump: Fit, stages: list[Prefit]) -> None:
    momentum = compute_momentum(jump.character, jump.motion.q, jump.motion.frame_time)
    assert [(s.landed, s.leaves) for s in stages] == [(False, True), (True, False)]
    for stage in stages:
        shown = momentum[stage_steps(stage.first, stage.last, len(jump.motion))]
        left = shown - stage.evaluate(np.linspace(0.0, 1.0, len(shown)))
        np.testing.assert_allclose(np.sqrt(np.mean(left**2, axis=0)), stage.residual, atol=1e-12)
        away = shown - shown.mean(axis=0)
        for part in (slice(0, 3), slice(3, 6)):
            assert np.linalg.norm(left[:, part]) < 0.04 * np.linalg.norm(away[:, part])


def test_the_jump_is_solved_with_its_splines(jump: Fit, stages: list[Prefit]) -> None:
    stands, like, step = detect_contacts(jump), jump.motion.q, jump.motion.frame_time
    weights = np.array([10.0 if dof.kind == "turn" else 200.0 for dof in jump.character.skeleton.dofs])
    found = optimise(
        jump.character,
        like,
        step,
        [
            MassDisplacement(like, 400.0, travel=1.0),
            PoseDeviation(like, weights),
            VelocityCost(0.05, like),
            NewtonEuler(list_loads(stands, jump.character), contact_forces=False),
            ForceRateCost(~stands.flight, 1e-5, 1e-5),
            FixedContacts(list_constraints(stands)),
            *list_clearances(stands),
            *(stage.term for stage in stages),
        ],
    )
    assert found.solution.converged
    assert found.solution.residuals["momentum spline"] < 1e-6
    solved = compute_momentum(jump.character, found.motion.q, step)
    space = make_space(
        Problem(),
        jump.character,
        make_kernels(jump.character, [s.body for s in find_soles(jump.character).values()]),
        like,
        step,
    )
    unknowns = np.hstack((found.solution.x[space.velocity], found.solution.x[space.spin]))
    np.testing.assert_allclose(unknowns, solved, atol=1e-6)
    flight = np.flatnonzero(stands.flight)
    np.testing.assert_allclose(np.diff(solved[:, 2])[flight - 1], -GRAVITY * step, atol=1e-6)
    for stage in stages:
        shown = solved[stage_steps(stage.first, stage.last, len(like))]
        shape = BSpline.design_matrix(np.linspace(0.0, 1.0, len(shown)), stage.knots, 3).toarray()
        control = np.linalg.lstsq(shape, shown)[0]
        np.testing.assert_allclose(shape @ control, shown, atol=1e-6)
        slopes = BSpline(stage.knots, control, 3)(ENDS, nu=1) / ((len(shown) - 1) * step)
        asked = end_slopes(stage.landed, stage.leaves, GRAVITY)
        kept = np.isfinite(asked)
        np.testing.assert_allclose(slopes[kept], asked[kept], atol=1e-4)
    assert np.degrees(np.abs(found.motion.q - like)[:, weights == 10.0]).mean() < 2.0
