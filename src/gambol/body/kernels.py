"""The nonlinear functions of one pose and of one step between poses, as kernels for an optimiser.

`frame`: centre of mass, frames of chosen bodies, and the mass displacement: with weight w, centres r_i, rotations R_i
and the second moments S_i of the bodies about their centres,

    w / m sum_i [ m_i |r_i - r_i'|^2 - 2 <R_i, R_i' S_i> ],

the mean squared distance of all mass from its position in a reference pose ('), less a constant.

`step`: the angular momentum about the centre of mass c of L05, 3.14 to 3.20, in coordinates and velocities: with the
velocities u_i of the centres and the spins w_i,

    sum_i [ m_i (r_i - c) x u_i + R_i I_i R_i^T w_i ].

Derivatives are written with screws (see `screws`): for the human a third of the code that automatic differentiation
gives. Lengths, axes and inertias are parameters, so that the same code serves all characters with one tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import casadi as ca
import numpy as np

from gambol.body import screws
from gambol.body.character import Character
from gambol.body.screws import (
    Chain,
    Inertia,
    LinkTree,
    Screw,
    SparseEntries,
    find_link_frames,
    make_sparse_matrix,
    reduce_character,
    sum_below,
)
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.progress import Progress, silent
from gambol.solve import kernel
from gambol.solve.kernel import Kernel, KernelFunctions, KernelSpec, kernel_functions, load_kernels


@dataclass(frozen=True, eq=False)
class Kernels:
    """The kernels of one character."""

    frame: Kernel
    """Inputs: q. Parameters: constants, weight, references. Outputs: centre of mass, then position and three axes of
    every body. Cost: mass displacement."""
    step: Kernel
    """Inputs: q, velocity. Parameters: step_constants. Outputs: angular momentum about the centre of mass (kg m²/s)."""
    constants: Array
    """Lengths, axes and inertias of the body, then the places of `bodies`: the first parameters of a frame."""
    bodies: tuple[str, ...]
    """Joints whose frames are outputs, in the order of the skeleton."""

    @property
    def step_constants(self) -> Array:
        """The constants without the places of `bodies`: the parameters of a step."""
        return self.constants[: self.step.parameters]

    @property
    def compiled(self) -> bool:
        """Whether both are compiled to machine code."""
        return self.frame.compiled and self.step.compiled


def make_kernels(character: Character, bodies: Sequence[str], progress: Progress = silent) -> Kernels:
    """Build the kernels of a character with the frames of some joints; `progress` is called before compiling."""
    joints = sorted({character.skeleton.index(name) for name in bodies})  # in any order, the same code
    tree, constants = reduce_character(character, joints)
    sources = "\n".join(Path(path).read_text() for path in (__file__, screws.__file__, kernel.__file__))
    bare = replace(tree, tracked=())  # a step has no outputs of bodies: it is compiled once, whatever they are
    plans = [
        KernelSpec(name, f"{one!r}\n{ca.CasadiMeta.version()}\n{sources}", partial(build, one), has_cost)
        for name, one, build, has_cost in (
            ("step", bare, build_step_functions, False),
            ("frame", tree, build_frame_functions, True),
        )
    ]
    of_step, of_frame = load_kernels(plans, progress)
    return Kernels(of_frame, of_step, constants, tuple(character.skeleton.names[joint] for joint in joints))


def compute_references(character: Character, q: Array) -> Array:
    """Return poses as reference parameters of the mass displacement: (frames, 12 x bodies with mass).

    Per body: the centre, then R S column by column, relative to the link that carries the body.
    """
    placed = place(character.skeleton, q)
    frames = find_link_frames(character.skeleton)
    massive = np.flatnonzero(character.masses)
    inertias = character.inertias[massive]
    second = 0.5 * np.trace(inertias, axis1=1, axis2=2)[:, None, None] * np.eye(3) - inertias
    turned = second @ np.array([frames[joint].rotation.T for joint in massive])
    rotations = quat.to_matrix(placed.rotations[:, massive])
    centers = placed.positions[:, massive] + np.einsum("fbij,bj->fbi", rotations, character.centers[massive])
    columns = np.swapaxes(rotations @ turned, 2, 3).reshape(len(q), len(massive), 9)
    return np.concatenate((centers, columns), axis=2).reshape(len(q), -1)


def build_frame_functions(tree: LinkTree) -> KernelFunctions:
    """Build value, first and second derivatives of the `frame` kernel."""
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
    sigma, multipliers = ca.SX.sym("sigma"), ca.SX.sym("multipliers", rows.numel())

    motions = chain.screws()
    moments = [mass * center for mass, center in zip(chain.masses, chain.centers, strict=True)]
    masses = sum_below(tree, tree.massive, [*zip(chain.masses, moments, strict=True)])
    gradient = ca.SX.zeros(count)
    for link, motion, (_, moment), (pull, force) in zip(
        tree.links, motions, masses, _pulls(chain, goals, scale), strict=True
    ):
        gradient[link.column] = ca.dot(motion.angular, _axial(pull)) + ca.dot(motion.linear, force + scale * moment)
    second = _frame_second(tree, motions, masses, _pulls(chain, goals, sigma * scale, multipliers), sigma * scale)
    return kernel_functions(
        "frame",
        (chain.q, ca.vertcat(chain.constants, weight, ca.vec(reference)), sigma, multipliers),
        (rows, scale * cost),
        (make_sparse_matrix(_frame_first(chain, motions, masses), rows.numel(), count), gradient),
        make_sparse_matrix(second, count, count),
    )


def _pulls(
    chain: Chain, goals: list[tuple[ca.SX, ca.SX]], scale: ca.SX, multipliers: ca.SX | None = None
) -> list[tuple[ca.SX, ...]]:
    """Return sum r h^T and sum h over everything below each link, for points r with constant forces h.

    The displacement acts on a centre r with the force scale m (r - k): this function has the part towards the goal k;
    the part of r itself has no moment and is in the sums of masses. A multiplier acts on the point or axis of its
    output. Rotations and axes have opposite forces at both ends, so that they contribute to the first sum only.
    """
    tree = chain.tree
    carriers, pulls = list(tree.massive), []
    for mass, center, link, (goal, target) in zip(chain.masses, chain.centers, tree.massive, goals, strict=True):
        force = -scale * mass * goal
        if multipliers is not None:
            force += mass / chain.mass * multipliers[:3]
        pulls.append((center @ force.T - scale * (chain.rotations[link] @ target.T), force))
    if multipliers is not None:
        carriers += tree.tracked
        for (spot, axes), part in zip(chain.tracked, ca.vertsplit(multipliers[3:], 12), strict=True):
            force = part[:3]
            pulls.append((spot @ force.T + axes @ ca.reshape(part[3:], 3, 3).T, force))
    return sum_below(tree, carriers, pulls)


def _frame_first(chain: Chain, motions: list[Screw], masses: list[tuple[ca.SX, ...]]) -> SparseEntries:
    """Return the Jacobian of the outputs of a frame: a point moves by w x r + v, an axis by w x d."""
    tree, entries = chain.tree, SparseEntries()
    for number, (link, motion) in enumerate(zip(tree.links, motions, strict=True)):
        mass, moment = masses[number]
        parts = [(0, (ca.cross(motion.angular, moment) + mass * motion.linear) / chain.mass)]
        for body, (spot, axes) in enumerate(chain.tracked):
            if tree.carries(number, tree.tracked[body]):
                turned = [ca.cross(motion.angular, axis) for axis in ca.horzsplit(axes)]
                parts.append((3 + 12 * body, ca.vertcat(motion.move_point(spot), *turned)))
        for start, part in parts:
            entries |= {(start + row, link.column): value for row, value in enumerate(ca.vertsplit(part))}
    return entries


def _frame_second(
    tree: LinkTree, motions: list[Screw], masses: list[tuple[ca.SX, ...]], pulls: list[tuple[ca.SX, ...]], scale: ca.SX
) -> SparseEntries:
    """Return the Hessian of a frame: one screw per link, and its products with all screws above."""
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
    """Build value, first and second derivatives of the `step` kernel: the angular momentum.

    The frame of reference moves with the centre of mass: there the body has no linear momentum and most terms vanish.
    Translations of the whole mass change nothing and are left out.
    """
    count = len(tree.links)
    x = ca.SX.sym("x", 2 * count)
    chain = Chain(tree, x[:count])
    multipliers = ca.SX.sym("multipliers", 3)
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
    momenta_of_bodies = [body.momentum(twists[link]) for body, link in zip(bodies, tree.massive, strict=True)]
    carried = [Screw(*terms) for terms in sum_below(tree, tree.massive, momenta_of_bodies)]
    swept = {e: motions[e].on_motion(twists[tree.links[e].parent]) for e in active}
    slopes = {e: motions[e].on_momentum(carried[e]).minus(inertias[e].momentum(swept[e])) for e in active}

    first = SparseEntries()
    for e in active:
        for row in range(3):
            first[row, tree.links[e].column] = slopes[e].angular[row]
            first[row, count + tree.links[e].column] = momenta[e].angular[row]
    moving = _Moving(tree, chain.mass, multipliers, motions, inertias, momenta, swept, slopes)
    return kernel_functions(
        "step",
        (x, chain.constants, ca.SX.sym("sigma"), multipliers),
        (rows, ca.SX(0)),
        (make_sparse_matrix(first, 3, 2 * count), ca.SX.zeros(2 * count)),
        make_sparse_matrix(_step_second(moving), 2 * count, 2 * count),
    )


@dataclass(frozen=True)
class _Moving:
    """Quantities for the second derivatives of a step, by link."""

    tree: LinkTree
    mass: ca.SX
    multipliers: ca.SX
    motions: list[Screw]
    inertias: list[Inertia]
    """Of everything below the link."""
    momenta: dict[int, Screw]
    """Of everything below the link, per unit of the link's velocity."""
    swept: dict[int, Screw]
    """Rate of the twist that comes from above, relative to the moving link."""
    slopes: dict[int, Screw]
    """Derivative of the momentum by the link's coordinate."""


def _step_second(moving: _Moving) -> SparseEntries:
    """Return the second derivatives by two coordinates and by a coordinate and a velocity; others are zero."""
    tree, multipliers, motions = moving.tree, moving.multipliers, moving.motions
    count, links, entries = len(tree.links), tree.links, SparseEntries()
    adjoint = Screw(multipliers, ca.SX.zeros(3))
    shifts = {e: momentum.linear / moving.mass for e, momentum in moving.momenta.items()}
    for e, slope in moving.slopes.items():
        turned = motions[e].on_motion(adjoint)
        inertia = moving.inertias[e]
        change = motions[e].on_momentum(inertia.momentum(adjoint)).minus(inertia.momentum(turned))
        spin, push = ca.cross(slope.angular, multipliers), ca.cross(multipliers, slope.linear)
        across = ca.cross(shifts[e], multipliers)
        for f, momentum in moving.momenta.items():
            if f <= e:
                value = ca.dot(shifts[e], ca.cross(multipliers, moving.slopes[f].linear))
                if f in tree.above[e]:
                    value += ca.dot(motions[f].angular, spin) + ca.dot(shifts[f] - motions[f].linear, push)
                    value -= moving.swept[f].dot(change)
                else:
                    value += ca.dot(shifts[f], push)
                entries[_place(tree, f, e)] = value
            if e in tree.above[f]:
                mixed = ca.dot(across - turned.linear, momentum.linear) - ca.dot(turned.angular, momentum.angular)
            else:
                mixed = ca.dot(across, momentum.linear)
                if f in tree.above[e]:
                    mixed += motions[f].dot(change)
            entries[links[e].column, count + links[f].column] = mixed
    return entries


def _moves_all(tree: LinkTree, number: int) -> bool:
    """Return whether a link translates the whole mass."""
    return not tree.links[number].turns and all(tree.carries(number, link) for link in tree.massive)


def _axial(matrix: ca.SX) -> ca.SX:
    """Return r x h for the matrix r h^T."""
    return ca.vertcat(matrix[1, 2] - matrix[2, 1], matrix[2, 0] - matrix[0, 2], matrix[0, 1] - matrix[1, 0])


def _place(tree: LinkTree, one: int, other: int) -> tuple[int, int]:
    """Return row and column of two links in the upper triangle."""
    row, column = sorted((tree.links[one].column, tree.links[other].column))
    return row, column
