"""Newton's and Euler's laws of a motion (L05 section 3.6), with contact forces inside friction cones.

In flight the centre of mass follows a parabola and angular momentum is constant (eq. 3.8 and 3.9). On the ground the
printed form prescribes a characteristic curve of momentum without forces (`terms.curve`); in our reading of it, a broad
jump then needs a friction coefficient of 1.3, twist jumps 3.9, and in both the feet pull on the ground. Here every
contact point exerts a force inside its friction cone. The laws are equality constraints; bounds limit the forces to
cones that do not pull, a centre of pressure inside the support, and a peak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.contacts.contact import Contact
from gambol.geometry.arrays import Array
from gambol.solve.problem import Index
from gambol.terms.cross_product import Affine, add_cross
from gambol.terms.foothold import add_moment
from gambol.terms.forces import Wrench, WrenchConstraints
from gambol.terms.space import Space, join_factors


@dataclass(frozen=True, eq=False)
class NewtonEuler:
    """Newton's and Euler's laws in every frame but the first and the last."""

    contacts: tuple[Contact, ...]
    gravity: float | Array = GRAVITY
    """m/s²: one value, or one per frame."""
    peak: float = 5.0
    """Limit of the total normal force, in body weights on earth; it does not apply to frames with a grip."""
    cost: float = 1e-3
    """Cost per squared contact force (body weights) and second: it spreads the load over the points that share it."""
    contact_forces: bool = True
    """Whether contacts exert forces; if not, momentum on the ground is left to `terms.curve`."""
    residual_weight: float | Array | None = None
    """Cost of residual force and moment, which no contact explains, per squared body weight (and metre) and second: one
    value, or one per frame. None, or infinity, allows no residual."""
    forces: tuple[Wrench, ...] = ()
    """Other forces: external forces, grasps of other characters."""

    def add(self, space: Space) -> None:
        """Add the laws in flight and on the ground."""
        every: tuple[Contact | Wrench, ...] = (*self.contacts, *self.forces)
        for frames, acting in group_frames(every, len(space)):
            inner = frames[(frames > 0) & (frames < len(space) - 1)]
            contacts = tuple(one for one in acting if isinstance(one, Contact))
            if not len(inner) or (contacts and not self.contact_forces):
                continue
            newton, euler = self._add_inertia(space, inner, bool(acting))
            about = _moment_center(space, inner, contacts)
            laws = WrenchConstraints(newton, euler, about)
            if contacts:
                self._add_contacts(space, inner, contacts, laws)
            for force in acting:
                if not isinstance(force, Contact):
                    force.add_wrench(space, inner, laws, -1.0 / space.character.mass)
            if acting:
                self._add_lever(space, inner, laws)
            if self.residual_weight is not None:
                weight = np.broadcast_to(self.residual_weight, len(space))[inner]
                some = np.isfinite(weight)
                if some.any():
                    given = WrenchConstraints(newton[some], euler[some], about)
                    _add_residual(space, inner[some], given, weight[some], lever=bool(acting))

    def _add_inertia(self, space: Space, frames: Index, supported: bool) -> tuple[Index, Index]:
        """Add Newton's and Euler's laws per kilogram, with rates of momentum and gravity but no other forces yet."""
        problem, step = space.problem, space.frame_times[frames, None]
        falling = np.outer(self._gravity(space, frames), [0.0, 0.0, -1.0])
        newton = problem.add_constraints("Newton's law" if supported else "flight parabola", falling)
        euler = problem.add_constraints("Euler's law" if supported else "spin in flight", np.zeros((len(frames), 3)))
        for law, rate in ((newton, space.velocity), (euler, space.spin)):
            problem.add_linear(law, rate[frames], 1.0 / step)
            problem.add_linear(law, rate[frames - 1], -1.0 / step)
        return newton, euler

    def _gravity(self, space: Space, frames: Index) -> Array:
        return np.broadcast_to(self.gravity, len(space))[frames]

    def _add_contacts(
        self, space: Space, frames: Index, contacts: tuple[Contact, ...], laws: WrenchConstraints
    ) -> None:
        problem, count = space.problem, len(frames)
        sizes = [len(contact.edges_about(laws.about)) for contact in contacts]
        forces = problem.add_variables(np.full((count, sum(sizes)), 1.0 / sum(sizes)), 0.0)
        for contact, part in zip(contacts, np.split(forces, np.cumsum(sizes)[:-1], axis=1), strict=True):
            kept = problem.shared((space, contact), partial(np.full, (len(space), part.shape[1]), -1))
            kept[frames] = part
            add_contact_forces(space, contact, frames, laws, -1.0 / space.character.mass)
        if not any(contact.grip for contact in contacts):
            peak = problem.add_constraints("peak force", np.full(count, -np.inf), self.peak)
            problem.add_linear(peak[:, None], forces)
        problem.add_squares("contact force", forces[..., None], weight=self.cost * space.frame_times[frames, None])

    def _add_lever(self, space: Space, frames: Index, laws: WrenchConstraints) -> None:
        """Move moments from a fixed point to the centre of mass: subtract lever x total force."""
        arm = Affine(space.center[frames], np.eye(3), -laws.about)
        rates = np.hstack([space.velocity[frames - 1], space.velocity[frames]])
        weight = np.outer(self._gravity(space, frames), [0.0, 0.0, 1.0])
        factors = join_factors([np.hstack([-np.eye(3), np.eye(3)]) / step for step in space.frame_times[frames]])
        add_cross(space.problem, laws.moment, arm, Affine(rates, factors, weight))


def add_contact_forces(space: Space, contact: Contact, frames: Index, laws: WrenchConstraints, scale: float) -> None:
    """Add scale times force (N) and moment (N m) of a contact to constraints; `NewtonEuler` has made the forces."""
    problem, size = space.problem, scale * GRAVITY * space.character.mass
    forces = problem.shared((space, contact))[frames]
    edges = contact.edges_about(laws.about)
    for part, along in ((laws.force, edges[:, :3]), (laws.moment, edges[:, 3:])):
        problem.add_linear(part[:, :, None], forces[:, None, :], size * along.T)
    if contact.slide is not None:
        travel = _slide_travel(space, contact)[frames - contact.first, None]
        force = Affine(forces, edges[:, :3].T, np.zeros(3))
        add_cross(problem, laws.moment, Affine(travel, contact.axes[:1].T, np.zeros(3)), force, size)
    if contact.foothold is not None:
        add_moment(contact.foothold, problem, laws.moment, contact.places, edges[:, :3], forces, size)


def sum_contact_forces(space: Space, contacts: Sequence[Contact], x: Array) -> Array:
    """Return the force (frames, 3) of contacts in newtons in a solution x; the first and the last frame have none."""
    values, total = np.append(x, 0.0), np.zeros((len(space), 3))
    for contact in contacts:
        if contact.first < len(space) - 1 and contact.last > 0:
            shares = values[space.problem.shared((space, contact))]  # -1, the zero, where there is no force
            total += shares @ contact.edges_about(np.zeros(3))[:, :3]
    return np.asarray(GRAVITY * space.character.mass * total)


class _Lasting(Protocol):
    @property
    def first(self) -> int: ...

    @property
    def last(self) -> int: ...


_Acting = TypeVar("_Acting", bound=_Lasting)


def group_frames(acting: tuple[_Acting, ...], frames: int) -> list[tuple[Index, tuple[_Acting, ...]]]:
    """Group frames by the contacts and forces that act in them."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for frame in range(frames):
        groups.setdefault(tuple(n for n, one in enumerate(acting) if one.first <= frame <= one.last), []).append(frame)
    return [(np.array(group), tuple(acting[n] for n in which)) for which, group in groups.items()]


def _moment_center(space: Space, frames: Index, contacts: tuple[Contact, ...]) -> Array:
    """Choose a point (3,) near the forces about which moments are taken: far away they would be badly scaled."""
    if contacts:
        return np.asarray(np.vstack([contact.places for contact in contacts]).mean(axis=0))
    return space.dynamics.center_of_mass(space.start[frames[len(frames) // 2]])


def _slide_travel(space: Space, contact: Contact) -> Index:
    """Return variables (frames of the contact,): metres that it has slid from its places, where its forces act."""
    return space.problem.shared((space, contact, "slide"), lambda: _add_slide(space, contact))


def _add_slide(space: Space, contact: Contact) -> Index:
    problem, frames = space.problem, np.arange(contact.first, contact.last + 1)
    travel = problem.add_variables(np.zeros(len(frames)))
    direction = contact.axes[0]
    constraints = problem.add_constraints("slide", np.full(len(frames), contact.places[0] @ direction))
    space.add_point(constraints, frames, contact.body, contact.points[0], direction)
    problem.add_linear(constraints, travel, -1.0)
    return travel


def _add_residual(space: Space, frames: Index, laws: WrenchConstraints, weight: Array, lever: bool) -> None:
    """Add a residual force at the centre of mass and a residual moment, with a cost."""
    problem = space.problem
    given = [problem.add_variables(np.zeros((len(frames), 3))) for _ in range(2)]
    for part, one, name in zip(laws[:2], given, ("residual force", "residual moment"), strict=True):
        problem.mark(name, frames, one)
        problem.add_linear(part, one, -GRAVITY)
        problem.add_squares(name, one[..., None], weight=(weight * space.frame_times[frames])[:, None])
    if lever:  # `_add_lever` moved the moment of the total force, which includes the residual: move it back
        arm = Affine(space.center[frames], np.eye(3), -laws.about)
        add_cross(problem, laws.moment, arm, Affine(given[0], np.eye(3), np.zeros(3)), -GRAVITY)
