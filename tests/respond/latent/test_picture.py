"""Pictures of learned walkers: what is drawn is what the models hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.respond.latent.learn import fit_walker
from gambol.respond.latent.picture import draw_walker, gather_latents
from gambol.respond.latent.walk_model import TrainingOptions
from tests.respond.latent.walkers import FRAMES, LEAD, make_test_example, make_test_walk, make_test_walker


def test_every_model_gives_its_walk_and_its_examples() -> None:
    walker = make_test_walker(models=True)
    spaces = gather_latents(walker)
    for model, space in zip(walker.models, spaces, strict=True):
        np.testing.assert_array_equal(space.normal, model.ring)
        for number, (example, push) in enumerate(zip(space.examples, model.pushes, strict=True)):
            np.testing.assert_array_equal(example.latents, model.gplvm.latents_[model.owners == number])
            assert len(example.latents) == FRAMES - 1
            assert (example.onset, example.direction, example.speed) == (LEAD - 1, push.direction, push.speed)


def test_support_phases_are_those_at_the_onsets() -> None:
    """A quarter of the built-in cycle is the middle of the stance of one foot, and three quarters of the other."""
    examples = [make_test_example(phase, 90.0) for phase in (0.25, 0.75)]
    walker = fit_walker(make_test_walk(), examples, TrainingOptions(2))
    points = walker.decoder.layout.points
    for example, phase in zip(gather_latents(walker)[0].examples, (0.25, 0.75), strict=True):
        frame = round(phase * walker.period)
        left, right = points.locate(walker.loop.at([frame]))[0][0, points.feet, 2].reshape(2, 2).min(axis=1)
        assert abs(left - right) > 0.02
        assert example.support == ("left foot" if left < right else "right foot")


def test_a_file_is_written_or_refused(tmp_path: Path) -> None:
    walker, file = make_test_walker(), tmp_path / "walker.svg"
    assert draw_walker(walker, file) == file
    assert file.read_text().count("<svg") == 1
    with pytest.raises(InputError, match="exists"):
        draw_walker(walker, file, overwrite=False)
    with pytest.raises(InputError, match="not a picture"):
        draw_walker(walker, tmp_path / "walker.bvh")
