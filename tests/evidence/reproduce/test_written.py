"""Files that verbs write are judged as they are read, not as their makers describe them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import gambol as gb
from gambol.clips.result import Result
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol_evidence.cli.reproduce import Name
from gambol_evidence.reproduce.user_cases import CASES
from gambol_evidence.reproduce.written import judge_file, judge_written

WALK = gb.load("walk")


def carry(motion: Motion, speed: float) -> Motion:
    """Carry a motion to the left at a speed (m/s), its feet included."""
    q = motion.q.copy()
    axes = np.array([motion.skeleton.dofs[column].axis for column in motion.skeleton.columns(0, "slide")])
    q[:, motion.skeleton.columns(0, "slide")] += np.outer(motion.times, axes @ (0.0, speed, 0.0))
    return replace(motion, q=q)


def result(motion: Motion, **kwargs: object) -> Result:
    """Return a result that claims that all is well."""
    return Result(motions=as_ensemble(motion), figures={"slide_mm": 0.0}, **kwargs)  # type: ignore[arg-type]


def test_a_sliding_walk_fails_whatever_its_figures_say() -> None:
    sliding = carry(WALK, 0.3)
    claims = {one.id: one for one in judge_written({"good": lambda: result(WALK), "bad": lambda: result(sliding)})}
    assert claims["seen-good"].holds
    assert not claims["seen-bad"].holds
    assert "slide" in claims["seen-bad"].data
    assert claims["seen-accepted"].measured == 50.0


def test_what_the_source_had_is_no_fault() -> None:
    sliding = carry(WALK, 0.3)
    assert judge_file(result(sliding, sources=(sliding,))).accepted


def test_a_verb_that_raises_is_not_accepted() -> None:
    def fail() -> Result:
        raise ValueError("no solution")

    raised, share = judge_written({"broken": fail})
    assert math.isnan(raised.measured)
    assert "no solution" in raised.data
    assert not raised.holds
    assert share.measured == 0.0


def test_every_suite_that_makes_motions_is_judged() -> None:
    suites = set(get_args(get_args(Name)[0]))
    assert suites - CASES.keys() == {"ground-truth", "judge"}
    assert CASES.keys() <= suites


@pytest.mark.parametrize("suite", CASES)
def test_cases_are_listed_without_being_made(suite: str, tmp_path: Path) -> None:
    assert all(callable(make) for make in CASES[suite](tmp_path).values())
