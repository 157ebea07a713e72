"""Solve a part of a scene: some of its people, in some of its frames, while everything else stays as it is.

Whatever a schedule does (L05 section 6.4), it solves blocks. Everybody in one block over all frames is the whole
problem of the scene (eq. 6.7). Unknown are coordinates, contact forces, where feet land (eq. 6.2) and forces between
people; contacts stay at their frames, whose times `composition.timing` finds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from gambol.body.dynamics import Dynamics
from gambol.body.kernels import make_kernels
from gambol.composition.block_person import KEPT_FRAMES, PersonInBlock
from gambol.composition.clearance import PairSeparation, make_spheres
from gambol.composition.conditions import BodyPart, Condition
from gambol.composition.energies import Energy
from gambol.composition.roles import Role
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.progress import Progress, silent
from gambol.solve.assemble import to_columns
from gambol.solve.ipopt import FINAL_BARRIER, Solution, SolverState, solve
from gambol.solve.problem import Index, Problem
from gambol.spacetime.recovery.crossing import make_sides
from gambol.terms.contacts import Separation
from gambol.terms.foothold import find_variables
from gambol.terms.forces import Grasp, UnknownForce
from gambol.terms.space import Space, Term, make_space

_ITERATIONS, _PATIENCE = 150, 60
"""Most iterations of a block, and how many until it is taken for impossible."""
_Shared = TypeVar("_Shared")


@dataclass(frozen=True, eq=False)
class PersonTrack:
    """How a person moves at some point of a schedule."""

    q: Array
    """(frames, dofs)"""
    shifts: Array
    """(stances, 2) metres by which feet land elsewhere than in the draft."""


@dataclass(frozen=True, eq=False)
class Take:
    """A state of a scene: how everybody moves, when, and how forces act between them."""

    tracks: Mapping[str, PersonTrack]
    step_times: Array
    """(frames - 1,) seconds between frames"""
    forces: Mapping[Condition, Array] = field(default_factory=dict)
    """(frames, people, 3) N on each of the people of a condition; zero where it does not act."""
    loads: Mapping[Condition, Array] = field(default_factory=dict)
    """(frames, 6) coordinates of what is carried."""
    separations: tuple[PairSeparation, ...] = ()
    """Of bodies that came too near to each other."""
    crossings: Mapping[str, tuple[Separation, ...]] = field(default_factory=dict)
    """By person: legs that went through each other, and are kept apart; or what L05 (6.3) asks of feet."""
    references: Mapping[str, Array] = field(default_factory=dict)
    """By person: (frames, dofs) to which likeness is asked for, where that is not the draft."""

    @property
    def frame_times(self) -> Array:
        """(frames,) seconds"""
        return np.concatenate(([0.0], np.cumsum(self.step_times)))

    def move(self, person: str, track: PersonTrack) -> Take:
        """Return the state with another motion of a person."""
        return replace(self, tracks={**self.tracks, person: track})


@dataclass(frozen=True)
class Block:
    """Some people in some frames."""

    people: tuple[str, ...]
    first: int
    last: int
    stiffness: float | None = None
    """N/m of rubber bands to people who are not in the block; None leaves them out."""
    relaxed: bool = False
    """Whether residual forces are allowed, at a cost."""
    goals: bool = True
    """Whether people have their goals, or do only what everybody agrees on."""


@dataclass(frozen=True, eq=False)
class SolvedBlock:
    """A solved block, and the state of the scene after it."""

    block: Block
    take: Take
    solution: Solution
    objective: float
    """Cost of the motion: 0 for that of the draft."""


@dataclass(frozen=True, eq=False)
class Cast:
    """The roles of a scene, what is minimised for each, and the conditions between them."""

    roles: Mapping[str, Role]
    energies: Mapping[str, Energy]
    conditions: tuple[Condition, ...]
    frame_time: float
    sides: bool = False
    """Whether feet stay on their own sides of the pelvis in every frame (L05 eq. 6.3)."""
    terms: Mapping[str, tuple[Term, ...]] = field(default_factory=dict)
    """Further terms of people by name."""

    @property
    def frames(self) -> int:
        """How many frames the scene has."""
        return len(next(iter(self.roles.values())).draft.motion)

    def draft(self) -> Take:
        """Return the state before any block is solved."""
        tracks = {
            name: PersonTrack(role.draft.motion.q, np.zeros((len(role.draft.stances), 2)))
            for name, role in self.roles.items()
        }
        crossings = {name: (make_sides(role.draft),) for name, role in self.roles.items()} if self.sides else {}
        return Take(tracks, np.full(self.frames - 1, self.frame_time), crossings=crossings)

    @property
    def whole(self) -> Block:
        """Everybody in all frames."""
        return Block(tuple(self.roles), 0, self.frames - 1)


class BlockProblem:
    """The problem of a block, while people and conditions are added to it."""

    def __init__(self, cast: Cast, take: Take, block: Block, progress: Progress = silent) -> None:
        self.cast, self.take, self.block = cast, take, block
        self.problem = Problem()
        self.loads: dict[Condition, Space] = {}
        self._shared: dict[Hashable, tuple[Any, ...]] = {}
        self.people = {name: self._find_person(name) for name in block.people}
        steps = take.step_times[block.first : block.last]
        self.spaces: dict[str, Space] = {}
        for name, person in self.people.items():
            character = person.role.draft.character
            kernels = make_kernels(character, character.bodies, progress)
            label = name if len(block.people) > 1 else ""
            begin = float(take.step_times[: block.first].sum())
            self.spaces[name] = make_space(self.problem, character, kernels, person.start, steps, label, begin)
        acting = [one for one in cast.conditions if self.concerns(one)]
        self._forces: dict[tuple[Condition, str], tuple[UnknownForce, ...]] = {}
        for name, person in self.people.items():
            self._forces |= {(one, name): self._find_forces(one, name) for one in acting if name in one.people}
            forces = tuple(force for (_, who), found in self._forces.items() if who == name for force in found)
            energy = cast.energies[name].make_terms(person, forces, progress)
            for term in (*forces, *energy, *cast.terms.get(name, ())):
                term.add(self.spaces[name])
        for condition in acting:
            condition.add(self)
        for name, space in self.spaces.items():
            for crossing in take.crossings.get(name, ()):
                self._add_crossing(space, crossing)
        for separation in take.separations:
            separation.add(self)

    @cached_property
    def baseline(self) -> float:
        """The cost of drafts: costs of displaced mass lack a constant, without which that of a draft is not 0."""
        total = 0.0
        for name, person in self.people.items():
            use = self.spaces[name].frames
            _, cost = use.kernel.value.map(len(use.columns))(to_columns(person.reference), to_columns(use.parameters))
            total += float(np.sum(np.array(cost)))
        return total

    def _find_person(self, name: str) -> PersonInBlock:
        times = [time for one in self.cast.conditions if name in one.people for time in one.hits]
        hit = round(min(times) / self.cast.frame_time) if times else None
        return PersonInBlock(
            self.cast.roles[name], self.take.tracks[name], self.block, self.take.references.get(name), hit
        )

    def concerns(self, condition: Condition) -> bool:
        """Whether a condition is about somebody in the block, and a goal of theirs if it is a goal."""
        mine = condition.goal_of is None or (self.block.goals and condition.goal_of in self.spaces)
        return mine and any(name in self.spaces for name in condition.people)

    def _find_forces(self, condition: Condition, name: str) -> tuple[UnknownForce, ...]:
        """Return the forces on a person that a condition exerts, and those of bodies that it presses together."""
        pressed = [one for one in self.take.separations if one.cause is condition and name in one.people]
        return (
            *condition.find_forces(self, name),
            *(force for one in pressed for force in one.find_forces(self, name)),
        )

    def _add_crossing(self, space: Space, crossing: Separation) -> None:
        """Keep legs apart in the frames that the block may change."""
        inside = np.isin(crossing.frames, self.find_free_frames())
        if inside.any():
            least = np.broadcast_to(crossing.distance, crossing.frames.shape)[inside]
            frames = crossing.frames[inside] - self.block.first
            replace(crossing, frames=frames, directions=crossing.directions[inside], distance=least).add(space)

    def share(self, owner: Hashable, make: Callable[[], tuple[_Shared, ...]]) -> tuple[_Shared, ...]:
        """Return what two people share, such as the grasps of a condition; the first call makes it.

        In kept frames grasps exert forces too, but move nobody.
        """
        if owner not in self._shared:
            free = self.find_free_frames() - self.block.first
            joined = (int(free[0]), int(free[-1]))
            self._shared[owner] = tuple(
                replace(one, joined=joined) if isinstance(one, Grasp) else one for one in make()
            )
        return self._shared[owner]

    def find_frames(self, start: float | None, end: float | None, *, forces: bool = False) -> tuple[int, int]:
        """Return the first and last frame of the block between two times (s) of the draft that the block may change.

        With `forces`, those of which it may change the forces: the kept frames beside them too.
        """
        step, free = self.cast.frame_time, self.find_free_frames() - self.block.first
        if forces:
            free = np.clip(np.arange(free[0] - 1, free[-1] + 2), 0, self.block.last - self.block.first)
        begin = 0 if start is None else round(start / step) - self.block.first
        until = free[-1] if end is None else round(end / step) - self.block.first
        return max(begin, int(free[0])), min(until, int(free[-1]))

    def find_frame(self, time: float) -> int | None:
        """Return the frame of the block at a time (s) of the draft; None where the block keeps it or has none."""
        frame = round(time / self.cast.frame_time)
        return frame - self.block.first if frame in self.find_free_frames() else None

    def find_free_frames(self) -> Index:
        """Return the frames of the scene that the block may change."""
        begin = self.block.first + (KEPT_FRAMES if self.block.first > 0 else 0)
        end = self.block.last - (KEPT_FRAMES if self.block.last < self.cast.frames - 1 else 0)
        return np.arange(begin, end + 1)

    def find_point(self, part: BodyPart) -> Array:
        """Return the point (3,) of a part of a body in its frame."""
        return find_body_point(self.cast, part)

    def track(self, part: BodyPart) -> Array:
        """Return where a part of a body is (frames of the block, 3) before the block is solved."""
        return track_part(self.cast, self.take, part)[self.block.first : self.block.last + 1]

    def find_place(self, part: BodyPart, frame: int) -> Array:
        """Return where a part of a body is (3,) in a frame, which may be before the block, before that is solved."""
        return track_part(self.cast, self.take, part)[max(self.block.first + frame, 0)]

    def into_body(self, part: BodyPart, frame: int, vector: Array) -> Array:
        """Return a vector (3,) of the world in the frame of a body, as it is before the block is solved."""
        skeleton = self.cast.roles[part.person].draft.character.skeleton
        q = self.take.tracks[part.person].q[self.block.first + frame]
        rotation = place(skeleton, q[None]).rotations[0, skeleton.index(part.body)]
        return np.asarray(quat.rotate(quat.conjugate(rotation), vector))

    def find_extent(self, part: BodyPart, frame: int, direction: Array) -> float:
        """Return how far (m) a body reaches from a point of it along a direction (3,) of the world."""
        draft = self.cast.roles[part.person].draft
        along = self.into_body(part, frame, direction)
        spheres = make_spheres(draft.character, draft.motion)
        own = spheres.joints == draft.character.skeleton.index(part.body)
        return float(np.max((spheres.points[own] - self.find_point(part)) @ along + spheres.radii[own]))

    def add_difference(
        self, constraints: Index, frames: Index, one: BodyPart, other: BodyPart, direction: Array
    ) -> None:
        """Add how far a part is from another along a direction, (3,) or (frames, 3), to constraints (frames,)."""
        for part, sign in ((one, 1.0), (other, -1.0)):
            along = sign * np.broadcast_to(direction, (len(frames), 3))
            if part.person in self.spaces:
                self.spaces[part.person].add_point(constraints, frames, part.body, self.find_point(part), along)
            else:
                self.problem.add_constant(constraints, np.sum(self.track(part)[frames] * along, axis=1))

    def add_approach(self, constraints: Index, frame: int, one: str, other: str) -> None:
        """Add how fast the centres of mass of two people approach each other over the floor on the step to a frame."""
        before = slice(self.block.first + frame - 1, self.block.first + frame + 1)
        centers = {name: self._track_center(name)[before] for name in (one, other)}
        way = (centers[other] - centers[one])[0] * [1.0, 1.0, 0.0]
        way /= max(float(np.linalg.norm(way)), 1e-9)
        for name, direction in ((one, way), (other, -way)):
            if name in self.spaces:
                self.problem.add_linear(constraints[:, None], self.spaces[name].velocity[frame - 1], direction)
            else:
                speed = np.diff(centers[name], axis=0)[0] / self.take.step_times[before.start]
                self.problem.add_constant(constraints, float(speed @ direction))

    def _track_center(self, name: str) -> Array:
        """Return the centre of mass (frames of the scene, 3) before the block is solved."""
        return Dynamics(self.cast.roles[name].draft.character).center_of_mass(self.take.tracks[name].q)

    def read(self, solution: Solution) -> Take:
        """Return the state of the scene after the block is solved."""
        take, frames = self.take, slice(self.block.first, self.block.last + 1)
        for name, person in self.people.items():
            before = take.tracks[name]
            q, shifts = before.q.copy(), before.shifts.copy()
            q[frames] = solution.x[self.spaces[name].q]
            for number, foothold in person.footholds.items():
                shifts[number] = solution.x[find_variables(foothold, self.problem)][:2]
            take = take.move(name, PersonTrack(q, shifts))
        forces = dict(take.forces)
        for (condition, name), acting in self._forces.items():
            whole = forces.get(condition, np.zeros((self.cast.frames, len(condition.people), 3))).copy()
            total = whole[frames, condition.people.index(name)]
            total[:] = 0.0
            for force in acting:
                total[force.first : force.last + 1] += force.read_forces(self.spaces[name], solution.x)
            whole[[0, -1]] = 0.0  # no laws of motion hold there
            forces[condition] = whole
        loads = dict(take.loads)
        for condition, space in self.loads.items():
            whole = np.zeros((self.cast.frames, 6)) if condition not in loads else loads[condition].copy()
            whole[frames] = solution.x[space.q]
            loads[condition] = whole
        return replace(take, forces=forces, loads=loads)


def find_body_point(cast: Cast, part: BodyPart) -> Array:
    """Return the point (3,) of a part of a body in its frame."""
    skeleton = cast.roles[part.person].draft.character.skeleton
    joint = skeleton.index(part.body)
    ends = [n for n, parent in enumerate(skeleton.parents) if parent == joint]
    tip = next((n for n in ends if skeleton.names[n] == f"{part.body}_tip"), ends[0] if ends else None)
    end = np.zeros(3) if tip is None else skeleton.offsets[tip]
    return part.share * end + np.array(part.offset)


def track_part(cast: Cast, take: Take, part: BodyPart) -> Array:
    """Return where a part of a body is (frames, 3) in a state of the scene."""
    skeleton = cast.roles[part.person].draft.character.skeleton
    placed, joint = place(skeleton, take.tracks[part.person].q), skeleton.index(part.body)
    return placed.positions[:, joint] + quat.rotate(placed.rotations[:, joint], find_body_point(cast, part))


def solve_problem(
    made: BlockProblem,
    start: SolverState | None = None,
    *,
    barrier: float = FINAL_BARRIER,
    progress: Progress = silent,
) -> SolvedBlock:
    """Solve the problem of a block, from the state of the scene or from the solution of a similar block.

    That block may have had fewer separations, which come last.
    """
    solution = solve(
        made.problem,
        iterations=_ITERATIONS,
        progress=progress,
        warm_start=None if start is None else _extend(start, made),
        barrier=barrier,
        patience=_PATIENCE,
        coupled=len(made.spaces) > 1,
    )
    return SolvedBlock(made.block, made.read(solution), solution, solution.cost - made.baseline)


def _extend(state: SolverState, made: BlockProblem) -> SolverState:
    """Return a solver state for a block with more unknowns and constraints at its end, at the poses of its take."""
    problem, start = made.problem, made.problem.start
    more, rows = max(problem.size - len(state.x), 0), max(problem.constraint_count - len(state.constraints), 0)
    x = np.concatenate((state.x, start[problem.size - more :]))
    if len(x) == len(start):
        for space in made.spaces.values():
            for columns in (space.q, space.center, space.velocity, space.spin):
                x[columns] = start[columns]
    bounds, constraints = np.append(state.bounds, np.zeros(more)), np.append(state.constraints, np.zeros(rows))
    return SolverState(x, bounds, constraints)


def solve_block(
    cast: Cast,
    take: Take,
    block: Block,
    start: SolverState | None = None,
    *,
    progress: Progress = silent,
) -> SolvedBlock:
    """Solve a block from a state of the scene, or from the solution of a similar block."""
    return solve_problem(BlockProblem(cast, take, block, progress), start, progress=progress)
