"""A body as a tree of links, one a degree of freedom, and every link's motion as a screw.

Turning or sliding link e by dq carries everything below it along: with the screw (w, v) in world axes, a point moves by
(w x r + v) dq and an arrow by (w x d) dq. The screw of a turn about the axis a through o is (a, o x a), that of a slide
along a is (0, a). Second derivatives are screws acting on first ones, so that sums over what is below a link give all
of them as dot products, without a derivative taken of an expression.

All turns are about the x axis of their link: a constant rotation that brings it there holds the rest orientation and
the axis at once. Joints that neither move nor carry anything leave no trace. What is left of a skeleton falls into
its `Tree`, which code is made for, and constants, which the code is given.
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
"""In the place of a link: what does not move."""
SparseEntries = dict[tuple[int, int], ca.SX]
"""Of a sparse matrix, by row and column."""


@dataclass(frozen=True)
class Link:
    """One degree of freedom."""

    column: int
    """Of `q`."""
    parent: int
    """The link above, or the world."""
    turns: bool
    starts: bool
    """First of its joint, so away from the link above; the others sit where the one above sits."""


@dataclass(frozen=True)
class LinkTree:
    """What bodies have in common for which the same code works."""

    links: tuple[Link, ...]
    """From the root outwards."""
    massive: tuple[int, ...]
    """The link that carries each body with mass."""
    tracked: tuple[int, ...]
    """The link that carries each body whose frame is asked for."""

    @cached_property
    def above(self) -> tuple[tuple[int, ...], ...]:
        """Links at or above each one, from the root outwards."""
        paths: dict[int, tuple[int, ...]] = {WORLD: ()}
        for number, link in enumerate(self.links):
            paths[number] = (*paths[link.parent], number)
        return tuple(paths[number] for number in range(len(self.links)))

    @cached_property
    def constants(self) -> dict[str, tuple[int, int]]:
        """Name of every kind of constant, the numbers one takes, and how many there are."""
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
        """Whether something on `other` moves with `link`."""
        return other != WORLD and link in self.above[other]


class LinkFrame(NamedTuple):
    """A joint's frame as the link that carries it sees it."""

    link: int
    place: Array
    rotation: Array


def reduce_character(character: Character, tracked: Sequence[int]) -> tuple[LinkTree, Array]:
    """The tree of a character with the joints whose frames are asked for, and its constants."""
    links, values, held = _links(character.skeleton)
    massive = [int(joint) for joint in np.flatnonzero(character.masses)]
    tree = LinkTree(tuple(links), tuple(held[j].link for j in massive), tuple(held[j].link for j in tracked))
    upper = np.triu_indices(3)
    values["masses"] = [character.masses[joint] for joint in massive]
    values["centers"] = [held[j].place + held[j].rotation @ character.centers[j] for j in massive]
    values["inertias"] = [(held[j].rotation @ character.inertias[j] @ held[j].rotation.T)[upper] for j in massive]
    values["tracked_places"] = [held[j].place for j in tracked]
    values["tracked_rotations"] = [held[j].rotation.T for j in tracked]
    return tree, np.concatenate([np.ravel(values[name]) for name in tree.constants])


def find_link_frames(skeleton: Skeleton) -> list[LinkFrame]:
    """Every joint as its link sees it."""
    held = _links(skeleton)[2]
    return [held[joint] for joint in range(len(skeleton.names))]


def _links(skeleton: Skeleton) -> tuple[list[Link], dict[str, list[Array]], dict[int, LinkFrame]]:
    """Links, their constants (matrices column by column), and where joints sit on them."""
    links: list[Link] = []
    values: dict[str, list[Array]] = {"offsets": [], "rotations": [], "axes": []}
    held = {WORLD: LinkFrame(WORLD, np.zeros(3), np.eye(3))}
    for joint, parent in enumerate(skeleton.parents):
        link, place, rotation = held[parent]
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
        held[joint] = LinkFrame(link, place, rotation)
    return links, values, held


def _facing(axis: Array) -> Array:
    """A rotation that brings the x axis to a unit vector."""
    aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    aside /= np.linalg.norm(aside)
    return np.column_stack((axis, aside, np.cross(axis, aside)))


class Screw(NamedTuple):
    """A motion (spin, velocity at the origin), or a momentum (angular about the origin, linear)."""

    angular: ca.SX
    linear: ca.SX

    def plus(self, other: Screw) -> Screw:
        """The sum."""
        return Screw(self.angular + other.angular, self.linear + other.linear)

    def minus(self, other: Screw) -> Screw:
        """The difference."""
        return Screw(self.angular - other.angular, self.linear - other.linear)

    def times(self, factor: ca.SX) -> Screw:
        """The multiple."""
        return Screw(self.angular * factor, self.linear * factor)

    def dot(self, other: Screw) -> ca.SX:
        """Of a motion and a momentum."""
        return ca.dot(self.angular, other.angular) + ca.dot(self.linear, other.linear)

    def moves(self, point: ca.SX) -> ca.SX:
        """How this motion moves a point."""
        return ca.cross(self.angular, point) + self.linear

    def on_motion(self, other: Screw) -> Screw:
        """How this motion changes another motion that it carries along."""
        linear = ca.cross(self.angular, other.linear) + ca.cross(self.linear, other.angular)
        return Screw(ca.cross(self.angular, other.angular), linear)

    def on_momentum(self, other: Screw) -> Screw:
        """How this motion changes a momentum that it carries along."""
        angular = ca.cross(self.angular, other.angular) + ca.cross(self.linear, other.linear)
        return Screw(angular, ca.cross(self.angular, other.linear))


class Inertia(NamedTuple):
    """Mass, mass times centre, and moments of inertia about the origin."""

    mass: ca.SX
    moment: ca.SX
    inertia: ca.SX

    def momentum(self, motion: Screw) -> Screw:
        """Of this mass, moved."""
        angular = self.inertia @ motion.angular + ca.cross(self.moment, motion.linear)
        return Screw(angular, self.mass * motion.linear - ca.cross(self.moment, motion.angular))


def sum_below(tree: LinkTree, carriers: Sequence[int], values: Sequence[tuple[ca.SX, ...]]) -> list[tuple[ca.SX, ...]]:
    """Sums of what links carry, term by term: at every link over all that moves with it."""
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
    """Frames of all links in the world as expressions of `q` and of constants."""

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
        """The screw of every link about an origin; the world's when not given."""
        out = []
        for number, link in enumerate(self.tree.links):
            axis, place = self._axes[number], self.places[number]
            arm = place if origin is None else place - origin
            out.append(Screw(axis, ca.cross(arm, axis)) if link.turns else Screw(ca.SX.zeros(3), axis))
        return out

    @cached_property
    def centers(self) -> list[ca.SX]:
        """Centre of every body with mass."""
        pairs = zip(self.tree.massive, self._parts["centers"], strict=True)
        return [self.places[link] + self.rotations[link] @ center for link, center in pairs]

    @cached_property
    def center_of_mass(self) -> ca.SX:
        """Of the whole body."""
        return sum((m * r for m, r in zip(self.masses, self.centers, strict=True)), ca.SX.zeros(3)) / self.mass

    def inertias(self, origin: ca.SX) -> list[Inertia]:
        """Inertia of every body with mass about an origin, world axes."""
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
        """Place and rotation of every body whose frame is asked for."""
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
    """Without entries that are always zero."""
    kept = {where: value for where, value in entries.items() if not value.is_zero()}
    down, across = [row for row, _ in kept], [column for _, column in kept]
    return ca.SX.triplet(down, across, ca.vertcat(*kept.values()), rows, columns)
