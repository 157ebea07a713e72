"""The push map: what it says of a push is what the same push does on its own, and the page says it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import Fit, fit
from gambol.io import samples
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.pushes import Push
from gambol.respond.balance import measure_overbalance
from gambol.respond.endless import make_endless
from gambol.respond.model import learn_response
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.respond.push_map import PushMap, PushPlan, force_levels, sample_pushes
from gambol.respond.push_map_page import push_map_html, summarise_push_map
from gambol.respond.stepping import respond_to_targets
from gambol.stages.balance import OUTCOMES
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import drop_supported_flights, find_stages
from gambol.stages.support import split_by_support
from tests.hostile.attempt import read_processor_time
from tests.waiting import LIMIT, wait_for

PLAN = PushPlan(pushes=64, strongest=0.6, bodies=("head", "left_forearm"), seed=3)


@pytest.fixture(scope="module")
def fitted() -> Fit:
    walk = samples.walk()
    return fit(Character.from_motion(walk), walk)


@pytest.fixture(scope="module")
def quick(fitted: Fit) -> NearUnactuatedResponder:
    return NearUnactuatedResponder.learn(fitted, machine_code=True)


@pytest.fixture(scope="module")
def found(quick: NearUnactuatedResponder) -> PushMap:
    return sample_pushes(quick, PLAN)


def test_every_cell_is_what_the_push_does_alone(fitted: Fit, found: PushMap) -> None:
    """The clip looped on its own and pushed once, by the function that pushes clips."""
    h, cycle = fitted.motion.frame_time, find_cycle(fitted.source)
    looped = repeat_cycle(close_cycle(fitted.motion, cycle), 6)
    model = learn_response(fitted)
    across = fitted.source.placement.positions[:, [fitted.source.rig.parts[f"{s}_thigh"] for s in ("left", "right")]]
    for cell in ((0, 1, 1, 0), (1, 3, 0, 1)):
        frame = found.phases[cell] * (cycle.stop - cycle.start)
        left = (across[:, 0] - across[:, 1])[cycle.start + int(frame)]
        heading = np.arctan2(-left[0], left[1]) + found.angles[cell]
        newtons = found.forces[cell[2]]
        assert newtons == pytest.approx((0.3, 0.6)[cell[2]] * fitted.character.mass * GRAVITY)
        begin = h * (frame - int(frame))
        push = Push(
            PLAN.bodies[cell[0]], (newtons * np.cos(heading), newtons * np.sin(heading), 0.0), begin, PLAN.duration
        )
        targets = looped.q[int(frame) : int(frame) + 210]
        off = np.degrees(np.abs(respond_to_targets(model, targets, [push]) - targets)[:, 3:])
        assert found.peaks[cell] == pytest.approx(off.max(), rel=0.05)
        last = np.flatnonzero(off.max(axis=1) > 2.0)[-1]
        assert found.recoveries[cell] == pytest.approx((last + 1) * h - begin - PLAN.duration, abs=0.1)


def test_what_a_person_would_do_is_what_the_push_alone_says(fitted: Fit, found: PushMap) -> None:
    """The looped clip, pushed once, measured by the function that measures clips."""
    cycle = find_cycle(fitted.source)
    looped = repeat_cycle(close_cycle(fitted.motion, cycle), 4)
    frames, h = cycle.stop - cycle.start, fitted.motion.frame_time
    hips = fitted.source.placement.positions[:, [fitted.source.rig.parts[f"{s}_thigh"] for s in ("left", "right")]]
    for cell in ((0, 1, 1, 0), (1, 3, 0, 1), (0, 2, 0, 2)):
        frame = found.phases[cell] * frames
        left = (hips[:, 0] - hips[:, 1])[cycle.start + int(frame)]
        heading, newtons = np.arctan2(-left[0], left[1]) + found.angles[cell], found.forces[cell[2]]
        force = (newtons * np.cos(heading), newtons * np.sin(heading), 0.0)
        push = Push(PLAN.bodies[cell[0]], force, h * (frames + frame), PLAN.duration)
        outside = measure_overbalance(fitted.character, looped, [push])
        assert found.outside[cell] == pytest.approx(outside, abs=0.02)
    assert found.facts()["pushes"][0]["person"] == OUTCOMES[found.outcomes[0, 0, 0, 0]]
    assert (found.outside[:, :, 1] > found.outside[:, :, 0]).mean() > 0.9, "a stronger push throws farther"


def test_a_map_is_the_same_again_and_another_with_another_seed(quick: NearUnactuatedResponder, found: PushMap) -> None:
    assert found.plan.shape == (2, 4, 2, 4)
    again, other = sample_pushes(quick, PLAN), sample_pushes(quick, replace(PLAN, seed=4))
    assert again.facts() == found.facts()
    assert not np.array_equal(other.phases, found.phases)
    assert np.array_equal(np.floor(4.0 * found.phases), np.broadcast_to(np.arange(4), found.phases.shape))
    assert (found.peaks[:, :, 1] > found.peaks[:, :, 0]).mean() > 0.8, "a stronger push throws farther"


def test_weakness_is_a_push_that_is_not_recovered_from_before_one_that_is_far(found: PushMap) -> None:
    far = found.weakest
    assert found.peaks.mean(axis=2)[far[0], far[1], far[3]] == found.peaks.mean(axis=2).max()
    assert "returns after all of 64 pushes" in summarise_push_map(found)
    waits = found.recoveries.copy()
    waits[1, 2, 1, 0] = waits[0, 2, :, 1] = np.inf
    failing = replace(found, recoveries=waits)
    assert failing.weakest == (0, 2, 0, 1), "the weaker push counts"
    assert "the head pushed left" in summarise_push_map(failing)
    assert "does not return after 3 of 64" in summarise_push_map(failing)


def test_support_phases_are_those_of_the_clip(fitted: Fit, found: PushMap) -> None:
    """The map uses the looped motion of its responder; here they are found in the source."""
    contacts = find_foot_contacts(fitted.source)
    stages = split_by_support(contacts, drop_supported_flights(fitted.source, find_stages(contacts)))
    named = [stage.name for stage in stages for _ in range(len(stage))][find_cycle(fitted.source)]
    assert {"left foot", "right foot", "both feet"} <= set(found.supports)
    assert np.mean([one == other for one, other in zip(found.supports, named, strict=True)]) > 0.95


def test_limits_are_reached_by_pushes_and_not_by_the_clip(quick: NearUnactuatedResponder) -> None:
    assert not sample_pushes(quick, replace(PLAN, strongest=0.001)).limited.any()
    assert sample_pushes(quick, PushPlan(64, 3.0, 0.3, ("left_forearm",))).limited.mean() > 0.2


def test_rounds_go_on_without_a_seam(fitted: Fit) -> None:
    path = make_endless(fitted)
    steps = np.abs(np.diff(path.at(np.arange(-3, 3 * len(path))), axis=0))
    inside = np.abs(np.diff(path.at(np.arange(len(path))), axis=0))
    assert (steps.max(axis=0) <= 1.5 * inside.max(axis=0) + 1e-9).all()
    spun = fitted.motion.q.copy()
    spun[:, 5] += 2.0 * np.pi * np.arange(len(spun)) / len(path)
    spinning = make_endless(replace(fitted, motion=replace(fitted.motion, q=spun)))
    assert np.abs(np.diff(spinning.at(np.arange(3 * len(path)))[:, 5])).max() < 0.2, "whole turns are no seam"
    still = make_endless(fit(Character.from_motion(samples.stand()), samples.stand()))
    assert still.cycle is None
    assert np.allclose(still.at(np.arange(len(still))), still.at(np.arange(len(still)) + 3 * len(still)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pushes": 3}, "a map needs"),
        ({"strongest": float("nan")}, "body weights"),
        ({"duration": -1.0}, "lasts up to 10 s"),
        ({"seed": -1}, "seed"),
    ],
)
def test_plans_that_make_no_sense(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PushPlan(**settings)


@pytest.mark.browser
def test_the_page_shows_every_push_and_needs_no_network(found: PushMap, tmp_path: Path, page) -> None:
    waits = found.recoveries.copy()
    waits[0, 0, 1, 0] = np.inf
    path = tmp_path / "map.html"
    path.write_text(push_map_html(replace(found, recoveries=waits, clip="<b>walk</b>")), encoding="utf-8")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1200, "height": 800})
    page.goto(path.as_uri())
    assert asked == [path.as_uri()]
    assert page.locator("h1").inner_text() == "Push map of <b>walk</b>"
    told = page.locator("section >> nth=0").locator("svg >> nth=1").locator("rect title")
    texts = [text for text in told.all_text_contents() if " N " in text]
    assert len(texts) == 64
    peaks = sorted(float(re.search(r"([\d.]+) degrees,", text)[1]) for text in texts)
    assert np.allclose(peaks, np.sort(found.peaks.ravel()), atol=0.06)
    assert sum("not back" in text for text in texts) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_command(gambol, tmp_path: Path) -> None:
    words = ("push-map", "walk", "-o", tmp_path / "map.html", "--body", "head", "--pushes", 8, "--seed", 5)
    code, out, err = gambol(*words, "--json", tmp_path / "map.json")
    assert code == 0
    assert out.splitlines() == [str(tmp_path / "map.html"), str(tmp_path / "map.json")]
    assert "is weakest at the head" in err
    facts = json.loads((tmp_path / "map.json").read_text())
    assert (facts["seed"], facts["k"], len(facts["pushes"])) == (5, 10, 8)
    assert gambol(*words)[0] == 2, "it is there already"
    for wrong, message in (
        (("--body", "nose"), "bodies: pelvis"),
        (("--free", 99), "0 to 24"),
        (("--pushes", 0), "a map needs"),
    ):
        code, _, err = gambol("push-map", "walk", "-o", tmp_path / "new.html", *wrong)
        assert code == 2
        assert message in err
    assert not (tmp_path / "new.html").exists()


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    command = [Path(sys.executable).parent / "gambol", "push-map", "walk", "-o", tmp_path / "map.html"]
    running = subprocess.Popen([*command, "--pushes", "100000"], stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    running.stderr.readline()  # the clip is read
    read = read_processor_time(running.pid)
    assert wait_for(lambda: read_processor_time(running.pid) > read + 2.0)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=LIMIT)
    assert running.returncode == 130
    assert err.strip().splitlines()[-1] == "gambol: stopped"
    assert list(tmp_path.iterdir()) == []


def test_a_plan_of_pushes_has_even_levels_of_force() -> None:
    plan = PushPlan(pushes=1000, strongest=0.8)
    bodies, ways, forces, phases = plan.shape
    assert (bodies, ways) == (8, 4)
    assert plan.total == bodies * ways * forces * phases
    assert abs(plan.total - 1000) < 100
    assert 1.5 < phases / forces < 2.6
    np.testing.assert_allclose(force_levels(plan), 0.8 * np.linspace(1.0 / forces, 1.0, forces))
    assert PushPlan(pushes=32).shape == (8, 4, 1, 1)
    assert PushPlan(pushes=1_000_000).pushes == 1_000_000
    assert PushPlan(strongest=10.0, duration=10.0).strongest == 10.0
    for wrong in ({"pushes": 31}, {"pushes": 1_000_001}, {"strongest": 10.1}, {"duration": 0.0}, {"seed": -1}):
        with pytest.raises(InputError):
            PushPlan(**wrong)  # type: ignore[arg-type]


def test_progress_counts_the_pushes_up_to_their_number() -> None:
    told: list[tuple[str, int, int]] = []
    found = gb.push_map("walk", pushes=8, bodies=("head", "chest"), progress=lambda *words: told.append(words))
    counts = [done for _, done, _ in told]
    assert counts == sorted(counts)
    assert told[-1][1:] == (8, 8)
    assert found.figures["pushes"] == 8
