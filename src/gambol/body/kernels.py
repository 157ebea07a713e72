"""What is nonlinear about one pose, and about one step between poses, as functions for an optimiser.

`frame`: where the centre of mass and the frames of chosen bodies are, and the mass displacement: with weight w, centres
r_i, rotations R_i and the second moments S_i of the bodies about their centres,

    w / m sum_i [ m_i |r_i - r_i'|^2 - 2 <R_i, R_i' S_i> ],

the mean square distance of all the mass from where a reference (') has it, less a constant.

`step`: the angular momentum about the centre of mass c of L05, 3.14 to 3.20, in coordinates and velocities: with the
velocities u_i of the centres and the spins w_i,

    sum_i [ m_i (r_i - c) x u_i + R_i I_i R_i^T w_i ].

Derivatives are written out with screws (see `screws`): for the human a third of the code that differentiation of the
expressions gives. The measures of a body are parameters, so that one piece of code serves all bodies of one tree.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import casadi as ca
import numpy as np

from gambol.body import screws
from gambol.body.character import Character
from gambol.body.screws import Chain, SparseEntries, Inertia, Screw, LinkTree, sum_below, find_link_frames, reduce_character, make_sparse_matrix
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.solve import kernel
from gambol.solve.kernel import KernelFunctions, Kernel, KernelSpec, kernel_functions, load_kernels


@dataclass(frozen=True, eq=False)
class Kernels:
    """The functions of one character."""

    frame: Kernel
    """q; constants, weight, references -> centre of mass, then of every body place and three axes; displacement."""
    step: Kernel
    """q and its velocity; constants -> angular momentum about the centre of mass, kg m²/s."""
    constants: Array
    """Measures of the body: what both take first as parameters."""
    bodies: tuple[str, ...]
    """Joints whose frames are rows."""

    @property
    def compiled(self) -> bool:
        """Whether both are machine code."""
        return self.frame.compiled and self.step.compiled


def make_kernels(character: Character, bodies: Sequence[str], tell: Callable[[str], None] | None = None) -> Kernels:
    """The functions of a character with the frames of some joints; `tell` hears when they have to be compiled."""
    tree, constants = reduce_character(character, [character.skeleton.index(name) for name in bodies])
    sources = (Path(path).read_text() for path in (__file__, screws.__file__, kernel.__file__))
    key = "\n".join((repr(tree), ca.CasadiMeta.version(), *sources))
    plans = [KernelSpec("step", key, partial(build_step_functions, tree), False), KernelSpec("frame", key, partial(build_frame_functions, tree), True)]
    of_step, of_frame = load_kernels(plans, tell)
    return Kernels(of_frame, of_step, constants, tuple(bodies))


def compute_references(character: Character, q: Array) -> Array:
    """(frames, 12 x bodies with mass): poses as the mass displacement takes them.

    Of each body the centre, then R S column by column, seen from the link that carries the body.
    """
    placed = place(character.skeleton, q)
    held = find_link_frames(character.skeleton)
    massive = np.flatnonzero(character.masses)
    inertias = character.inertias[massive]
    second = 0.5 * np.trace(inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertias
    turned = second @ np.array([held[joint].rotation.T for joint in massive])
    rotations = quat.to_matrix(placed.rotations[:, massive])
    centers = placed.positions[:, massive] + np.einsum("fbij,bj->fbi", rotations, character.centers[massive])
    columns = np.swapaxes(rotations @ turned, 2, 3).reshape(len(q), len(massive), 9)
    return np.concatenate((centers, columns), axis=2).reshape(len(q), -1)


def build_frame_functions(tree: LinkTree) -> KernelFunctions:
    """Value, first and second derivatives of the functions of one pose."""
    count = len(tree.links)
    chain = Chain(tree, ca.SX.sym("q", count))
    weight, reference = ca.SX.sym("weight"), ca.SX.sym("reference", 12, len(tree.massive))
    scale = 2 * weight / chain.mass
    goals = [(reference[:3, body], ca.reshape(reference[3:, body], 3, 3)) for body in range(len(tree.massive))]
    cost = sum(
        mass * ca.sumsqr(center - goal) / 2 - ca.dot(chain.rotations[link], target)
        for mass, center, link, (goal, target) in zip(chain.masses, chain.centers, tree.massive, goals, strict=True)
    )
    rows = ca.vertcat(chain.center_of_mass, *(ca.vertcat(spot, ca.vec(axes)) for spot, axes in chain.tracked))
    sigma, prices = ca.SX.sym("sigma"), ca.SX.sym("prices", rows.numel())

    motions = chain.screws()
    moments = [mass * center for mass, center in zip(chain.masses, chain.centers, strict=True)]
    masses = sum_below(tree, tree.massive, [*zip(chain.masses, moments, strict=True)])
    gradient = ca.SX.zeros(count)
    for link, motion, (_, moment), (pull, force) in zip(
        tree.links, motions, masses, _pulls(chain, goals, scale), strict=True
    ):
        gradient[link.column] = ca.dot(motion.angular, _axial(pull)) + ca.dot(motion.linear, force + scale * moment)
    second = _frame_second(tree, motions, masses, _pulls(chain, goals, sigma * scale, prices), sigma * scale)
    return kernel_functions(
        "frame",
        (chain.q, ca.vertcat(chain.constants, weight, ca.vec(reference)), sigma, prices),
        (rows, scale * cost),
        (make_sparse_matrix(_frame_first(chain, motions, masses), rows.numel(), count), gradient),
        make_sparse_matrix(second, count, count),
    )


def _pulls(
    chain: Chain, goals: list[tuple[ca.SX, ca.SX]], scale: ca.SX, prices: ca.SX | None = None
) -> list[tuple[ca.SX, ...]]:
    """Points r pulled by forces h that no pose changes: sum r h^T and sum h over what is below every link.

    The displacement pulls a centre r by scale m (r - k): here is the part towards its goal k; that of r itself has no
    moment, and is in the sums of masses. The price of a row pulls what the row shows. Rotations and axes are pulled at
    both ends, so that they add to the first sum alone.
    """
    tree = chain.tree
    carriers, pulls = list(tree.massive), []
    for mass, center, link, (goal, target) in zip(chain.masses, chain.centers, tree.massive, goals, strict=True):
        force = -scale * mass * goal
        if prices is not None:
            force += mass / chain.mass * prices[:3]
        pulls.append((center @ force.T - scale * (chain.rotations[link] @ target.T), force))
    if prices is not None:
        carriers += tree.tracked
        for (spot, axes), price in zip(chain.tracked, ca.vertsplit(prices[3:], 12), strict=True):
            force = price[:3]
            pulls.append((spot @ force.T + axes @ ca.reshape(price[3:], 3, 3).T, force))
    return sum_below(tree, carriers, pulls)


def _frame_first(chain: Chain, motions: list[Screw], masses: list[tuple[ca.SX, ...]]) -> SparseEntries:
    """Of the rows of a frame: a point moves by w x r + v, an axis by w x d."""
    tree, entries = chain.tree, SparseEntries()
    for number, (link, motion) in enumerate(zip(tree.links, motions, strict=True)):
        mass, moment = masses[number]
        parts = [(0, (ca.cross(motion.angular, moment) + mass * motion.linear) / chain.mass)]
        for body, (spot, axes) in enumerate(chain.tracked):
            if tree.carries(number, tree.tracked[body]):
                turned = [ca.cross(motion.angular, axis) for axis in ca.horzsplit(axes)]
                parts.append((3 + 12 * body, ca.vertcat(motion.moves(spot), *turned)))
        for start, part in parts:
            entries |= {(start + row, link.column): value for row, value in enumerate(ca.vertsplit(part))}
    return entries


def _frame_second(
    tree: LinkTree, motions: list[Screw], masses: list[tuple[ca.SX, ...]], pulls: list[tuple[ca.SX, ...]], scale: ca.SX
) -> SparseEntries:
    """Link f moves what link e below it did: one screw for e, and its product with every screw above."""
    entries = SparseEntries()
    for lower, motion in enumerate(motions):
        (mass, moment), (pull, force) = masses[lower], pulls[lower]
        angular = pull @ motion.angular - ca.trace(pull) * motion.angular + ca.cross(motion.linear, force)
        linear = scale * (mass * motion.linear + ca.cross(motion.angular, moment))
        change = Screw(angular, linear)
        for upper in tree.above[lower]:
            entries[_place(tree, upper, lower)] = motions[upper].dot(change)
    return entries


def build_step_functions(tree: LinkTree) -> KernelFunctions:
    """Value, first and second derivatives of the angular momentum.

    Seen from the centre of mass and moving with it, where the body has no linear momentum and most terms vanish.
    Slides that move all of the mass change nothing and are left out.
    """
    count = len(tree.links)
    x = ca.SX.sym("x", 2 * count)
    chain = Chain(tree, x[:count])
    prices = ca.SX.sym("prices", 3)
    motions = chain.screws(chain.center_of_mass)
    bodies = chain.inertias(chain.center_of_mass)
    inertias = [Inertia(*terms) for terms in sum_below(tree, tree.massive, bodies)]
    active = [number for number in range(count) if not _moves_all(tree, number)]
    speeds = {number: x[count + tree.links[number].column] for number in active}
    momenta = {e: inertias[e].momentum(motions[e]) for e in active}
    rows = sum((momenta[e].angular * speeds[e] for e in active), ca.SX.zeros(3))
    drift = sum((momenta[e].linear * speeds[e] for e in active), ca.SX.zeros(3)) / chain.mass

    twists = {screws.WORLD: Screw(ca.SX.zeros(3), -drift)}
    for number, link in enumerate(tree.links):
        before = twists[link.parent]
        twists[number] = before.plus(motions[number].times(speeds[number])) if number in speeds else before
    held = [body.momentum(twists[link]) for body, link in zip(bodies, tree.massive, strict=True)]
    carried = [Screw(*terms) for terms in sum_below(tree, tree.massive, held)]
    swept = {e: motions[e].on_motion(twists[tree.links[e].parent]) for e in active}
    slopes = {e: motions[e].on_momentum(carried[e]).minus(inertias[e].momentum(swept[e])) for e in active}

    first = SparseEntries()
    for e in active:
        for row in range(3):
            first[row, tree.links[e].column] = slopes[e].angular[row]
            first[row, count + tree.links[e].column] = momenta[e].angular[row]
    moving = _Moving(tree, chain.mass, prices, motions, inertias, momenta, swept, slopes)
    return kernel_functions(
        "step",
        (x, chain.constants, ca.SX.sym("sigma"), prices),
        (rows, ca.SX(0)),
        (make_sparse_matrix(first, 3, 2 * count), ca.SX.zeros(2 * count)),
        make_sparse_matrix(_step_second(moving), 2 * count, 2 * count),
    )


@dataclass(frozen=True)
class _Moving:
    """What the second derivatives of a step are made of, by link."""

    tree: LinkTree
    mass: ca.SX
    prices: ca.SX
    motions: list[Screw]
    inertias: list[Inertia]
    """Of everything below."""
    momenta: dict[int, Screw]
    """Of everything below, by the link's own velocity."""
    swept: dict[int, Screw]
    """How the link changes the motion of what is above it, as what is below sees it."""
    slopes: dict[int, Screw]
    """Of the momentum, by the link's coordinate."""


def _step_second(moving: _Moving) -> SparseEntries:
    """By two coordinates, and by a coordinate and a velocity; by two velocities there is nothing."""
    tree, prices, motions = moving.tree, moving.prices, moving.motions
    count, links, entries = len(tree.links), tree.links, SparseEntries()
    asked = Screw(prices, ca.SX.zeros(3))
    shifts = {e: momentum.linear / moving.mass for e, momentum in moving.momenta.items()}
    for e, slope in moving.slopes.items():
        turned = motions[e].on_motion(asked)
        inertia = moving.inertias[e]
        answer = motions[e].on_momentum(inertia.momentum(asked)).minus(inertia.momentum(turned))
        spin, push = ca.cross(slope.angular, prices), ca.cross(prices, slope.linear)
        across = ca.cross(shifts[e], prices)
        for f, momentum in moving.momenta.items():
            if f <= e:
                value = ca.dot(shifts[e], ca.cross(prices, moving.slopes[f].linear))
                if f in tree.above[e]:
                    value += ca.dot(motions[f].angular, spin) + ca.dot(shifts[f] - motions[f].linear, push)
                    value -= moving.swept[f].dot(answer)
                else:
                    value += ca.dot(shifts[f], push)
                entries[_place(tree, f, e)] = value
            if e in tree.above[f]:
                mixed = ca.dot(across - turned.linear, momentum.linear) - ca.dot(turned.angular, momentum.angular)
            else:
                mixed = ca.dot(across, momentum.linear)
                if f in tree.above[e]:
                    mixed += motions[f].dot(answer)
            entries[links[e].column, count + links[f].column] = mixed
    return entries


def _moves_all(tree: LinkTree, number: int) -> bool:
    """Whether a link slides all of the mass."""
    return not tree.links[number].turns and all(tree.carries(number, link) for link in tree.massive)


def _axial(matrix: ca.SX) -> ca.SX:
    """r x h, of r h^T."""
    return ca.vertcat(matrix[1, 2] - matrix[2, 1], matrix[2, 0] - matrix[0, 2], matrix[0, 1] - matrix[1, 0])


def _place(tree: LinkTree, one: int, other: int) -> tuple[int, int]:
    """Row and column of two links in an upper triangle."""
    row, column = sorted((tree.links[one].column, tree.links[other].column))
    return row, column
