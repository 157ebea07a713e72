"""Walks of three people, closed into loops of 30 frames per second, with their features and decoders."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import Fit, fit
from gambol.geometry.arrays import Array
from gambol.respond.endless import EndlessClip, make_endless
from gambol.respond.latent.decode import PoseDecoder, learn_decoder
from gambol.respond.latent.features import FeatureLayout, compute_loop_features, resample_loop
from gambol_evidence.reproduce.recordings import load_cmu_clip


class Looped(NamedTuple):
    """A walk as training data."""

    loop: EndlessClip
    layout: FeatureLayout
    features: Array
    decoder: PoseDecoder

    @property
    def poses(self) -> Array:
        return self.loop.at(np.arange(len(self.loop)))


def make_looped(fitted: Fit) -> Looped:
    loop = resample_loop(make_endless(fitted), fitted.motion.frame_time)
    layout = FeatureLayout(fitted.character)
    decoder = learn_decoder(layout, loop.at(np.arange(len(loop))))
    return Looped(loop, layout, compute_loop_features(layout, loop), decoder)


@pytest.fixture(scope="session")
def looped(walk: Fit) -> Looped:
    """The built-in walk."""
    return make_looped(walk)


@pytest.fixture(scope="session", params=["built-in", "35_01", "07_01"])
def person(request: pytest.FixtureRequest) -> Looped:
    """The built-in walk and two recorded ones."""
    if request.param == "built-in":
        return request.getfixturevalue("looped")
    clip = load_cmu_clip(request.getfixturevalue("data"), request.param)
    return make_looped(fit(Character.from_motion(clip), clip))


def turn_poses(poses: Array, angle: float, shift: tuple[float, float] = (0.0, 0.0)) -> Array:
    """Turn poses (frames, dofs) about the vertical through the origin, and then move them over the ground (m)."""
    c, s = np.cos(angle), np.sin(angle)
    out = poses.copy()
    out[:, 0], out[:, 1] = c * poses[:, 0] - s * poses[:, 1] + shift[0], s * poses[:, 0] + c * poses[:, 1] + shift[1]
    out[:, 3] += angle
    return out
