"""Primitives: explained variance, blends, saving and loading, invalid input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.features.encoding import count_encoded, decode_rotations, encode_rotations
from gambol.features.strides import find_strides, sample_whole_clip
from gambol.geometry import quaternions as quat
from gambol.io import samples
from gambol.io.models import as_model, save_model
from gambol.motion.skeleton import Skeleton
from gambol.primitives.learning import learn_model
from gambol.primitives.model import Primitives
from gambol.primitives.prototypes import prototypes_of
from tests.primitives.learned import jump, jumping, moving


@pytest.fixture(scope="module")
def originals():
    walk, run = samples.walk(), samples.run()
    return prototypes_of(walk, {"walk": find_strides(walk), "run": find_strides(run)})


def _degrees(layout, one, other):
    apart = quat.multiply(quat.conjugate(layout.rotations(one)), layout.rotations(other))[..., list(layout.joints), :]
    return np.degrees(np.sqrt(np.mean(quat.angle(apart) ** 2)))


@pytest.mark.parametrize(
    ("rotations", "sources", "explained", "degrees", "root"),
    [("log", 3, 0.99, 2.0, 0.03), ("quaternion", 2, 0.94, 6.0, 0.1)],
)
def test_few_sources_bring_walk_and_run_back(originals, rotations, sources, explained, degrees, root):
    model = moving("tied", rotations, sources)
    assert model.explained > explained
    assert model.counts == (len(find_strides(samples.walk())), len(find_strides(samples.run())))
    for n in range(2):
        assert _degrees(model.layout, model.prototypes.channels[n], originals.channels[n]) < degrees
    np.testing.assert_allclose(model.periods, originals.periods)
    np.testing.assert_allclose(model.prototypes.channels[..., -4:], originals.channels[..., -4:], atol=root)


def test_with_tied_delays_a_blend_is_the_blend_of_trajectories():
    model = moving()
    assert model.tied
    share = np.array([0.3, 0.7])
    np.testing.assert_allclose(model.sample_cycle(share), np.tensordot(share, model.prototypes.channels, 1), atol=1e-9)


def test_free_delays_fit_better_and_do_not_blend(originals):
    free, tied, half = moving("free"), moving(), np.full(2, 0.5)
    assert not free.tied
    assert free.explained > tied.explained
    middle = originals.channels.mean(axis=0)
    assert _degrees(tied.layout, tied.sample_cycle(half), middle) < 2.0
    assert _degrees(free.layout, free.sample_cycle(half), middle) > 2.0
    assert np.abs(np.diff(free.delays, axis=0)).max() <= 0.5


def test_delays_in_a_band_keep_within_it():
    spread = np.ptp(moving("band", sources=2).delays, axis=0)
    assert 0.0 < spread.max() <= 0.1 + 1e-9


def test_a_whole_clip_ends_where_it_ended():
    model, original = jumping(), jumping().layout.channels(sample_whole_clip(jump()))
    ends = [model.evaluate_channels(np.tile((1.0, 0.0), (4, 1)), turned, np.ones(1)) for turned in (0.0, 2.0 * np.pi)]
    gap = original[-1] - original[0]
    np.testing.assert_allclose(ends[1] - ends[0], gap, atol=1e-9)
    assert np.abs(gap[:-4]).max() > 0.3
    assert _degrees(model.layout, model.sample_cycle(np.ones(1)), original[:-1]) < 4.0
    assert model.periods[0] == pytest.approx(jump().duration)
    with pytest.raises(InputError, match="do not repeat"):
        _ = model.prototypes


def test_quaternions_are_another_writing_of_the_same(originals):
    channels = originals.channels[0]
    numbers = encode_rotations(channels, "quaternion")
    assert numbers.shape[1] == count_encoded(channels.shape[1], "quaternion")
    np.testing.assert_allclose(decode_rotations(1.3 * numbers, "quaternion")[:, :-4], channels[:, :-4], atol=1e-12)
    np.testing.assert_array_equal(encode_rotations(channels, "log"), channels)


def test_a_file_brings_the_model_back_to_the_last_bit(tmp_path):
    model, path = moving(), tmp_path / "model.npz"
    save_model(model, path)
    back = as_model(path, Primitives)
    np.testing.assert_array_equal(back.sample_cycle(np.array([0.2, 0.8])), model.sample_cycle(np.array([0.2, 0.8])))
    np.testing.assert_array_equal(back.contacts, model.contacts)
    assert (back.styles, back.counts, back.once, back.coding) == (model.styles, model.counts, False, "log")
    assert back.layout.rig == model.layout.rig


def test_files_that_are_none_are_refused(tmp_path):
    path = tmp_path / "model.npz"
    with pytest.raises(InputError, match="no such file"):
        as_model(path, Primitives)
    path.write_bytes(b"PK no")
    with pytest.raises(InputError, match="not a model of primitives"):
        as_model(path, Primitives)
    save_model(moving(), path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InputError, match="truncated"):
        as_model(path, Primitives)


def test_parts_that_do_not_fit_are_refused():
    model = moving()
    for wrong in (
        {"weights": model.weights[:, :-1]},
        {"means": np.full_like(model.means, np.nan)},
        {"periods": np.zeros(2)},
        {"coding": "euler"},
    ):
        with pytest.raises(InputError):
            replace(model, **wrong)


def test_what_cannot_be_learned_is_refused_in_one_line():
    walk = samples.walk()
    names = ("other", *walk.skeleton.names[1:])
    skeleton = walk.skeleton
    renamed = Skeleton(names, skeleton.parents, skeleton.offsets, skeleton.dofs, skeleton.rests, skeleton.ends)
    for clips, sources, problem in (
        ({}, 4, "no clips"),
        ({"walk": []}, 4, "no clips"),
        ({"stand": [samples.stand()]}, 4, "no whole stride"),
        ({"walk": [walk], "other": [replace(walk, skeleton=renamed)]}, 4, "rig differs"),
        ({"walk": [walk]}, 500, "500 sources for"),
    ):
        with pytest.raises(InputError, match=problem):
            learn_model(clips, sources)
    with pytest.raises(InputError, match="encoding 'matrix'"):
        learn_model({"walk": [walk]}, rotations="matrix")


def test_blends_and_styles_that_are_none_are_refused():
    model = moving()
    np.testing.assert_allclose(model.normalise_blend([1.0, 3.0]), [0.25, 0.75])
    for wrong in ([1.0], [-1.0, 2.0], [0.0, 0.0], [np.nan, 1.0]):
        with pytest.raises(InputError):
            model.normalise_blend(wrong)
    with pytest.raises(InputError, match="choose from walk, run"):
        model.style_blend("sad")
