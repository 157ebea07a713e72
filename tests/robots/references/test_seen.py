"""A robot whose base jumps, or whose soles slide or float, is seen without forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gambol as gb
from gambol.robots.references.judgement import judge_reference
from gambol.robots.references.seen import judge_robot, see_robot
from gambol.robots.references.verb import ReferenceResult, make_reference
from gambol.robots.sole_shapes import locate_soles
from gambol.stages.feet import SIDES
from tests.robots.test_whole_body import jvrc


@pytest.fixture(scope="module")
def fast() -> ReferenceResult:
    return make_reference(gb.load("walk")[:120], jvrc(), fast=True)


def move_base(result: ReferenceResult, way: np.ndarray) -> ReferenceResult:
    """The reference with its base displaced by `way` (frames, 3) in metres."""
    reference = result.reference
    q = reference.motion.q.copy()
    q[:, :3] += way
    return replace(result, reference=replace(reference, motion=replace(reference.motion, q=q)))


def test_a_sound_reference_is_accepted(fast: ReferenceResult) -> None:
    assert fast.judgement.judged
    assert fast.judgement.findings == ()


def test_a_base_that_jumps_in_one_frame_is_refused(fast: ReferenceResult) -> None:
    way = np.zeros((len(fast.motion), 3))
    way[40:, 2] = 0.091
    jumping = move_base(fast, way)
    worst = jumping.judgement.findings[0]
    assert (worst.kind.name, worst.part) == ("pop", "body")
    assert worst.start == pytest.approx(40 * fast.motion.frame_time, abs=0.06)
    assert jumping.judgement.verdict.startswith("a viewer would not accept this: body changes its velocity")
    assert not judge_reference(jumping.reference).passes


def test_soles_that_slide_are_refused(fast: ReferenceResult) -> None:
    step = fast.motion.frame_time
    alone = np.flatnonzero(fast.reference.touching[:, 0] & ~fast.reference.touching[:, 1])
    middle = int(alone[len(alone) // 4])
    share = np.clip((np.arange(len(fast.motion)) - middle) * step / 0.2, 0.0, 1.0)
    slid = move_base(fast, 0.1 * np.outer(share, [0.0, 1.0, 0.0])).reference
    found = judge_robot(slid.biped, slid.motion).findings
    slide = max((one for one in found if "foot_slide" in one.kind.name), key=lambda one: one.value)
    assert slide.value == pytest.approx(10.0, rel=0.35)


def test_heels_and_toes_are_in_the_middle_of_the_soles(fast: ReferenceResult) -> None:
    seen = see_robot(fast.reference.biped, fast.reference.motion)
    corners = locate_soles(fast.reference.biped, fast.motion.placement)
    for n, side in enumerate(SIDES):
        middle = seen.soles[side].mean(axis=1) - corners[:, n].mean(axis=1)
        np.testing.assert_allclose(np.linalg.norm(middle, axis=1), 0.03, atol=1e-9)
        assert (middle[fast.reference.flat[:, n], 2] > 0.029).all()
