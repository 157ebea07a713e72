"""What `gambol reproduce robots` measures: faults of a motion, lost clips, pose errors, cuts and drift."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import gambol as gb
from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.motion.motion import Motion
from gambol.robots.biped import Biped, find_biped
from gambol.robots.references import verb
from gambol.robots.references.judgement import judge_reference
from gambol.robots.references.reference import ReferenceMotion
from gambol.robots.sole_shapes import locate_soles
from gambol.robots.whole_body import stand_level
from gambol_evidence.reproduce.claims import Claim
from gambol_evidence.reproduce.robots import cuts, people, pose_errors, setting
from gambol_evidence.reproduce.robots.playback import _find_leaving, play_back
from gambol_evidence.reproduce.robots.quality import claim_figures, claim_outcomes
from gambol_evidence.reproduce.robots.setting import Attempt, RobotsSetting
from tests.robots.test_whole_body import jvrc

FRAMES, RATE = 20, 50.0


@cache
def jvrc_biped() -> Biped:
    return find_biped(jvrc().description)


def stand(frames: int = FRAMES) -> Array:
    return np.tile(stand_level(jvrc()), (frames, 1))


def make_reference_of(q: Array, *, standing: bool = True, height: float = 0.0) -> ReferenceMotion:
    """A reference motion of JVRC-1 whose soles rest flat on ground of a height (m), or do not rest."""
    motion = Motion(jvrc_biped().skeleton, q, 1.0 / RATE, "made")
    soles = locate_soles(jvrc_biped(), Motion(jvrc_biped().skeleton, stand(1), 1.0).placement)
    rests = np.full((len(q), 2), standing)
    return ReferenceMotion(jvrc_biped(), motion, rests, rests, np.full((len(q), 2, 4), height + soles[..., 2].min()))


@cache
def judge_standing() -> Attempt:
    return judge("good", stand())


def judge(clip: str, q: Array) -> Attempt:
    return Attempt(clip, judgement=judge_reference(make_reference_of(q)))


def claim_about(*attempts: Attempt) -> dict[str, Claim]:
    return {claim.id: claim for claim in claim_figures("jvrc1", attempts)}


def test_a_robot_that_stands_still_has_no_fault() -> None:
    claims = claim_about(judge_standing())
    assert len(claims) > 15
    assert all(claim.holds for claim in claims.values()), [c.id for c in claims.values() if not c.holds]
    assert "jvrc1-fall-in-flight" not in claims  # there is no flight


@pytest.mark.parametrize(
    ("figure", "column", "change"),
    [
        ("slip", 0, np.linspace(0.0, 0.006, FRAMES)),
        ("penetration", 2, np.full(FRAMES, -0.003)),
        ("one-frame-jumps", 20, np.where(np.arange(FRAMES) == 10, 0.4, 0.0)),
        ("root-residual", 1, 0.02 * np.sin(np.arange(FRAMES))),
    ],
)
def test_a_fault_in_one_of_two_clips_is_found(figure: str, column: int, change: Array) -> None:
    faulty = stand()
    faulty[:, column] += change
    claims = claim_about(judge_standing(), judge("bad", faulty))
    assert not claims[f"jvrc1-{figure}"].holds
    assert "worst bad" in claims[f"jvrc1-{figure}"].data
    assert claims[f"jvrc1-{figure}-share"].measured == 50.0


def test_clips_that_are_lost_are_counted_and_say_why() -> None:
    made = [judge_standing(), Attempt("b", reason="no feet"), Attempt("c", reason="KeyError: 1", explained=False)]
    claims = {claim.id: claim for claim in claim_outcomes({"jvrc1": made})}
    assert claims["come-out"].measured == pytest.approx(100.0 / 3.0)
    assert "b: no feet" in claims["come-out"].data
    assert claims["unexplained"].measured == 1.0
    assert not claims["unexplained"].holds
    assert "no g1, talos" in claims["come-out"].data
    assert not claims["robots"].counted


def test_errors_of_gambol_explain_themselves_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = RobotsSetting(Path("nowhere"))
    monkeypatch.setattr(RobotsSetting, "robots", {"jvrc1": jvrc_biped()})
    for error, explained in ((InputError("no contact"), True), (KeyError("Hips"), False)):
        monkeypatch.setattr(RobotsSetting, "load_middle", lambda *_, raised=error: (_ for _ in ()).throw(raised))
        found = shared.attempt("jvrc1", str(explained))
        assert (found.result, found.explained) == (None, explained)
        assert found.reason


def test_a_motion_that_is_not_solved_has_not_come_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The notes of `make_reference` are understood."""
    window = SimpleNamespace(first=0, last=5, converged=False, status="the constraints contradict each other")
    monkeypatch.setattr(verb, "make_robot_physical", lambda _, posed, *__, **___: (posed.q, [window]))
    monkeypatch.setattr(RobotsSetting, "robots", {"jvrc1": jvrc_biped()})
    monkeypatch.setattr(RobotsSetting, "load_middle", lambda *_: gb.load("walk")[:20])
    assert "contradict" in RobotsSetting(Path("nowhere")).attempt("jvrc1", "walk").reason


def test_the_clips_are_forty_of_many_kinds(data: Path) -> None:
    shared = RobotsSetting(data)
    assert len(shared.clips) == 40
    assert all(file.is_file() for file in shared.clips.values())
    middle, whole = shared.load_middle("91_29"), shared.load_clip("91_29")
    assert middle.duration == pytest.approx(2.0, abs=0.01)
    np.testing.assert_array_equal(middle.q[0], whole.q[(len(whole) - len(middle)) // 2])


def test_robots_without_their_package_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> object:
        if name != "jvrc1":
            raise InputError("the Python package is not installed")
        return jvrc()

    monkeypatch.setattr(setting, "load_biped", load)
    assert list(RobotsSetting(Path("nowhere")).robots) == ["jvrc1"]


def test_pose_error_is_that_of_links_seen_from_the_hips(monkeypatch: pytest.MonkeyPatch) -> None:
    q = stand(3)
    twice = 2.0 * people.locate_robot(jvrc_biped(), q) + [5.0, 1.0, 0.3]
    monkeypatch.setattr(people, "locate_person", lambda _: twice)
    person = fit(Character.from_motion(clip := gb.load("walk")[:3]), clip)
    assert people.measure_pose_error(jvrc_biped(), q, person, 0.5) == pytest.approx(0.0, abs=1e-9)
    one = people.LINKS.index("left_hand")
    twice[:, one, 0] += 2.0 * 0.12
    assert people.measure_pose_error(jvrc_biped(), q, person, 0.5) == pytest.approx(0.12 / len(people.LINKS), abs=1e-9)


def test_inverse_kinematics_frame_by_frame_follows_the_links() -> None:
    clip = gb.load("walk")[:24:4]
    person, scale = fit(Character.from_motion(clip), clip), 0.99
    tracked = pose_errors.track_frame_by_frame(jvrc_biped(), person, scale)
    error, idle = (people.measure_pose_error(jvrc_biped(), q, person, scale) for q in (tracked, stand(len(clip))))
    assert error < 0.06 < idle
    hips = people.locate_robot(jvrc_biped(), tracked)[:, :2].mean(axis=1)
    np.testing.assert_allclose(hips, scale * people.locate_person(person)[:, :2].mean(axis=1), atol=0.05)


def retarget_as_if(change: float, lasting: float = 1.0):
    """A stand-in for `make_reference`: joints are channels of the clip; those of a cut clip change at its beginning.

    Another changes by a share `lasting` of that throughout.
    """
    whole = len(gb.load("walk"))

    def make(clip: Motion, *_: object, **__: object) -> SimpleNamespace:
        q = clip.q[::2].copy()
        if len(clip) < whole:
            q[:, 10] += change * np.exp(-np.arange(len(q)) / 4.0)
            q[:, 12] += lasting * change
        return SimpleNamespace(motion=SimpleNamespace(q=q))

    return make


@pytest.mark.parametrize("change", [0.0, 0.4])
def test_changes_of_a_clip_that_is_cut_are_found(change: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "make_reference", retarget_as_if(change))
    clip = gb.load("walk")
    found, rate = cuts.compare_cut(clip, jvrc_biped(), True)
    assert rate == pytest.approx(0.5 / clip.frame_time)
    np.testing.assert_allclose(found, change, atol=1e-12)
    shared = SimpleNamespace(robots={"jvrc1": jvrc_biped()}, list_clips=lambda _: ["walk"], load_middle=lambda _: clip)
    (starts,) = cuts.measure_starts(shared)  # type: ignore[arg-type]
    count = int(starts.unit.removeprefix("of "))
    assert count > 3
    assert starts.measured == (count if change else 0)
    for claim in cuts.measure_cuts(shared):  # type: ignore[arg-type]
        assert claim.measured == pytest.approx(change)
        assert claim.holds == (not change)


def test_changes_at_the_cut_and_later_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuts, "make_reference", retarget_as_if(0.4, lasting=0.1))
    clip = gb.load("walk")
    shared = SimpleNamespace(robots={"jvrc1": jvrc_biped()}, list_clips=lambda _: ["walk"], load_middle=lambda _: clip)
    found = {claim.id: claim.measured for claim in cuts.measure_cuts(shared)}  # type: ignore[arg-type]
    assert found == pytest.approx({"cut-default": 0.4, "cut-default-later": 0.04, "cut-fast": 0.04})


def test_a_robot_that_stands_is_played_back_without_drift() -> None:
    (drift,) = play_back(jvrc(), make_reference_of(stand(52)))
    assert drift.max() < 0.01
    assert _find_leaving(drift) == 1.0
    (driven,) = play_back(jvrc(), make_reference_of(stand(52)), feed_forward=True)
    assert driven[-1] < 0.6 * drift[-1]  # joints carry the weight before they give way
    raised = stand(52)
    raised[:, 2] += 0.3
    (drift,) = play_back(jvrc(), make_reference_of(raised, height=0.3))
    assert drift.max() < 0.01
    (drift,) = play_back(jvrc(), make_reference_of(raised))
    assert _find_leaving(drift) == pytest.approx((2 * 0.1 / GRAVITY) ** 0.5, abs=0.02)


@pytest.mark.parametrize("feed_forward", [False, True])
def test_a_flight_on_its_parabola_is_played_back_without_drift(feed_forward: bool) -> None:
    times, flying = np.arange(52) / RATE, stand(52)
    flying[:, 0] += 0.7 * times
    flying[:, 2] += 0.1 + 5.0 * times - 0.5 * GRAVITY * times**2
    (drift,) = play_back(jvrc(), make_reference_of(flying, standing=False), feed_forward=feed_forward)
    assert drift.max() < 0.01


def test_joints_that_move_follow_without_delay() -> None:
    """A robot that crouches by 9 cm and rises again within a second is within a centimetre of its path."""
    bend, q = 0.25 * (1.0 - np.cos(2.0 * np.pi * np.arange(52) / RATE)), stand(52)
    columns = {jvrc_biped().skeleton.names[dof.joint]: n for n, dof in enumerate(jvrc_biped().skeleton.dofs)}
    for side in "LR":
        for joint, share in (("HIP_P", -0.5), ("KNEE", 1.0), ("ANKLE_P", -0.5)):
            q[:, columns[f"{side}_{joint}"]] += share * bend
    soles = locate_soles(jvrc_biped(), Motion(jvrc_biped().skeleton, q, 1.0 / RATE).placement).mean(axis=(1, 2))
    q[:, :3] -= soles - soles[0]
    assert np.ptp(q[:, 2]) > 0.05
    (drift,) = play_back(jvrc(), make_reference_of(q))
    assert drift.max() < 0.01
