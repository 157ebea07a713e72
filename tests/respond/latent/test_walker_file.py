"""Walkers are saved and loaded with the same numbers; other files and other rigs are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import gambol as gb
from gambol.errors import InputError
from gambol.fit.rig_mapping import map_to_rig
from gambol.io.models import as_model, save_model
from gambol.respond.latent.features import FRAME_TIME
from gambol.respond.latent.phases import match_phases
from gambol.respond.latent.recorded import read_example
from gambol.respond.latent.responder import LatentWalker
from gambol.respond.latent.verb import learn_walker
from gambol.spacetime.resampling import sample_fit
from tests.respond.latent.walkers import LEAD, make_test_example, make_test_walk, make_test_walker, walk_for


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walker") / "walker.npz"
    save_model(make_test_walker(), path)
    return path


def make_taller() -> gb.Motion:
    """The walk of a person a tenth taller."""
    walk = gb.load("walk")
    return replace(walk, skeleton=replace(walk.skeleton, offsets=1.1 * walk.skeleton.offsets))


def test_a_loaded_walker_gives_the_same_numbers(saved: Path) -> None:
    before, after = make_test_walker(), as_model(saved, LatentWalker)
    assert after.settings == before.settings
    poses = [walk_for(one, one.start(), 20)[1] for one in (before, after)]
    assert np.array_equal(*poses)


def test_other_files_are_refused(tmp_path: Path, saved: Path) -> None:
    (tmp_path / "text.npz").write_text("walk")
    for path in (tmp_path / "none.npz", tmp_path / "text.npz"):
        with pytest.raises(InputError, match="walker learn"):
            as_model(path, LatentWalker)
    with np.load(saved) as content:
        parts = dict(content)
    parts["about"] = np.frombuffer(parts["about"].tobytes().replace(b'"period"', b'"perios"'), dtype=np.uint8)
    np.savez(tmp_path / "broken.npz", **parts)
    with pytest.raises(InputError, match="inconsistent"):
        as_model(tmp_path / "broken.npz", LatentWalker)


def test_a_clip_is_pushed_by_a_model_of_its_rig(saved: Path) -> None:
    pushes = [gb.Push("chest", (0.0, 175.0, 0.0), 0.27)]
    found = gb.push("walk", pushes, method=gb.Learned(saved))
    walk = gb.load("walk")
    assert len(found.motion) == len(walk)
    assert found.motion.skeleton.names == walk.skeleton.names
    side = found.motion.placement.positions[-1, 0, 1] - walk.placement.positions[-1, 0, 1]
    assert side > 0.08
    start = np.abs(found.motion.placement.positions[0] - walk.placement.positions[0]).max()
    assert start < 0.06
    assert found.figures["foot_slide_mm"] < 10.0
    for wrong, message in (
        (lambda: gb.push(make_taller(), pushes, method=gb.Learned(saved)), "from its parent"),
        (lambda: gb.push("walk", pushes, method=gb.Learned(saved), mass=80.0), "its own cycle and mass"),
        (lambda: gb.push("walk", pushes, method=gb.Learned(saved), loads=[gb.Load("head", 1.0)]), "pushes alone"),
        (lambda: gb.push("walk", [gb.Push("tail", (1.0, 0.0, 0.0), 0.5)], method=gb.Learned(saved)), "no body 'tail'"),
        (lambda: gb.push("walk", [gb.Push("head", (1.0, 0.0, 0.0), 99.0)], method=gb.Learned(saved)), "after the clip"),
    ):
        with pytest.raises(InputError, match=message):
            wrong()


def test_phases_of_an_example_are_those_of_the_walk_until_it_is_pushed() -> None:
    example, walker = make_test_example(0.25, 90.0), make_test_walker()
    model = walker.models[0]
    expected = (example.start + 1 + np.arange(LEAD)) % walker.period
    assert np.abs(match_phases(model.normal, model.rows[model.owners == 0])[:LEAD] - expected).max() == 0.0


def test_the_push_of_a_recording_is_found() -> None:
    """The example as a clip on the rig of the walk, read back."""
    walk, example = make_test_walk(), make_test_example(0.25, 270.0)
    first, step = FRAME_TIME * example.start, walk.fitted.motion.frame_time
    seconds = first + step * np.arange(int((len(example.poses) - 1) * FRAME_TIME / step))
    curve = CubicSpline(first + FRAME_TIME * np.arange(len(example.poses)), example.poses)
    clip = map_to_rig(sample_fit(walk.fitted, seconds, step), curve(seconds))
    found = read_example(walk, clip)
    assert found.push.direction == pytest.approx(270.0, abs=15.0)
    assert found.push.speed == pytest.approx(0.5, rel=0.25)
    assert abs(found.onset - example.onset) <= 4


def test_what_cannot_work_is_refused() -> None:
    with pytest.raises(InputError, match="no normal walk"):
        learn_walker(gb.load("walk")[:30])
    with pytest.raises(InputError, match="from its parent"):
        read_example(make_test_walk(), make_taller())
    with pytest.raises(InputError, match="lasts"):
        read_example(make_test_walk(), gb.load("walk")[:20])
