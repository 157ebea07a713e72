"""Use what was read as its command does: a file that is accepted must also work, or be refused in one line."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gambol.io import samples


def used(load: Callable[[Path], Any], use: Callable[[Any], Any]) -> Callable[[Path], Any]:
    """Return a reader that also returns what its model is used for."""

    def read(path: Path) -> Any:
        model = load(path)
        return model, use(model)

    return read


def use_primitives(model: Any) -> Any:
    """Play every style, and morph from the first to the last, by tables and live."""
    from gambol.primitives.verb import describe_styles, play_primitives

    describe_styles(model)
    styles = model.styles
    played = [play_primitives(model, style=style, seconds=0.2, fps=30.0).motion for style in styles]
    return [*played, play_primitives(model, style=styles[0], to=styles[-1], seconds=0.2, fps=30.0, live=True).motion]


def use_family(family: Any) -> Any:
    """Play a motion between members, and find one that reaches a place."""
    from gambol.spacetime.families.verb import play_family, reach_family

    values = [float(axis.values.mean()) for axis in family.plan.axes]
    pose = family.pose(values, float(family.times.flat[0]) + 0.01)
    reached = reach_family(family, "head", (0.5, 0.1, 1.5), 0.3)
    return play_family(family, values).motion, pose, reached.motion, reached.reached


def use_walker(walker: Any) -> Any:
    """Walk, and answer a push."""
    from gambol.motion.pushes import AppliedForce

    state, poses = walker.start(), []
    push = AppliedForce(walker.bodies[0], np.array([0.0, 80.0, 0.0]))
    for frame in range(6):
        state, pose = walker.step(state, [push] if 1 <= frame <= 3 else [])
        poses.append(pose)
    return poses


def use_interaction(model: Any) -> Any:
    """Generate both people, and let one react to a hand."""
    from gambol.interaction.verb import generate_interaction, react

    emotion = model.emotions[0] if model.emotions else "neutral"
    meeting = generate_interaction(model, "neutral", until=emotion, seed=1)
    hand = np.linspace([1.0, 0.0, 0.9], [0.6, -0.1, 1.2], 6)
    return list(meeting.motions), react(model, hand, emotion, fps=30.0).motion


def use_actions(model: Any) -> Any:
    """Evaluate every action at two phases."""
    from tests.robots.actions.made import draw_tasks

    curves = [model.synthesise(action, draw_tasks(action, 1, 0)[0]) for action in model.actions]
    return [curve.evaluate(phase) for curve in curves for phase in (0.0, 0.4)], model.comfort, model.fastest


def use_mixture(mixture: Any) -> Any:
    """Rebuild the signals."""
    from gambol.learn.anechoic.mixture import Mixing

    learned = Mixing(mixture.means_, mixture.weights_, mixture.delays_)
    return mixture.inverse_transform(learned), mixture.sources_at([0.0, 0.3])


def use_process(process: Any) -> Any:
    """Predict a value, its variance and its derivatives."""
    where = np.zeros((2, process.posterior_.inputs.shape[1]))
    return process.predict(where), process.predict_variance(where), process.differentiate(where[0])


def use_style(style: Any) -> Any:
    """Blend it with itself, compare it, and look up the joints of a person."""
    from gambol.styles.comparison import compare_styles
    from gambol.styles.style import compare_numbers, find_style_rows

    half = style.blend(style, 0.5)
    return (
        half.values,
        compare_numbers(style, half),
        compare_styles(style, half),
        find_style_rows(half, make_character().skeleton),
    )


def use_poses(poses: Any) -> Any:
    """Suggest poses for a flight."""
    flight = poses.examples[0].flight if len(poses) else None
    return None if flight is None else poses.suggest(flight, make_character())


def use_reference(path: Path) -> Any:
    """Check a reference motion of a robot, convert it, and draw it."""
    from gambol.drawing import render
    from gambol.robots.references.files import read_reference
    from gambol.robots.references.judgement import judge_reference

    reference = read_reference(path, make_biped())
    judged = judge_reference(reference)
    assert judged.verdict
    render(reference.motion, path.with_suffix(".svg"), overwrite=True)
    return reference.motion, reference.arrays()


def use_manifest(path: Path) -> Any:
    """Resume a folder of reference motions from its table."""
    from gambol.io.manifest import MANIFEST, Manifest
    from gambol.robots.references.augment import KEPT, _is_done, _Member
    from gambol.robots.references.variation import ReferenceVariation

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(path, folder / MANIFEST)
        manifest = Manifest(folder, int)
        for number, row in manifest.rows.items():
            _is_done(row, _Member(number, 0, ReferenceVariation(), row["key"]), folder, False)
        return [str(folder / row["file"]) for row in manifest.rows.values() if row["status"] == KEPT]


def follow_stream(path: Path) -> list[Any]:
    """Answer the lines of a file as `retarget-stream` does."""
    from gambol.robots.references.live import LiveReference
    from gambol.robots.references.live_stream import ReferenceStream

    stream = ReferenceStream(LiveReference(make_walk(), make_biped(), fps=30.0, delay=0.1))
    answers = [stream.answer(line) for line in path.read_bytes().splitlines()] + stream.finish()
    assert json.dumps(answers, allow_nan=False)
    return answers


def use_description(description: Any) -> Any:
    """Make a biped of it, with a skin."""
    from gambol.robots.biped import find_biped
    from gambol.robots.skin import load_skin

    load_skin(description)
    return find_biped(description).bent


def use_robot(robot: Any) -> Any:
    """Let it stand as it would walk."""
    return robot.posture, robot.stiffness, robot.armature, robot.fastest, robot.hands


@cache
def make_biped() -> Any:
    """A small humanoid."""
    from gambol.robots.biped_file import load_biped
    from tests.robots.mjcf import HUMANOID

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.xml"
        path.write_text(HUMANOID)
        return load_biped(path)


@cache
def make_walk() -> Any:
    """Part of the built-in walk."""
    return samples.walk()[:40]


@cache
def make_character() -> Any:
    """Whoever walks in it."""
    from gambol.body.character import Character

    return Character.from_motion(samples.walk())
