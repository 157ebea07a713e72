"""The plane of travel and turn."""

from __future__ import annotations

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.io import samples
from gambol.primitives.crowd.gaits import GaitPlane, make_walker_prototypes
from gambol.stages.drift import translate_root
from gambol.stages.feet import find_foot_points, track_point
from tests.primitives.walking import gaits, walk


def test_a_blend_does_what_is_wanted_of_it() -> None:
    plane = gaits()
    draw = np.random.default_rng(0)
    shares = draw.dirichlet(np.ones(len(plane.corners)), 300)
    wanted = shares @ plane.corners
    blend = plane.blend(*wanted.T)
    np.testing.assert_allclose(blend @ plane.corners, wanted, atol=1e-9)
    np.testing.assert_allclose(blend.sum(axis=1), 1.0)
    assert blend.min() >= 0.0
    assert (np.count_nonzero(blend > 1e-12, axis=1) <= 3).all()


def test_a_corner_is_its_prototype_alone() -> None:
    plane = gaits()
    blend = plane.blend(*plane.corners.T)
    alone = np.eye(len(plane.corners))
    stand, step = (plane.prototypes.index(name) for name in ("stand", "step"))
    alone[stand] = alone[step]  # whoever steps on the spot does not stand
    np.testing.assert_allclose(blend, alone, atol=1e-6)


def test_blends_change_continuously() -> None:
    plane = gaits()
    forward = np.linspace(-0.1, 0.4, 4000)
    blend = plane.blend(forward, 0.1 * np.sin(20.0 * forward))
    assert np.abs(np.diff(blend, axis=0)).max() < 0.02


def test_what_nobody_can_do_is_brought_to_the_nearest() -> None:
    plane = gaits()
    blend = plane.blend(np.array([9.0, 0.1, -1.0]), np.array([0.0, 9.0, 0.0]))
    done = blend @ plane.corners
    assert done[0, 0] == pytest.approx(plane.corners[:, 0].max(), rel=1e-3)
    assert done[1, 1] > 0.9 * plane.corners[:, 1].max()
    assert done[2, 0] == pytest.approx(0.0, abs=1e-3)


def test_straight_walks_alone_cannot_be_steered() -> None:
    with pytest.raises(InputError, match="cannot be steered"):
        GaitPlane(walk()).blend(np.zeros(1), np.zeros(1))


def test_styles_of_a_model_that_have_the_names_are_kept() -> None:
    from gambol.primitives.variants import add_variants
    from gambol.primitives.variation import Variation

    own = add_variants(walk(), {"left": ("walk", Variation(turn=0.2))})
    made = make_walker_prototypes(own)
    assert made.channels[made.index("left")] == pytest.approx(own.channels[1])


def test_the_first_style_is_the_walk_where_none_is_called_so() -> None:
    from dataclasses import replace

    stroll = replace(walk(), names=("stroll",))
    assert make_walker_prototypes(stroll).names == gaits().prototypes.names


def test_a_walk_backward_cannot_be_steered() -> None:
    from gambol.primitives.variants import add_variants
    from gambol.primitives.variation import Variation

    back = add_variants(walk(), {"back": ("walk", Variation(backward=True))}).select(["back"])
    with pytest.raises(InputError, match="too little to steer"):
        make_walker_prototypes(back)


@pytest.mark.parametrize("above", [0.0, 0.06, -0.4])
def test_walkers_stand_on_the_floor_wherever_their_walk_does(above: float) -> None:
    """Recorded walks are up to 6 cm above the ground of their files."""
    clip = samples.walk()
    raised = translate_root(clip, np.tile([0.0, 0.0, above], (len(clip), 1)))
    (walker, *_) = gb.crowd("poles", walk=raised, seconds=2.0).motions
    soles = np.min([track_point(walker, point)[:, 2] for point in find_foot_points(walker)], axis=0)
    assert abs(np.median(soles)) < 0.015
