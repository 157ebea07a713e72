"""A partner over lines of JSON: a line in, a line out, whatever the line; the poses are those of the partner."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction.partner import Partner
from gambol.interaction.stream import PartnerStream
from gambol.io.json_lines import answer_lines
from tests.interaction.meetings import make_model, make_trial

HANDS = make_trial().paths[1].tolist()
HOSTILE = [
    b"",
    b"not json",
    b"[1, 2, 3]",
    b"null",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b"{}",
    b'{"style": {"gentle": 1}}',
    b'{"hand": [1, 2]}',
    b'{"hand": [1, 2, 3, 4]}',
    b'{"hand": []}',
    b'{"hand": "here"}',
    b'{"hand": [1, 2, null]}',
    b'{"hand": [1, 2, NaN]}',
    b'{"hand": [1, 2, Infinity]}',
    b'{"hand": [1, 2, 1e300]}',
    b'{"hand": [1, 2, true]}',
    b'{"hand": [1, 2, 1' + b"0" * 400 + b"]}",
    b'{"hand": null, "foot": 1}',
    b'{"hand": null, "seconds": 0}',
    b'{"hand": null, "seconds": -1}',
    b'{"hand": null, "seconds": 11}',
    b'{"hand": null, "seconds": null}',
    b'{"hand": null, "seconds": [1]}',
    b'{"hand": null, "style": {"gentle": 1}, "seconds": 0}',
    b'{"hand": null, "style": "gentle"}',
    b'{"hand": null, "style": {"angry": 1}}',
    b'{"hand": null, "style": {"gentle": "much"}}',
    b'{"hand": null, "style": {"gentle": NaN}}',
    b'{"hand": null, "style": {"gentle": 1e308}}',
    b'{"hand": null, "style": {"gentle": -1}}',
]


def test_the_poses_are_those_of_the_partner() -> None:
    stream, partner = PartnerStream(make_model()), Partner(make_model())
    state = partner.start()
    for n, hand in enumerate(HANDS):
        answer = stream.answer(json.dumps({"hand": hand}))
        state, frame = partner.step(state, np.array(hand))
        np.testing.assert_array_equal(answer["rotations"], frame.local.rotations[0])
        np.testing.assert_array_equal(answer["root"], frame.local.positions[0, 0])
        np.testing.assert_array_equal(answer["contact"], frame.estimate.goal)
        assert answer["phase"] == frame.estimate.phase
        assert answer["time"] == pytest.approx((n + 1) / 60.0, abs=1e-6)
        assert "outside" not in answer


def test_the_header_tells_the_rig_and_the_styles() -> None:
    header = PartnerStream(make_model()).header
    skeleton = make_model().people[0].arm.skeleton
    assert header["joints"] == list(skeleton.names)
    assert header["parents"][0] == -1
    assert header["styles"] == ["neutral", "gentle"]
    assert header["frame_time"] == make_model().frame_time
    # With the offsets the joints of an answer can be placed.
    assert np.shape(header["offsets"]) == (len(skeleton.names), 3)


@pytest.mark.parametrize("line", HOSTILE)
def test_a_hostile_line_gets_an_error_and_changes_nothing(line: bytes) -> None:
    spoiled, clean = PartnerStream(make_model()), PartnerStream(make_model())
    for stream in (spoiled, clean):
        for hand in HANDS[:12]:
            stream.answer(json.dumps({"hand": hand}))
    answer = spoiled.answer(line)
    assert list(answer) == ["error"]
    assert "\n" not in answer["error"]
    assert len(answer["error"]) < 300
    sample = json.dumps({"hand": HANDS[12]})
    assert spoiled.answer(sample) == clean.answer(sample)


def test_every_line_in_has_one_line_out() -> None:
    lines = [json.dumps({"hand": HANDS[0]}), *HOSTILE, json.dumps({"hand": None}), b'{"hand": [9, 9, 9]}']
    out = list(answer_lines(PartnerStream(make_model()), lines))
    assert len(out) == len(lines) + 1
    assert all("\n" not in line for line in out)
    answers = [json.loads(line, parse_constant=lambda name: pytest.fail(name)) for line in out]
    assert "joints" in answers[0]
    assert ["error" in answer for answer in answers[1:]] == [False, *[True] * len(HOSTILE), False, False]


def test_answers_come_at_once() -> None:
    def give_lines():
        for n in range(3):
            given.append(n)
            yield '{"hand": null}'

    given: list[int] = []
    answers = answer_lines(PartnerStream(make_model()), give_lines())
    next(answers)
    assert given == []
    next(answers)
    assert given == [0]


def test_the_style_stays_until_it_is_changed() -> None:
    stream, partner = PartnerStream(make_model()), Partner(make_model())
    state = partner.start()
    gentle = {"gentle": 0.7}
    for n, hand in enumerate(HANDS[:40]):
        sample = {"hand": hand} | ({"style": gentle} if n == 10 else {"style": {"neutral": 1}} if n == 20 else {})
        answer = stream.answer(json.dumps(sample))
        state, frame = partner.step(state, np.array(hand), gentle if 10 <= n < 20 else {})
        np.testing.assert_array_equal(answer["rotations"], frame.local.rotations[0])


def test_a_style_to_begin_with() -> None:
    stream, partner = PartnerStream(make_model(), {"gentle": 1.0}), Partner(make_model())
    state = partner.start({"gentle": 1.0})
    for hand in HANDS[:20]:
        answer = stream.answer(json.dumps({"hand": hand}))
        state, frame = partner.step(state, np.array(hand), {"gentle": 1.0})
    np.testing.assert_array_equal(answer["rotations"], frame.local.rotations[0])
    with pytest.raises(InputError, match="unknown style"):
        PartnerStream(make_model(), {"angry": 1.0})


def test_missing_samples_and_other_steps() -> None:
    stream, partner = PartnerStream(make_model()), Partner(make_model())
    state = partner.start()
    for n, hand in enumerate(HANDS[::2]):
        missing = n % 4 == 3
        answer = stream.answer(json.dumps({"hand": None if missing else hand, "seconds": 1.0 / 30.0}))
        state, frame = partner.step(state, None if missing else np.array(hand), seconds=1.0 / 30.0)
        np.testing.assert_array_equal(answer["rotations"], frame.local.rotations[0])
    assert answer["time"] == pytest.approx(len(HANDS[::2]) / 30.0, abs=1e-6)


def test_a_hand_outside_of_what_was_learned_is_answered_and_told() -> None:
    stream = PartnerStream(make_model())
    stream.answer(json.dumps({"hand": HANDS[0]}))
    answer = stream.answer('{"hand": [0.9, 5, 1]}')
    assert answer["outside"] == pytest.approx(np.linalg.norm(np.array([0.9, 5.0, 1.0]) - HANDS[0]), abs=0.05)
    assert np.isfinite(answer["rotations"]).all()
