"""The stream: a line in, a line out, whatever the line; the poses are those of the function."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.judge.judgement import Judgement
from gambol.motion.pushes import Push
from gambol.respond.endless import make_endless
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.respond.stepping import start_response, step_response
from gambol.respond.stream import Stream

COMMAND = [Path(sys.executable).parent / "gambol", "push-stream"]
PUSHED = {"pushes": [{"body": "left_upper_arm", "force": [0, 60, 0]}]}
HOSTILE = [
    b"",
    b"   ",
    b"not json",
    b"[1, 2]",
    b"null",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"target": [1, 2]}',
    b'{"target": "walk"}',
    b'{"target": [' + b"NaN, " * 41 + b"0]}",
    b'{"target": [' + b"true, " * 41 + b"0]}",
    b'{"target": [' + b"1" * 400 + b", " + b"0, " * 40 + b"0]}",
    b'{"target": [' + b"1e300, " * 41 + b"0]}",
    b'{"tarjet": null}',
    b'{"pushes": 7}',
    b'{"pushes": ["head"]}',
    b'{"pushes": [{"body": "head"}]}',
    b'{"pushes": [{"body": ["head"], "force": [0, 1, 0]}]}',
    b'{"pushes": [{"body": "nose", "force": [0, 1, 0]}]}',
    b'{"pushes": [{"body": "head", "force": [0, NaN, 0]}]}',
    b'{"pushes": [{"body": "head", "force": [0, Infinity, 0]}]}',
    b'{"pushes": [{"body": "head", "force": [0, 1]}]}',
    b'{"pushes": [{"body": "head", "force": [1e308, 1e308, 0]}]}',
    b'{"pushes": [{"body": "head", "force": [0, 1, 0], "point": [0, 1]}]}',
    b'{"pushes": [{"body": "head", "force": [0, 1, 0], "axes": "moon"}]}',
    b'{"pushes": [{"body": "head", "force": [0, 1, 0], "until": 3}]}',
]


@cache
def learn_walk() -> NearUnactuatedResponder:
    walk = samples.walk()
    return NearUnactuatedResponder.learn(fit(Character.from_motion(walk), walk))


@pytest.fixture
def stream(gambol, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, list[dict[str, Any]], str]]:
    """`push-stream` in this process: lines and words in; exit code, answers and standard error out."""

    def run(lines: list[bytes], *words: str) -> tuple[int, list[dict[str, Any]], str]:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"".join(line + b"\n" for line in lines))))
        code, out, err = gambol("push-stream", *words)
        return code, [json.loads(line) for line in out.splitlines()], err

    return run


def test_joints_of_the_rig_name_bodies_too() -> None:
    stream, other = Stream(learn_walk()), Stream(learn_walk())
    joint = {"pushes": [{**PUSHED["pushes"][0], "body": "LeftArm"}]}
    assert stream.answer(json.dumps(joint)) == other.answer(json.dumps(PUSHED))


def test_hostile_lines_change_nothing() -> None:
    """Every one is answered by one error, and the frames between them are those of a stream without them."""
    frame = json.dumps(PUSHED).encode()
    between = [line for hostile in HOSTILE for line in (hostile, frame)]
    done = subprocess.run([*COMMAND, "walk"], input=b"\n".join(between) + b"\n", capture_output=True)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    out = [json.loads(line) for line in done.stdout.splitlines()]
    header, errors, frames, last = out[0], out[1:-1:2], out[2:-1:2], out[-1]
    assert len(out) == 2 + len(between)
    assert last["judgement"]["judged"]
    assert header["frame_time"] == pytest.approx(1 / 60)
    assert all(list(answer) == ["error"] for answer in errors)
    assert "bodies: pelvis" in errors[18]["error"]
    assert "42 numbers, not 2" in errors[7]["error"]
    plain = Stream(learn_walk())
    wanted = [plain.answer(frame) for _ in HOSTILE]
    assert frames == wanted
    assert np.isfinite([answer["pose"] for answer in frames]).all()


def test_the_first_line_names_the_clip_and_the_header_describes_it(stream) -> None:
    lines = [b'{"clip": 3}', b'{"clip": "\\u0000"}', b'{"clip": "no.bvh"}', b'{"clip": "walk"}', b"{}"]
    code, out, _ = stream(lines, "--bodies")
    assert code == 0
    assert [list(answer) for answer in out[:3]] == [["error"]] * 3
    header, frame, last = out[3:]
    assert last == {"judgement": Judgement(judged=False).facts()}
    assert len(header["dofs"]) == len(header["pose"]) == len(frame["pose"]) == 42
    assert len(header["bodies"]) == 18
    assert header["time"] == 0.0
    head = np.array(frame["places"]["head"])
    assert 1.3 < head[2] < 1.8
    assert np.linalg.norm(head[3:]) == pytest.approx(1.0)


def test_an_end_before_any_clip_is_an_end(stream) -> None:
    code, out, err = stream([])
    assert (code, out) == (0, [])
    assert all("preparing" in line for line in err.splitlines()), "a busy machine takes long to prepare"
    code, out, err = stream([], "no.bvh")
    assert (code, out, err.count("\n")) == (2, [], 1)


def test_poses_are_those_of_the_function_with_the_clip_looped_or_targets_of_ones_own() -> None:
    walk = samples.walk()
    fitted = fit(Character.from_motion(walk), walk)
    responder = learn_walk()
    path, model, stream = make_endless(fitted), responder.model, Stream(responder)
    state = start_response(model, path.at(0), path.at(-1))
    for n in range(1, 2 * len(path)):
        target = path.at(n)
        pushes = [Push("left_upper_arm", (0.0, 60.0, 0.0), 10.0 * model.frame_time, 0.2)]
        state, pose = step_response(model, state, target, pushes)
        asked = dict(PUSHED) if 10 < n <= 22 else {}
        if n % 3 == 0:
            asked["target"] = target.tolist()
        answer = stream.answer(json.dumps(asked))
        assert np.allclose(answer["pose"], pose, atol=1e-9)
    assert answer["time"] == pytest.approx((2 * len(path) - 1) / 60)
    assert np.abs(pose - target)[3:].max() > 1e-4, "the push is still to be seen"


def test_a_target_far_away_is_left_behind() -> None:
    stream = Stream(learn_walk())
    first = stream.header["pose"]
    assert "error" not in stream.answer(json.dumps({"target": [9e4] * 42, **PUSHED}))
    for _ in range(180):
        answer = stream.answer(b"{}")
    assert np.abs(np.array(answer["pose"]) - first)[3:].max() < 1.5, "it walks as it did"
