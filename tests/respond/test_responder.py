"""Sessions, streams and push maps drive anything that keeps the protocol; the near-unactuated responder keeps it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.human import make_human
from gambol.errors import InputError
from gambol.motion.pushes import AppliedForce, Pull, Push
from gambol.respond.near_unactuated import NearUnactuatedResponder
from gambol.respond.push_map import PushPlan, sample_pushes
from gambol.respond.responder import BatchResponder, run_many, run_undisturbed, undisturbed_poses
from gambol.respond.session import Session
from gambol.respond.stream import Stream


@dataclass(frozen=True)
class Sway:
    """How far a column has turned, how fast, and the frame."""

    frame: int = 0
    angle: float = 0.0
    speed: float = 0.0


@dataclass(frozen=True, eq=False)
class Column:
    """A person who glides along x at 1 m/s and turns about the first joint of the spine, like a spring, when pushed.

    It makes its own targets, as a learned walk does, and takes no others.
    """

    character: Character = field(default_factory=lambda: make_human(make_average_build(1.75), 70.0))
    name: str = "column"
    frame_time: float = 0.02
    bodies: tuple[str, ...] = ("chest", "head")
    period: int = 25
    cyclic: bool = True
    support: None = None

    @property
    def settings(self) -> dict[str, float]:
        return {"spring": 30.0}

    @property
    def turn(self) -> int:
        return self.character.skeleton.columns(self.character.body("spine"), "turn")[0]

    def start(self) -> Sway:
        return Sway()

    def step(
        self, state: Sway, forces: Sequence[AppliedForce | Pull] = (), target: np.ndarray | None = None
    ) -> tuple[Sway, np.ndarray]:
        if target is not None:
            raise InputError("a column makes its own targets", fix="send none")
        push = sum(
            force.force[0] if isinstance(force, AppliedForce) else force.strength * np.sign(force.hand[0])
            for force in forces
        )
        speed = 0.85 * state.speed + self.frame_time * (0.1 * push - 30.0 * state.angle)
        new = Sway(state.frame + 1, state.angle + self.frame_time * speed, speed)
        if not np.isfinite(new.angle):
            raise InputError("too much for a column")
        pose = self.target(new)
        pose[self.turn] += new.angle
        return new, pose

    def target(self, state: Sway) -> np.ndarray:
        pose = np.zeros(len(self.character.skeleton.dofs))
        pose[:3] = self.origin(state) + (0.0, 0.0, 0.95)
        return pose

    def origin(self, state: Sway) -> np.ndarray:
        return np.array([self.frame_time * state.frame, 0.0, 0.0])

    def limited(self, state: Sway) -> bool:
        return abs(state.angle) > 0.3


@pytest.fixture(scope="module")
def column() -> Column:
    return Column()


def test_a_session_hits_pulls_and_watches_it_come_back(column: Column) -> None:
    session = Session(column)
    session.advance(0.11)
    assert session.deviation == 0.0
    # What is shown lies between the last two frames: at 0.08 and 0.1 s.
    np.testing.assert_allclose(session.place, (0.09, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(session.pose[:3], (0.0, 0.0, 0.95), atol=1e-12)
    session.hit("head", (60.0, 0.0, 0.0))
    while session.pushed:
        session.advance(0.02)
    assert session.deviation > 3.0
    assert session.recovery is None
    for _ in range(20):
        session.advance(0.2)
    assert session.recovery is not None
    assert session.peak > 3.0
    session.grab("chest", tuple(session.placement.positions[column.character.body("chest")]))
    session.drag_to((-1.0, 0.0, 1.2))
    session.advance(0.2)
    assert session.pose[column.turn] < -0.01
    session.release()
    with pytest.raises(InputError, match="bodies: chest, head"):
        session.hit("pelvis", (1.0, 0.0, 0.0))


def test_a_stream_answers_for_it_and_passes_on_what_it_refuses(column: Column) -> None:
    stream = Stream(column, bodies=True)
    assert stream.header["clip"] == "column"
    assert stream.header["bodies"] == ["chest", "head"]
    pushed = stream.answer('{"pushes": [{"body": "head", "force": [50, 0, 0]}]}')
    state, pose = column.step(column.start(), [AppliedForce("head", (50.0, 0.0, 0.0))])
    assert pushed["pose"] == pose.tolist()
    assert pushed["time"] == pytest.approx(0.02)
    dofs = len(column.character.skeleton.dofs)
    assert "own targets" in stream.answer(json.dumps({"target": [0.0] * dofs}))["error"]
    assert "no body 'pelvis'" in stream.answer('{"pushes": [{"body": "pelvis", "force": [5, 0, 0]}]}')["error"]
    _, pose = column.step(state)
    assert stream.answer("{}")["pose"] == pose.tolist()


def test_a_push_map_measures_it(column: Column) -> None:
    """Every cell is what the column does by itself: forward and backward pushes turn it, others hardly do."""
    assert not isinstance(column, BatchResponder)
    plan = PushPlan(pushes=32, strongest=0.5, bodies=("head",), seed=2)
    found = sample_pushes(column, plan)
    assert (found.clip, found.cyclic, found.seconds) == ("column", True, 0.5)
    assert found.facts()["spring"] == 30.0
    assert len(found.supports) == column.period
    cell = (0, 0, 1, 2)
    newtons, moment = found.forces[1], found.phases[cell] * column.period
    push = Push("head", (newtons * np.cos(found.angles[cell]), 0.0, 0.0), 0.02 * (moment % 1.0), 0.2)
    state, farthest = column.start(), 0.0
    for frame in range(150):
        force = push.during(0.02 * frame, 0.02)
        state, _ = column.step(state, [] if force is None else [force])
        farthest = max(farthest, abs(state.angle))
    assert found.peaks[cell] == pytest.approx(np.degrees(farthest))
    assert found.limited[cell] == (farthest > 0.3)
    assert (found.joints == "spine").mean() > 0.5
    assert (found.peaks[0, :2].min() > found.peaks[0, 2:].max()).all()
    with pytest.raises(InputError, match="bodies: chest, head"):
        sample_pushes(column, PushPlan(pushes=32, bodies=("pelvis",)))


def test_a_push_during_a_frame_counts_by_its_share() -> None:
    push = Push("head", (10.0, 0.0, 0.0), 0.03, 0.04)
    forces = [push.during(0.02 * frame, 0.02) for frame in range(5)]
    assert forces[0] is None
    assert forces[4] is None
    assert [force.force[0] for force in forces[1:4]] == pytest.approx([5.0, 10.0, 5.0])


def test_one_by_one_and_all_at_once_are_the_same(responder: NearUnactuatedResponder) -> None:
    assert isinstance(responder, BatchResponder)
    states = [state for state, _ in zip(run_undisturbed(responder), range(20), strict=False)][::6]
    pushes = [
        [Push(body, (60.0, 80.0, 0.0), 0.01 * n, 0.1)]
        for n, body in enumerate(("head", "chest", "left_hand", "pelvis"))
    ]
    together = list(run_many(responder, states, pushes, 30))
    for n, state in enumerate(states):
        now = state
        for frame, moment in enumerate(together):
            force = pushes[n][0].during(frame * responder.frame_time, responder.frame_time)
            now, pose = responder.step(now, [] if force is None else [force])
            np.testing.assert_allclose(moment.poses[n], pose, atol=1e-9)
            np.testing.assert_allclose(moment.targets[n], responder.target(now), atol=1e-12)
            assert moment.limited[n] == responder.limited(now)
    assert max(np.abs(moment.poses - moment.targets).max() for moment in together) > 0.02


def test_states_are_values(responder: NearUnactuatedResponder) -> None:
    """A state can be continued twice, and continuing it does not change it."""
    state = responder.start()
    for _ in range(5):
        state, _ = responder.step(state, [AppliedForce("head", (50.0, 0.0, 0.0))])
    first = responder.step(state, [AppliedForce("head", (-50.0, 0.0, 0.0))])[1]
    responder.step(state)
    assert np.array_equal(responder.step(state, [AppliedForce("head", (-50.0, 0.0, 0.0))])[1], first)


def test_undisturbed_it_is_the_clip_and_bad_forces_are_refused(responder: NearUnactuatedResponder) -> None:
    poses = undisturbed_poses(responder, responder.period + 3)
    np.testing.assert_allclose(poses, responder.path.at(np.arange(responder.period + 3)), atol=1e-12)
    state = responder.start()
    for forces, message in (
        ([AppliedForce("left_ball_tip", (1.0, 0.0, 0.0))], "no body"),
        ([AppliedForce("head", (1e308, 1e308, 0.0))], "no finite pose"),
        ([Pull("head", (0.0, 0.0, 1e300), (0.0, 0.0, 0.0), 1e300)], "no finite pose"),
    ):
        with pytest.raises(InputError, match=message):
            responder.step(state, forces)
