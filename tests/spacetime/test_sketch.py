"""Sketches (L05 section 3.3): the file format, rough motions, starts of the search, and a solved jump."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from gambol.assumptions import GRAVITY
from gambol.body.dynamics import Dynamics
from gambol.contacts.contact import Contact
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.spacetime.poses import PoseDatabase, open_poses
from gambol.spacetime.program import Outcome
from gambol.spacetime.rough import joint_turns, make_body, make_rough_motion
from gambol.spacetime.sketch import Body, parse_sketch, read_sketch
from gambol.spacetime.sketches import about, find, names
from gambol.spacetime.supports import find_support_stages
from gambol.spacetime.synthesis import SketchPlan, SketchWeights, TransitionForm, plan_sketch, sketch_terms, synthesise
from gambol.spacetime.transitions import segment_centers
from gambol.terms.smoothness import VelocityCost

THESIS = (
    "broad_jump", "twist_jumps", "hopscotch", "running", "handspring", "high_bar", "skating", "side_jump",
    "karate_kick", "child", "stiff_knee", "tripod_side", "tripod_turn",
)  # fmt: skip
KEYS = "keys: [{time: 0.8}, {time: 1.0, x: 0.5, z: 0.2}, {time: 1.2, x: 1, z: 0}]"


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


@cache
def of(name: str) -> SketchPlan:
    return plan_sketch(read_sketch(find(name)), PoseDatabase())


@pytest.fixture(scope="module")
def broad() -> SketchPlan:
    return of("broad_jump")


def where(made: SketchPlan, hold: Contact, q: Array) -> Array:
    """(frames, points, 3) positions of contact points during the contact."""
    skeleton = made.rough.character.skeleton
    joint, placed = skeleton.index(hold.body), place(skeleton, q[hold.first : hold.last + 1])
    return placed.positions[:, joint, None] + quat.rotate(placed.rotations[:, joint, None], hold.points)


def missed(made: SketchPlan, hold: Contact, q: Array) -> float:
    """The largest distance (m) of a contact point from its place, without the direction of sliding."""
    away = where(made, hold, q) - hold.places
    if hold.slide is not None:
        away = away - (away @ hold.slide)[..., None] * hold.slide
    return float(np.abs(away).max())


class TestShipped:
    def test_every_sketch_of_the_thesis_is_there(self) -> None:
        assert set(THESIS) <= set(names())

    @pytest.mark.parametrize("name", THESIS)
    def test_is_short_and_says_what_it_is(self, name: str) -> None:
        assert find(name).read_text(encoding="utf-8").startswith("# ")
        assert 15 < len(about(name)) <= 120
        assert len(find(name).read_text(encoding="utf-8").splitlines()) < 30

    @pytest.mark.parametrize("name", THESIS)
    def test_a_search_begins_with_soles_in_their_places_and_joints_within_limits(self, name: str) -> None:
        made = of(name)
        assert max(missed(made, hold, made.start) for hold in made.constraints) < 2e-3
        dofs = made.rough.character.skeleton.dofs
        assert (made.start >= [dof.lower - 1e-9 for dof in dofs]).all()
        assert (made.start <= [dof.upper + 1e-9 for dof in dofs]).all()

    @pytest.mark.parametrize("name", THESIS)
    def test_a_search_begins_with_flights_on_their_parabolas(self, name: str) -> None:
        made = of(name)
        centre = Dynamics(made.rough.character).center_of_mass(made.start)
        pull = np.diff(centre, 2, axis=0) / made.rough.motion.frame_time**2
        inner = [s for s in made.spans if s.air and s.first > 0 and s.last < len(centre) - 1]
        assert inner
        for span in inner:
            flying = pull[span.first - 1 : span.last]
            np.testing.assert_allclose(flying, np.tile([0.0, 0.0, -GRAVITY], (len(flying), 1)), atol=1e-6)

    def test_the_broad_jump_has_only_keys_of_the_root(self) -> None:
        sketch = read_sketch(find("broad_jump"))
        assert len(sketch.keys) == 3
        assert (sketch.poses, sketch.stages) == ((), ())
        assert not any(key.joints for key in sketch.keys)

    def test_the_run_has_keys_for_seven_coordinates_at_most(self) -> None:
        made = make_rough_motion(read_sketch(find("running")))
        root = {name for key in read_sketch(find("running")).keys for name in key.root}
        assert len(made.keyed) + len(root) <= 7

    def test_the_kick_is_the_side_jump_and_one_pose(self) -> None:
        jump, kick = read_sketch(find("side_jump")), read_sketch(find("karate_kick"))
        assert (kick.keys, kick.stages, kick.seconds) == (jump.keys, jump.stages, jump.seconds)
        assert [len(sketch.poses) for sketch in (jump, kick)] == [0, 1]


class TestRough:
    def test_keys_move_the_root_along_straight_lines(self) -> None:
        rough = make_rough_motion(
            parse_sketch({"seconds": 2.0, "keys": [{"time": 1.0}, {"time": 2.0, "x": 3.0, "turn": 90}]}, "a")
        )
        x = rough.motion.q[:, 0]
        assert x[[0, 30, 45, 60]] == pytest.approx([0.0, 0.0, 1.5, 3.0])
        assert np.degrees(rough.heading[[30, 45, 60]]) == pytest.approx([0.0, 45.0, 90.0])
        assert rough.tilt is None
        assert rough.speed(0) == pytest.approx([0.0, 0.0])
        assert rough.speed(59) == pytest.approx([3.0, 0.0])

    def test_coordinates_that_the_first_key_does_not_set_stand_until_it(self) -> None:
        keys = [{"time": 0.5}, {"time": 1.0, "x": 1.0, "left_shank": 60}]
        rough = make_rough_motion(parse_sketch({"seconds": 1.0, "keys": keys}, "a"))
        (knee,) = joint_turns(rough.character.skeleton, "left_shank", (0.0,))
        assert np.degrees(rough.motion.q[[0, 15, 30], knee]) == pytest.approx([6.0, 6.0, 60.0])
        assert rough.keyed == (knee,)

    def test_a_body_that_goes_over_keeps_away_from_gimbal_lock(self) -> None:
        rough = make_rough_motion(read_sketch(find("handspring")))
        turns = rough.character.skeleton.columns(0, "turn")
        assert np.abs(np.diff(rough.motion.q[:, turns], axis=0)).max() < 0.5
        up = quat.rotate(rough.motion.placement.rotations[:, 0], (0.0, 0.0, 1.0))
        assert up[:, 2].min() < -0.9

    def test_a_part_stands_for_all_sides(self) -> None:
        man, creature = make_body(Body()).skeleton, make_body(Body("tripod", 1.2, 60.0)).skeleton
        assert len(joint_turns(man, "thigh", (10.0, 5.0))) == 4
        assert len(joint_turns(man, "left_thigh", (10.0,))) == 1
        assert len(joint_turns(creature, "shank", (10.0,))) == 3

    def test_knees_and_elbows_bend_one_way_and_locked_ones_not_at_all(self) -> None:
        skeleton = make_body(Body(locked=("Left Shank",))).skeleton
        for joint, upper in (("right_shank", 1.0), ("left_forearm", 1.0), ("left_shank", 0.0)):
            (column,) = skeleton.columns(skeleton.index(joint), "turn")
            assert skeleton.dofs[column].lower == 0.0
            assert (skeleton.dofs[column].upper > upper) == (upper > 0.0)


class TestPlan:
    def test_only_ends_and_transitions_have_target_poses(self) -> None:
        """No drawn crouch is in the objective."""
        made = plan_sketch(read_sketch(find("broad_jump")), open_poses())
        _, flight, _ = made.spans
        assert sorted(pose.frame for pose in made.poses) == [0, flight.first - 1, flight.last + 1, len(made.start) - 1]

    def test_ends_are_as_sketched(self, broad: SketchPlan) -> None:
        ends = {pose.frame: pose for pose in broad.poses}
        assert {0, len(broad.start) - 1} <= set(ends)
        run = of("running")
        said = {pose.frame: np.flatnonzero(pose.weight) for pose in run.poses}[0]
        assert set(run.rough.keyed) <= set(said)
        assert len(said) < len(np.flatnonzero(ends[0].weight))

    def test_a_pose_has_weight_only_in_coordinates_it_sets(self) -> None:
        poses = [{"time": 1.0, "roll": 10, "left_thigh": [20, 80], "weight": 0.5}]
        keys = [{"time": 0.8}, {"time": 1.2, "x": 0.2}]
        made = plan_sketch(parse_sketch({"seconds": 2.0, "keys": keys, "poses": poses}, "a"), PoseDatabase())
        pose = next(pose for pose in made.poses if pose.frame == 30)
        skeleton = made.rough.character.skeleton
        columns = [*skeleton.columns(0, "turn")[2:], *skeleton.columns(skeleton.index("left_thigh"), "turn")[:2]]
        assert np.flatnonzero(pose.weight).tolist() == columns
        assert pose.weight[columns] == pytest.approx(0.5)
        assert np.degrees(pose.q[columns]) == pytest.approx([10.0, 20.0, 80.0])


class TestHostile:
    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("", "mapping"),
            ("[1, 2]", "mapping"),
            ("seconds: 2", "needs 'seconds' and 'keys'"),
            ("seconds: [", "not YAML"),
            (f"seconds: 2\n{KEYS}\nspeed: 3", "no key 'speed'"),
            (f"seconds: .nan\n{KEYS}", "'seconds' must be a number"),
            (f"seconds: true\n{KEYS}", "'seconds' must be a number"),
            (f"seconds: {'9' * 400}\n{KEYS}", "is too long for a number"),
            (f"seconds: {'9' * 70}\n{KEYS}", "'seconds' must be at most"),
            (f"seconds: 2\nfps: 1000\n{KEYS}", "10 to 240 frames per second"),
            (f"seconds: 1000\n{KEYS}", "0.2 to 60 seconds"),
            ("seconds: 2\nkeys: []", "has no keys"),
            ("seconds: 2\nkeys: {time: 1}", "'keys' must be a list"),
            ("seconds: 2\nkeys: [{x: 1}]", "has no 'time'"),
            ("seconds: 2\nkeys: [{time: 1, x: yes}]", "'x' must be a number"),
            ("seconds: 2\nkeys: [{time: 1, thigh: [1, .inf]}]", "'thigh' must be a number"),
            ("seconds: 2\nkeys: [{time: 1}, {time: 0.5}]", "order keys by time"),
            ("seconds: 2\nkeys: [{time: 3}]", "at 3 s, outside the motion of 2 s"),
            ("seconds: 2\nkeys: [{time: 1, 3: 4}]", "mapping of names"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: air, until: 2}}]", "nothing supports"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, until: 1}}]", "the last stage ends at 1 s"),
            (
                f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, until: 1}}, {{touch: air, until: 1}}]",
                "from 1 s until 1 s",
            ),
            (
                f"seconds: 2\n{KEYS}\nstages: [{{touch: air, until: 0}}, {{touch: feet, until: 2}}]",
                "from 0 s until 0 s",
            ),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: [air, feet], until: 2}}]", "must be air or soles"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: [], until: 2}}]", "must be air or soles"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, bar: true, height: 2, until: 2}}]", "only hands can grip"),
            (
                f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, until: 1}}, {{touch: air, slide: true, until: 2}}]",
                "do not apply to air",
            ),
            (f"seconds: 2\nseconds: 3\n{KEYS}", "'seconds' is given twice"),
            ("seconds: 2\nkeys: [{time: 1, x: 1, x: 2}]", "'x' is given twice"),
            ("seconds: 2\nkeys: [{time: 1, x: 999999}]", "'x' must be at most 100"),
            ("seconds: 2\nkeys: [{time: 1, left_thigh: []}]", "'left_thigh' has no angle"),
            (f"seconds: 2\n{KEYS}\nstages: [{{on: feet, until: 2}}]", "YAML reads the keys 'on'"),
            (f"seconds: 2\n{KEYS}\nstages: [{{until: 2}}]", "has no 'touch'"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: 3, until: 2}}]", "'touch' must name soles"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, until: 2, landing: nose}}]", "'landing' is 'nose'"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: hands, until: 2, bar: true}}]", "a bar needs a height"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: hands, until: 2, bar: 1}}]", "'bar' must be true or false"),
            (f"seconds: 2\n{KEYS}\nposes: [{{time: 1, weight: -1}}]", "is negative"),
            (f"seconds: 2\n{KEYS}\nposes: [{{time: 1, mass: {{tail: [0, 0, 0]}}}}]", "mass has no key 'tail'"),
            (f"seconds: 2\n{KEYS}\nposes: [{{time: 1, mass: {{arms: [0, 0]}}}}]", "three numbers in metres"),
            (f"seconds: 2\n{KEYS}\nbody: {{kind: horse}}", "unknown kind of body: 'horse'"),
            (f"seconds: 2\n{KEYS}\nbody: {{locked: left_shank}}", "list of joints"),
            (f"seconds: 2\n{KEYS}\nbody: {{locked: [[]]}}", "list of joints"),
        ],
    )
    def test_an_invalid_file_is_refused_in_one_line(self, tmp_path: Path, text: str, says: str) -> None:
        with pytest.raises(InputError, match=r"mine\.yaml") as refused:
            read_sketch(written(tmp_path, text))
        assert says in str(refused.value)
        assert "\n" not in str(refused.value)
        assert len(str(refused.value)) < 300

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("seconds: 2\nkeys: [{time: 1, hieght: 4}]", "no joint 'hieght'"),
            ("seconds: 2\nkeys: [{time: 1, '': 4}]", "no joint ''"),
            ("seconds: 2\nkeys: [{time: 1, pelvis: 4}]", "no joint 'pelvis'"),
            ("seconds: 2\nkeys: [{time: 1, shank: [10, 20]}]", "'shank' has 1 turns, but 2 angles"),
            (f"seconds: 2\n{KEYS}\nposes: [{{time: 1, thumb: 4}}]", "no joint 'thumb'"),
            (f"seconds: 2\n{KEYS}\nbody: {{locked: [tail]}}", "no joint 'tail'"),
            (f"seconds: 2\n{KEYS}\nbody: {{height: 9}}", "9"),
            (f"seconds: 2\n{KEYS}\nbody: {{mass: -3}}", "-3"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: left knee, until: 2}}]", "'left knee' is not a sole"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, until: 0.8}}, {{touch: air, until: 0.81}}, "
             "{touch: feet, until: 2}]", "shorter than a frame"),
            (f"seconds: 2\n{KEYS}\nstages: [{{touch: feet, until: 0.8, slide: true}}, {{touch: air, until: 2}}]",
             "travels less than 0.05 m"),
            ("seconds: 1\nkeys: [{time: 0, z: 1}, {time: 1, x: 3, z: 9}]", "nothing supports the body in any frame"),
        ],
    )  # fmt: skip
    def test_what_a_body_cannot_do_is_refused(self, tmp_path: Path, text: str, says: str) -> None:
        sketch = read_sketch(written(tmp_path, text))
        with pytest.raises(InputError) as refused:
            plan_sketch(sketch, PoseDatabase())
        assert says in str(refused.value)

    def test_missing_binary_and_large_files_are_refused(self, tmp_path: Path) -> None:
        for path in (tmp_path / "none.yaml", tmp_path):
            with pytest.raises(InputError, match=r"no such file|cannot be read"):
                read_sketch(path)
        (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00")
        with pytest.raises(InputError, match="not text"):
            read_sketch(tmp_path / "bytes.yaml")
        with pytest.raises(InputError, match="larger than"):
            read_sketch(written(tmp_path, "#" * 2_000_000))
        with pytest.raises(InputError, match="nested more than 30 deep"):
            read_sketch(written(tmp_path, "[" * 20_000))

    def test_names_that_multiply_stay_one_line(self, tmp_path: Path) -> None:
        bomb = "".join(f"- &n{n} [{', '.join([f'*n{n - 1}'] * 9 if n else ['x'])}]\n" for n in range(12))
        with pytest.raises(InputError) as refused:
            read_sketch(written(tmp_path, bomb))
        assert len(str(refused.value)) < 300


class TestSolved:
    def test_a_broad_jump_is_found_and_keeps_the_laws_of_motion(self) -> None:
        """Checked with Pinocchio's dynamics and positions of soles, not with the solver's own constraints."""
        sketch = read_sketch(find("broad_jump"))
        made = plan_sketch(sketch, open_poses())
        outcome = synthesise(made)
        assert outcome.solution.converged
        assert outcome.solution.iterations <= 60
        q, step = outcome.motion.q, outcome.motion.frame_time
        assert max(missed(made, hold, q) for hold in made.constraints) < 1e-4
        _check_flight(made, q, step)
        _check_ground(made, q, step)
        centre = Dynamics(made.rough.character).center_of_mass(q)
        assert centre[-1, 0] - centre[0, 0] == pytest.approx(1.5, abs=0.1)
        _check_crouch(made, q, centre)


class TestObjective:
    """Laws of the objective (L05 section 3.7, figure 3.6): what a cost is for grows with its weight."""

    def test_mass_stays_nearer_to_the_rough_motion_the_more_its_displacement_costs(self) -> None:
        displaced = [_displacement(solve_hop(**more)) for more in ({"displacement": 0.0}, {}, {"displacement": 4000.0})]
        assert displaced[1] < 0.95 * displaced[0]
        assert displaced[2] < 0.5 * displaced[1]

    def test_a_body_ends_above_its_feet_because_balance_costs(self) -> None:
        """Sketched leaning, it is nearer to the middle of its feet the more balance costs."""
        off = [_off_balance(solve_leaning(weight)) for weight in (0.0, 50.0, 5000.0)]
        assert off[0] > off[1] > off[2]
        assert off[2] < 0.3 * off[0]

    def test_a_body_crouches_because_force_ends_smoothly(self) -> None:
        """Deeper the more the rate of force costs, and deeper before a higher jump; nothing draws a crouch."""
        crouches = [_crouch(solve_hop(0.45, **more)) for more in ({"force_rate": 2e-5}, {})]
        assert crouches[1] > crouches[0] + 0.03
        assert crouches[1] > _crouch(solve_hop()) + 0.03

    @pytest.mark.parametrize("side", [1.0, -1.0])
    def test_a_body_turns_away_before_a_turn(self, side: float) -> None:
        outcome, made = solve_hop(turn=90.0 * side)
        q, step = outcome.motion.q, outcome.motion.frame_time
        spin = Dynamics(made.rough.character).momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step).angular[:, 2]
        leaves = made.spans[1].first
        assert side * spin[leaves] > 0.5
        assert (side * spin[:leaves]).min() < -0.05 * side * spin[leaves]


def test_feet_that_lift_their_heels_first_are_found_until_they_leave() -> None:
    outcome, made = solve_hop()
    found = find_support_stages(outcome.motion, made.rough.character)
    assert [stage.on for stage in found] == [span.spec.on for span in made.spans]
    assert [stage.until for stage in found] == pytest.approx([span.spec.until for span in made.spans], abs=0.051)


class TestPrintedForms:
    def test_exact_transitions_are_met_where_near_ones_are_not(self) -> None:
        outcome, made = solve_hop(transitions="exact")
        flight = made.spans[1]
        exact = [pose for pose in made.poses if pose.exact]
        assert [pose.frame for pose in exact] == [flight.first - 1, flight.last + 1]
        near = solve_hop()[0].motion.q
        for pose in exact:
            holds = [hold for hold in made.constraints if hold.is_active(pose.frame)]
            np.testing.assert_allclose(outcome.motion.q[pose.frame], pose.q, atol=1e-5)
            assert np.abs(near[pose.frame] - pose.q).max() > 0.02
            constraints = sum(len(hold.constrained_axes) for hold in holds)
            assert np.count_nonzero(pose.weight) == len(pose.q) - constraints, "none is redundant"

    def test_plain_velocity_has_no_reference(self, broad: SketchPlan) -> None:
        for form, moves in (("relative", True), ("plain", False)):
            (cost,) = (
                term for term in sketch_terms(broad, SketchWeights(), velocity=form) if isinstance(term, VelocityCost)
            )
            assert (cost.reference is not None) == moves


@cache
def solve_hop(
    flight: float = 0.3, turn: float = 0.0, transitions: TransitionForm = "near", **weights: float
) -> tuple[Outcome, SketchPlan]:
    """A hop of 0.4 m at 20 frames per second."""
    keys = [{"time": 0.5, "x": 0.0, "turn": 0.0}, {"time": 0.5 + flight, "x": 0.4, "turn": turn}]
    stages = [
        {"touch": "feet", "until": 0.5},
        {"touch": "air", "until": 0.5 + flight},
        {"touch": "feet", "until": 1.0 + flight},
    ]
    sketch = parse_sketch({"seconds": 1.0 + flight, "fps": 20, "keys": keys, "stages": stages}, "hop")
    made = plan_sketch(sketch, open_poses(), transitions=transitions)
    outcome = synthesise(made, replace(SketchWeights(), **weights))
    assert outcome.solution.converged
    return outcome, made


def solve_leaning(balance: float) -> tuple[Outcome, SketchPlan]:
    """Standing, sketched leaning forward with raised arms."""
    keys = [{"time": 0.0, "lean": 15.0, "upper_arm": [90, 8, 0]}]
    made = plan_sketch(parse_sketch({"seconds": 0.5, "fps": 20, "keys": keys}, "lean"), PoseDatabase())
    outcome = synthesise(made, SketchWeights(balance=balance))
    assert outcome.solution.converged
    return outcome, made


def _displacement(solved: tuple[Outcome, SketchPlan]) -> float:
    """Mean squared displacement (m²) of the segments' centres from the rough motion, by mass."""
    (outcome, made), character = solved, solved[1].rough.character
    now, then = (
        segment_centers(character, place(character.skeleton, q)) for q in (outcome.motion.q, made.rough.motion.q)
    )
    return float((np.sum((now - then) ** 2, axis=2) @ character.masses).mean() / character.mass)


def _off_balance(solved: tuple[Outcome, SketchPlan]) -> float:
    """Horizontal distance (m) of the centre of mass from the middle of the feet in the last frame."""
    outcome, made = solved
    middle = np.concatenate([hold.places for hold in made.constraints]).mean(axis=0)
    centre = Dynamics(made.rough.character).center_of_mass(outcome.motion.q[-1])
    return float(np.linalg.norm((centre - middle)[:2]))


def _crouch(solved: tuple[Outcome, SketchPlan]) -> float:
    """How far (m) the pelvis is lowered before take-off."""
    height = solved[0].motion.placement.positions[: solved[1].spans[1].first, 0, 2]
    return float(height[0] - height.min())


def _check_flight(made: SketchPlan, q: Array, step: float) -> None:
    """The centre of mass falls freely and angular momentum is conserved."""
    body, (_, flight, _) = Dynamics(made.rough.character), made.spans
    centre = body.center_of_mass(q)
    fall = np.diff(centre, 2, axis=0)[flight.first - 1 : flight.last] / step**2
    np.testing.assert_allclose(fall, np.tile([0.0, 0.0, -GRAVITY], (len(fall), 1)), atol=1e-4)
    spin = body.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step).angular
    spin = spin[flight.first - 1 : flight.last + 1]
    assert np.ptp(spin, axis=0).max() < 1e-4
    assert np.abs(spin).max() > 0.5, "a broad jump turns the body"


def _check_ground(made: SketchPlan, q: Array, step: float) -> None:
    """The ground force pushes, is within friction, and acts below the soles."""
    body = Dynamics(made.rough.character)
    centre = body.center_of_mass(q)
    force = np.diff(centre, 2, axis=0) / step**2 + [0.0, 0.0, GRAVITY]
    moment = np.diff(body.momentum(0.5 * (q[1:] + q[:-1]), np.diff(q, axis=0) / step).angular, axis=0) / step
    moment /= made.rough.character.mass
    for frame in range(1, len(q) - 1):
        holds = [hold for hold in made.constraints if hold.is_active(frame)]
        if not holds:
            continue
        push, turn = force[frame - 1], moment[frame - 1]
        assert push[2] > -1e-3
        assert np.linalg.norm(push[:2]) <= 0.8 * push[2] + 1e-3
        if push[2] > 1.0:
            x = centre[frame, 0] - (turn[1] + centre[frame, 2] * push[0]) / push[2]
            places = np.concatenate([hold.places for hold in holds])
            assert places[:, 0].min() - 2e-3 <= x <= places[:, 0].max() + 2e-3, "the centre of pressure left the soles"


def _check_crouch(made: SketchPlan, q: Array, centre: Array) -> None:
    """The body lowers by bending its knees before take-off."""
    skeleton = made.rough.character.skeleton
    leaves = made.spans[1].first
    (knee,) = skeleton.columns(skeleton.index("left_shank"), "turn")
    height = place(skeleton, q[:leaves]).positions[:, 0, 2]
    assert height.min() < height[0] - 0.18
    assert centre[:leaves, 2].min() < centre[0, 2] - 0.18
    assert np.degrees(q[:leaves, knee].max()) > 45.0


def test_a_turned_sketch_gives_the_turned_motion() -> None:
    """The heights of the root and all joint angles are those of the sketch that faces along x."""

    def solve(turn: float) -> Outcome:
        ahead = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
        keys = [
            {"time": time, "x": float(far * ahead[0]), "y": float(far * ahead[1]), "z": up, "turn": turn}
            for time, far, up in ((0.0, 0.0, 0.0), (0.7, 0.0, 0.0), (0.9, 0.4, 0.2), (1.1, 0.8, 0.0))
        ]
        return synthesise(plan_sketch(parse_sketch({"seconds": 1.7, "fps": 20, "keys": keys}, "hop"), PoseDatabase()))

    ahead, aside = solve(0.0), solve(90.0)
    assert ahead.solution.converged
    np.testing.assert_allclose(aside.motion.q[:, 2], ahead.motion.q[:, 2], atol=1e-6)
    np.testing.assert_allclose(aside.motion.q[:, 6:], ahead.motion.q[:, 6:], atol=1e-5)
