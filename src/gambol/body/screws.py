"""A character as a tree of links, one per degree of freedom, with the motion of every link as a screw.

Moving link e by dq moves everything below it: with the screw (w, v) in world axes, a point r moves by (w x r + v) dq
and a direction d by (w x d) dq. The screw of a rotation about the axis a through o is (a, o x a), that of a translation
along a is (0, a). Second derivatives are screws acting on first derivatives, so that sums over everything below a link
give all of them as dot products, without differentiating an expression.

All rotations are about the x axis of their link: one constant rotation per link combines the rest orientation and the
direction of the axis. Joints that neither move nor carry anything are left out. A skeleton is split into its
`LinkTree`, for which code is generated, and constants, which are inputs of the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import casadi as ca
import numpy as np

from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.skeleton import Skeleton

WORLD = -1
"""Number that stands for the fixed world where a link is expected."""
SparseEntries = dict[tuple[int, int], ca.SX]
"""Entries of a sparse matrix by row and column."""


@dataclass(frozen=True)
class Link:
    """One degree of freedom."""

    column: int
    """Column in `q`."""
    parent: int
    """The link above, or WORLD."""
    turns: bool
    """Whether it rotates; else it translates."""
    starts: bool
    """Whether it is the first link of its joint, with an offset from the link above; the others have no offset."""


@dataclass(frozen=True)
class LinkTree:
    """The structure that characters share if the same code works for them."""

    links: tuple[Link, ...]
    """From the root outwards."""
    massive: tuple[int, ...]
    """The link of each body with mass."""
    tracked: tuple[int, ...]
    """The link of each body whose frame is an output."""

    @cached_property
    def above(self) -> tuple[tuple[int, ...], ...]:
        """The links at or above each link, from the root outwards."""
        paths: dict[int, tuple[int, ...]] = {WORLD: ()}
        for number, link in enumerate(self.links):
            paths[number] = (*paths[link.parent], number)
        return tuple(paths[number] for number in range(len(self.links)))

    @cached_property
    def constants(self) -> dict[str, tuple[int, int]]:
        """For every kind of constant: the size of one, and how many there are."""
        turns = sum(link.turns for link in self.links)
        bodies, tracked = len(self.massive), len(self.tracked)
        return {
            "offsets": (3, sum(link.starts for link in self.links)),
            "rotations": (9, turns),
            "axes": (3, len(self.links) - turns),
            "masses": (1, bodies),
            "centers": (3, bodies),
            "inertias": (6, bodies),
            "tracked_places": (3, tracked),
            "tracked_rotations": (9, tracked),
        }

    def carries(self, link: int, other: int) -> bool:
        """Return whether a body on `other` moves with `link`."""
        return other != WORLD and link in self.above[other]


class LinkFrame(NamedTuple):
    """A joint's frame relative to the link that carries it."""

    link: int
    place: Array
    rotation: Array


def reduce_character(character: Character, tracked: Sequence[int]) -> tuple[LinkTree, Array]:
    """Return the tree of a character, with the frames of the `tracked` joints as outputs, and its constants."""
    links, values, frames = _links(character.skeleton)
    massive = [int(joint) for joint in np.flatnonzero(character.masses)]
    tree = LinkTree(tuple(links), tuple(frames[j].link for j in massive), tuple(frames[j].link for j in tracked))
    upper = np.triu_indices(3)
    values["masses"] = [character.masses[joint] for joint in massive]
    values["centers"] = [frames[j].place + frames[j].rotation @ character.centers[j] for j in massive]
    values["inertias"] = [(frames[j].rotation @ character.inertias[j] @ frames[j].rotation.T)[upper] for j in massive]
    values["tracked_places"] = [frames[j].place for j in tracked]
    values["tracked_rotations"] = [frames[j].rotation.T for j in tracked]
    return tree, np.concatenate([np.ravel(values[name]) for name in tree.constants])


def find_link_frames(skeleton: Skeleton) -> list[LinkFrame]:
    """Return the frame of every joint relative to its link."""
    frames = _links(skeleton)[2]
    return [frames[joint] for joint in range(len(skeleton.names))]


def _links(skeleton: Skeleton) -> tuple[list[Link], dict[str, list[Array]], dict[int, LinkFrame]]:
    """Return the links, their constants (matrices column by column), and the frames of joints relative to them."""
    links: list[Link] = []
    values: dict[str, list[Array]] = {"offsets": [], "rotations": [], "axes": []}
    frames = {WORLD: LinkFrame(WORLD, np.zeros(3), np.eye(3))}
    for joint, parent in enumerate(skeleton.parents):
        link, place, rotation = frames[parent]
        place = place + rotation @ skeleton.offsets[joint]
        slides, turns = skeleton.columns(joint, "slide"), skeleton.columns(joint, "turn")
        if slides or turns:
            values["offsets"].append(place)
            place = np.zeros(3)
        for column in slides:
            links.append(Link(column, link, False, column == slides[0]))
            values["axes"].append(rotation @ skeleton.dofs[column].axis)
            link = len(links) - 1
        rotation = rotation @ quat.to_matrix(skeleton.rests[joint])
        for column in turns:
            links.append(Link(column, link, True, not slides and column == turns[0]))
            facing = _facing(np.array(skeleton.dofs[column].axis))
            values["rotations"].append((rotation @ facing).T)
            link, rotation = len(links) - 1, facing.T
        frames[joint] = LinkFrame(link, place, rotation)
    return links, values, frames


def _facing(axis: Array) -> Array:
    """Return a rotation that maps the x axis to a unit vector."""
    aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    aside /= np.linalg.norm(aside)
    return np.column_stack((axis, aside, np.cross(axis, aside)))


class Screw(NamedTuple):
    """A twist (angular velocity, velocity at the origin), or a momentum (angular about the origin, linear)."""

    angular: ca.SX
    linear: ca.SX

    def plus(self, other: Screw) -> Screw:
        """Return the sum."""
        return Screw(self.angular + other.angular, self.linear + other.linear)

    def minus(self, other: Screw) -> Screw:
        """Return the difference."""
        return Screw(self.angular - other.angular, self.linear - other.linear)

    def times(self, factor: ca.SX) -> Screw:
        """Return the screw multiplied by a factor."""
        return Screw(self.angular * factor, self.linear * factor)

    def dot(self, other: Screw) -> ca.SX:
        """Return the product of a twist and a momentum."""
        return ca.dot(self.angular, other.angular) + ca.dot(self.linear, other.linear)

    def move_point(self, point: ca.SX) -> ca.SX:
        """Return the velocity that this twist gives a point."""
        return ca.cross(self.angular, point) + self.linear

    def on_motion(self, other: Screw) -> Screw:
        """Return the rate of another twist that moves with this one (motion cross product)."""
        linear = ca.cross(self.angular, other.linear) + ca.cross(self.linear, other.angular)
        return Screw(ca.cross(self.angular, other.angular), linear)

    def on_momentum(self, other: Screw) -> Screw:
        """Return the rate of a momentum that moves with this twist (force cross product)."""
        angular = ca.cross(self.angular, other.angular) + ca.cross(self.linear, other.linear)
        return Screw(angular, ca.cross(self.angular, other.linear))


class Inertia(NamedTuple):
    """Mass, mass times centre, and moments of inertia about the origin."""

    mass: ca.SX
    moment: ca.SX
    inertia: ca.SX

    def momentum(self, motion: Screw) -> Screw:
        """Return the momentum of this mass under a twist."""
        angular = self.inertia @ motion.angular + ca.cross(self.moment, motion.linear)
        return Screw(angular, self.mass * motion.linear - ca.cross(self.moment, motion.angular))


def sum_below(tree: LinkTree, carriers: Sequence[int], values: Sequence[tuple[ca.SX, ...]]) -> list[tuple[ca.SX, ...]]:
    """Sum the values of bodies, term by term, over everything that moves with each link."""
    zero = tuple(ca.SX.zeros(term.shape) for term in values[0])
    totals = dict.fromkeys((WORLD, *range(len(tree.links))), zero)

    def add(number: int, terms: Iterable[ca.SX]) -> None:
        totals[number] = tuple(old + new for old, new in zip(totals[number], terms, strict=True))

    for carrier, terms in zip(carriers, values, strict=True):
        add(carrier, terms)
    for number, link in reversed([*enumerate(tree.links)]):
        add(link.parent, totals[number])
    return [totals[number] for number in range(len(tree.links))]


class Chain:
    """World frames of all links as expressions of `q` and constants."""

    def __init__(self, tree: LinkTree, q: ca.SX) -> None:
        self.tree, self.q = tree, q
        sizes = [each * count for each, count in tree.constants.values()]
        self.constants = ca.SX.sym("constants", sum(sizes))
        parts = ca.vertsplit(self.constants, [0, *np.cumsum(sizes).tolist()])
        self._parts = {
            name: ca.horzsplit(ca.reshape(part, each, count)) if count else []
            for (name, (each, count)), part in zip(tree.constants.items(), parts, strict=True)
        }
        self.masses: list[ca.SX] = self._parts["masses"]
        self.mass = ca.sum1(ca.vertcat(*self.masses))
        self.rotations, self.places = {WORLD: ca.SX.eye(3)}, {WORLD: ca.SX.zeros(3)}
        self._place()

    def _place(self) -> None:
        offsets, rotations, axes = (iter(self._parts[name]) for name in ("offsets", "rotations", "axes"))
        self._axes: list[ca.SX] = []
        for number, link in enumerate(self.tree.links):
            rotation, place, angle = self.rotations[link.parent], self.places[link.parent], self.q[link.column]
            if link.starts:
                place = place + rotation @ next(offsets)
            if link.turns:
                x, y, z = ca.horzsplit(rotation @ ca.reshape(next(rotations), 3, 3))
                cosine, sine = ca.cos(angle), ca.sin(angle)
                rotation = ca.horzcat(x, cosine * y + sine * z, cosine * z - sine * y)
                self._axes.append(x)
            else:
                self._axes.append(rotation @ next(axes))
                place = place + self._axes[-1] * angle
            self.rotations[number], self.places[number] = rotation, place

    def screws(self, origin: ca.SX | None = None) -> list[Screw]:
        """Return the screw of every link about an origin (default: the world's)."""
        out = []
        for number, link in enumerate(self.tree.links):
            axis, place = self._axes[number], self.places[number]
            arm = place if origin is None else place - origin
            out.append(Screw(axis, ca.cross(arm, axis)) if link.turns else Screw(ca.SX.zeros(3), axis))
        return out

    @cached_property
    def centers(self) -> list[ca.SX]:
        """Centre of mass of every body with mass."""
        pairs = zip(self.tree.massive, self._parts["centers"], strict=True)
        return [self.places[link] + self.rotations[link] @ center for link, center in pairs]

    @cached_property
    def center_of_mass(self) -> ca.SX:
        """Centre of mass of the whole character."""
        return sum((m * r for m, r in zip(self.masses, self.centers, strict=True)), ca.SX.zeros(3)) / self.mass

    def inertias(self, origin: ca.SX) -> list[Inertia]:
        """Return the inertia of every body with mass about an origin, world axes."""
        out = []
        bodies = zip(self.tree.massive, self.masses, self.centers, self._parts["inertias"], strict=True)
        for link, mass, center, upper in bodies:
            arm, rotation = center - origin, self.rotations[link]
            turned = rotation @ _symmetric(ca.vertsplit(upper))
            moment = mass * arm
            reach = ca.dot(moment, arm)
            entries = [
                ca.dot(turned[row, :], rotation[column, :])
                - moment[row] * arm[column]
                + (reach if row == column else 0)
                for row in range(3)
                for column in range(row, 3)
            ]
            out.append(Inertia(mass, moment, _symmetric(entries)))
        return out

    @cached_property
    def tracked(self) -> list[tuple[ca.SX, ca.SX]]:
        """Position and rotation of every tracked body."""
        parts = zip(self.tree.tracked, self._parts["tracked_places"], self._parts["tracked_rotations"], strict=True)
        return [
            (
                self.places[link] + self.rotations[link] @ place,
                self.rotations[link] @ ca.reshape(rotation, 3, 3),
            )
            for link, place, rotation in parts
        ]


def _symmetric(upper: Sequence[ca.SX]) -> ca.SX:
    xx, xy, xz, yy, yz, zz = upper
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))


def make_sparse_matrix(entries: SparseEntries, rows: int, columns: int) -> ca.SX:
    """Return a sparse matrix without the entries that are always zero."""
    kept = {where: value for where, value in entries.items() if not value.is_zero()}
    down, across = [row for row, _ in kept], [column for _, column in kept]
    return ca.SX.triplet(down, across, ca.vertcat(*kept.values()), rows, columns)
