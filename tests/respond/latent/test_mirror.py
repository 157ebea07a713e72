"""The mirror image of a walker, pushed to the other side, gives the mirrored answer: part by part and as a whole."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from gambol.geometry.arrays import Array
from gambol.learn.gaussian import ScaledGplvm
from gambol.motion.pushes import AppliedForce
from gambol.respond.latent.decode import learn_decoder
from gambol.respond.latent.examples import NormalWalk
from gambol.respond.latent.features import FeatureLayout, compute_features
from gambol.respond.latent.lean import lean_pose
from gambol.respond.latent.responder import LatentWalker
from gambol.respond.latent.walk_model import WalkModel
from tests.respond.latent.walkers import make_test_example, make_test_walk, make_test_walker

OTHER_FOOT = [2, 3, 0, 1]


def swap_side(name: str) -> str:
    side, _, part = name.partition("_")
    return f"{ {'left': 'right', 'right': 'left'}[side] }_{part}" if side in ("left", "right") else name


@cache
def find_mirror() -> tuple[NDArray[np.intp], Array]:
    """Which coordinate each one becomes, and with which sign: y changes sign, and so do turns about x and z."""
    skeleton = make_test_walk().character.skeleton
    targets, signs = [], []
    for dof in skeleton.dofs:
        joint = skeleton.names.index(swap_side(skeleton.names[dof.joint]))
        axis = np.array(dof.axis) * ([1.0, -1.0, 1.0] if dof.kind == "slide" else [-1.0, 1.0, -1.0])
        ((target, sign),) = [
            (n, sign)
            for n, other in enumerate(skeleton.dofs)
            for sign in (1.0, -1.0)
            if (other.joint, other.kind) == (joint, dof.kind) and np.allclose(sign * np.array(other.axis), axis)
        ]
        targets.append(target)
        signs.append(sign)
    return np.array(targets), np.array(signs)


def mirror_poses(poses: Array) -> Array:
    targets, signs = find_mirror()
    out = np.empty_like(poses)
    out[..., targets] = signs * poses
    return out


def mirror_columns(layout: FeatureLayout, rows: Array, signed: bool = True) -> Array:
    """Rows (..., D) of features of the mirrored motion; without signs where columns have sizes only."""
    points = [layout.points.names.index(swap_side(name)) for name in layout.points.names]
    pose = (3 * np.array(points)[:, None] + np.arange(3)).ravel()
    order = np.concatenate([pose, layout.pose_size + pose, 2 * layout.pose_size + np.arange(3)])
    signs = np.concatenate([np.tile([1.0, -1.0, 1.0], 2 * len(points)), [1.0, -1.0, -1.0]])
    return np.asarray(rows[..., order] * (signs if signed else 1.0))


def mirror_model(layout: FeatureLayout, model: WalkModel) -> WalkModel:
    """The model that mirrored clips have, without the rounding errors of another training."""
    values = model.gplvm.to_values()
    for name in ("mean_", "back_centres_"):
        values[name] = mirror_columns(layout, values[name])
    values["scales_"] = mirror_columns(layout, values["scales_"], signed=False)
    posterior = values["posterior_"]
    values["posterior_"] = replace(posterior, weights=mirror_columns(layout, posterior.weights))
    pushes = tuple(replace(push, direction=-push.direction % 360.0) for push in model.pushes)
    rows = mirror_columns(layout, model.rows)
    return replace(model, gplvm=ScaledGplvm.from_values(values), rows=rows, pushes=pushes)


@cache
def make_mirrored_walker() -> LatentWalker:
    """The mirror image of `make_test_walker(models=True)`."""
    walker = make_test_walker(models=True)
    fitted, layout = walker.walk.fitted, walker.decoder.layout
    moved = replace(fitted, motion=replace(fitted.motion, q=mirror_poses(np.asarray(fitted.motion.q))))
    examples = [make_test_example(push.phase, push.direction) for model in walker.models for push in model.pushes]
    poses = [walker.loop.at(np.arange(walker.period)), *(example.poses for example in examples)]
    decoder = learn_decoder(layout, mirror_poses(poses[0]), [mirror_poses(one) for one in poses[1:]])
    models = tuple(mirror_model(layout, model) for model in walker.models)
    return LatentWalker(NormalWalk(moved, walker.walk.period), decoder, models)


def test_features_of_the_mirror_image() -> None:
    walker = make_test_walker(models=True)
    layout, poses = walker.decoder.layout, make_test_example(0.25, 60.0).poses
    expected = mirror_columns(layout, compute_features(layout, poses))
    np.testing.assert_allclose(compute_features(layout, mirror_poses(poses)), expected, atol=1e-10)


@pytest.mark.parametrize("standing", [(1, 1, 0, 0), (0, 1, 1, 0), (0, 0, 0, 0)])
def test_leans_of_the_mirror_image(standing: tuple[int, ...]) -> None:
    walker = make_test_walker(models=True)
    solver, pose, stands = walker.decoder.layout.points, walker.loop.at(9), np.array(standing, dtype=bool)
    leaned = lean_pose(solver, pose, np.array([0.03, 0.06]), stands)
    assert np.abs(leaned - pose).max() > 0.01
    found = lean_pose(solver, mirror_poses(pose), np.array([0.03, -0.06]), stands[OTHER_FOOT])
    np.testing.assert_allclose(found, mirror_poses(leaned), atol=1e-7)


@pytest.mark.parametrize("force", [(0.0, 175.0), (120.0, -120.0)])
def test_the_mirrored_push_has_the_mirrored_answer(force: tuple[float, float]) -> None:
    """Two rounds with a push: the model that is chosen, the pose and the standing feet of every frame."""
    walker, mirrored = make_test_walker(models=True), make_mirrored_walker()
    state, image = walker.start(), mirrored.start()
    sides, aside = [], np.array([*force, 0.0])
    for frame in range(2 * walker.period):
        pushed = 8 <= frame < 14
        forces = [[AppliedForce("chest", (force[0], sign * force[1], 0.0))] if pushed else [] for sign in (1.0, -1.0)]
        seen = walker.find_direction(state.gait, aside) + mirrored.find_direction(image.gait, aside * [1.0, -1.0, 1.0])
        assert np.cos(np.radians(seen)) == pytest.approx(1.0, abs=1e-9)
        state, pose = walker.step(state, forces[0])
        image, found = mirrored.step(image, forces[1])
        assert image.gait.model == state.gait.model
        np.testing.assert_array_equal(image.gait.body.standing, state.gait.body.standing[OTHER_FOOT])
        np.testing.assert_allclose(found, mirror_poses(pose), atol=1e-6)
        sides.append(pose[1])
    assert abs(sides[-1] - sides[0]) > 0.05
