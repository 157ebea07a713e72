"""JVRC-1 follows a walk frame by frame: as the whole clip would be retargeted, wherever the stream was begun."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.geometry.arrays import Array, find_runs
from gambol.io.json_lines import answer_lines
from gambol.motion.kinematics import local_frames, place
from gambol.robots.biped import Biped
from gambol.robots.references.live import LiveFrame, LiveReference
from gambol.robots.references.live_stream import ReferenceStream
from gambol.robots.references.verb import make_reference
from gambol.robots.sole_shapes import locate_soles
from tests.robots.test_whole_body import jvrc

WALK = gb.load("walk")[:122]
RATE = 60.0
SETTLED = 30
"""Frames after which the beginning is forgotten: half a second."""


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


def play(live: LiveReference, rows: Iterable[Array]) -> list[LiveFrame]:
    """Return the frames of a robot that follows some frames."""
    return [frame for frame in map(live.step, rows) if frame is not None] + live.finish()


def stack(frames: Iterable[LiveFrame]) -> Array:
    return np.array([frame.q for frame in frames])


@pytest.fixture(scope="module")
def played(biped: Biped) -> list[LiveFrame]:
    return play(LiveReference(WALK, biped), WALK.q)


def test_the_robot_moves_as_with_the_whole_clip(played: list[LiveFrame], biped: Biped) -> None:
    """The last frames differ, after which the clip has no stance."""
    whole = make_reference(WALK, biped, fast=True, keep_time=True, fps=RATE).reference
    apart = np.abs(stack(played) - whole.motion.q)[SETTLED:-30, 6:]
    assert apart.max() < 0.1
    assert np.median(apart) < 0.01
    assert np.abs(stack(played) - whole.motion.q)[SETTLED:-30, 2].max() < 0.003, "on the same ground"
    contacts = np.array([frame.contacts for frame in played])
    assert np.mean(contacts == whole.touching) > 0.97
    corners = locate_soles(biped, place(biped.skeleton, stack(played)))
    for side in range(2):
        for first, last in find_runs(whole.flat[:, side]):
            stance = corners[first : last + 1, side]
            assert np.abs(stance - np.median(stance, axis=0)).max() < 0.003


def test_frames_come_in_order_after_the_delay(biped: Biped) -> None:
    live = LiveReference(WALK[:20], biped, delay=0.1)
    answers = [live.step(row) for row in WALK.q[:9]]
    assert [None if frame is None else frame.frame for frame in answers] == [None] * 6 + [0, 1, 2]
    assert [frame.frame for frame in live.finish()] == [3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_stream_may_end_at_once(biped: Biped, count: int) -> None:
    frames = play(LiveReference(WALK[:20], biped), WALK.q[:count])
    assert [frame.frame for frame in frames] == list(range(count))


def test_the_beginning_is_forgotten(played: list[LiveFrame], biped: Biped) -> None:
    """Also where blocks of frames that are solved at once begin elsewhere."""
    later = stack(play(LiveReference(WALK, biped), WALK.q[29:100]))[SETTLED:-18]
    assert np.abs(later - stack(played)[29 + SETTLED : 100 - 18])[:, 6:].max() < 0.02


def test_limits_and_speeds_hold_whatever_comes(biped: Biped) -> None:
    """Arms and legs that jump at random, and a person who is turned round and moved by metres."""
    rows = WALK.q[:24].copy()
    rows[8:] += np.random.default_rng(3).normal(0.0, 0.8, rows[8:].shape)
    rows[16:, :3] += 5.0
    q = stack(play(LiveReference(WALK[:20], biped, delay=0.1), rows))
    lower, upper = (np.array([getattr(dof, end) for dof in biped.skeleton.dofs]) for end in ("lower", "upper"))
    assert len(q) == len(rows)
    assert np.isfinite(q).all()
    assert ((q >= lower) & (q <= upper)).all()
    speeds = np.abs(np.diff(q[:, 6:], axis=0)) * RATE
    assert (speeds <= biped.description.speeds[6:] * (1.0 + 1e-9)).all()


@dataclass
class Recorder:
    """In place of a robot: keeps the rows that it is given."""

    biped: Biped
    rows: list[Array]
    rig = gb.load("walk")
    fps, delay = RATE, 2

    def step(self, row: Array) -> LiveFrame | None:
        self.rows.append(row)
        found = len(self.rows) > self.delay
        return LiveFrame(len(self.rows) - 3, self.biped.bent, np.array([True, False])) if found else None


@pytest.fixture
def recorder(biped: Biped) -> Recorder:
    return Recorder(biped, [])


def describe_frame(n: int) -> dict[str, Any]:
    """Frame `n` of the walk as root and rotations, in axes and unit of its file."""
    rig = WALK
    local = local_frames(rig.skeleton, rig.q[n : n + 1])
    back = rig.origin.axes.T
    turns = {
        name: [float(turn[0]), *(back @ turn[1:])]
        for name, turn in zip(rig.skeleton.names, local.rotations[0], strict=True)
    }
    return {"root": (back @ local.positions[0, 0] / rig.origin.unit).tolist(), "rotations": turns}


def test_channels_and_rotations_are_the_same_frame(recorder: Recorder, tmp_path: Any) -> None:
    path = tmp_path / "walk.bvh"
    gb.save(WALK, path)
    recorder.rig = gb.load(path)
    stream = ReferenceStream(recorder)  # type: ignore[arg-type]
    row = [float(word) for word in path.read_text().splitlines()[-len(WALK) + 40].split()]
    stream.answer(json.dumps({"channels": row}))
    stream.answer(json.dumps(describe_frame(40)))
    here, there = (place(recorder.rig.skeleton, each[None]).positions for each in recorder.rows)
    np.testing.assert_allclose(here, there, atol=1e-6)
    np.testing.assert_allclose(here, WALK[40:41].placement.positions, atol=1e-6)


HOSTILE = [
    b"",
    b"not json",
    b"[1]",
    b"{}",
    b'{"channels": [1, 2]}',
    b'{"channels": "all"}',
    b'{"channels": [], "rotations": {}}',
    b'{"rotations": {}}',
    b'{"root": [0, 0], "rotations": {}}',
    b'{"root": [0, 0, 0], "rotations": [1]}',
    b'{"root": [0, 0, 1e300], "rotations": {}}',
    b'{"root": [0, 0, NaN], "rotations": {}}',
    b'{"root": [0, 0, 0], "rotations": {"Tail": [1, 0, 0, 0]}}',
    b'{"root": [0, 0, 0], "rotations": {"Hips": [0, 0, 0, 0]}}',
    b'{"root": [0, 0, 0], "rotations": {"Hips": [1e200, 0, 0, 0]}}',
    b'{"root": [0, 0, 0], "rotations": {"Hips": [1, 0, 0]}}',
    b'{"root": [0, 0, 0], "rotations": {}, "speed": 1}',
    b'{"time": "now", "root": [0, 0, 0], "rotations": {}}',
    b'{"time": -1, "root": [0, 0, 0], "rotations": {}}',
]


def test_a_wrong_line_gets_an_error_and_changes_nothing(recorder: Recorder) -> None:
    good = json.dumps(describe_frame(0))
    out = [json.loads(line) for line in answer_lines(ReferenceStream(recorder), [good, *HOSTILE, good, good])]  # type: ignore[arg-type]
    header, first, wrong, last = out[0], out[1], out[2:-2], out[-2:]
    assert len(header["joint_names"]) == len(last[1]["joint_pos"])
    assert first == {"waiting": 2}
    assert all(set(answer) == {"error"} and "\n" not in answer["error"] for answer in wrong)
    assert len(wrong) == len(HOSTILE)
    assert last[0] == {"waiting": 1}
    assert (last[1]["time"], last[1]["contacts"]) == (0.0, [True, False])
    assert len(recorder.rows) == 3


def test_the_base_is_where_the_coordinates_put_it(recorder: Recorder, biped: Biped) -> None:
    stream = ReferenceStream(recorder)  # type: ignore[arg-type]
    frame = json.dumps(describe_frame(0))
    answer = [stream.answer(frame) for _ in range(3)][-1]
    placed = place(biped.skeleton, biped.bent[None])
    np.testing.assert_allclose(answer["root_pos"], placed.positions[0, 0])
    assert abs(float(np.dot(answer["root_rot"], placed.rotations[0, 0]))) > 1.0 - 1e-12


@pytest.mark.parametrize("options", [{"fps": 5.0}, {"delay": 0.0}, {"delay": 9.0}])
def test_impossible_settings_are_refused(biped: Biped, options: dict[str, float]) -> None:
    with pytest.raises(InputError):
        LiveReference("walk", biped, **options)


@pytest.mark.parametrize(("words", "told"), [(("no.bvh", "jvrc1"), "no.bvh"), (("walk", "walk.bvh"), "robot")])
def test_a_wrong_rig_or_robot_is_one_line(gambol: Any, words: tuple[str, str], told: str) -> None:
    code, out, err = gambol("retarget-stream", words[0], "--to", words[1], "--quiet")
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.strip().splitlines()) == 1
