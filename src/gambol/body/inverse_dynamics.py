"""Inverse dynamics of one pose as a kernel: joint torques, with external wrenches on some bodies (L05 eq. 5.14).

With the screw S_e of every link about a fixed point, the twist V and acceleration A (gravity included) of the bodies,
and the inertia I, force f = I A + V x* I V and external wrench w of every body, the torque of a link is

    t_e = S_e . F_e,    F_e = sum over all bodies below e of (f - w).

Derivatives are in closed form too. Moving link k moves everything below it, and changes only the motion that comes from
above: the twist by S' = V x S, the acceleration by S'' + S' x V with S'' = A x S + V x S' (V and A of the link above).
With B y = V x* I y - I (V x y) + y x* I V, summed over bodies like I, the derivatives of a force below k are

    by q: S x* f + B S' + I S'',    by the velocity: 2 I S' + B S,    by the acceleration: I S.

Second derivatives are those of sum_e l_e t_e for multipliers l, which are treated as one more velocity: with its twist
L, the sum is that of L . (f - w) over all bodies, and link k changes L by L' = L x S. Automatic differentiation would
give four times as much code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import casadi as ca

from gambol.body import screws
from gambol.body.character import Character
from gambol.body.screws import (
    WORLD,
    Chain,
    Inertia,
    LinkTree,
    Screw,
    SparseEntries,
    make_sparse_matrix,
    reduce_character,
    sum_below,
)
from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve import kernel
from gambol.solve.kernel import Kernel, KernelFunctions, KernelSpec, kernel_functions, load_kernels


@dataclass(frozen=True, eq=False)
class TorqueKernel:
    """The inverse dynamics of one character."""

    kernel: Kernel
    """Inputs: q, its velocity and acceleration, wrenches (moment about a point, force: N m, N) on `bodies`. Parameters:
    constants, that point, gravity (m/s²). Outputs: generalised forces (N m; N for translations)."""
    constants: Array
    """Lengths, axes and inertias of the body: the first parameters."""
    bodies: tuple[str, ...]
    """Bodies on which wrenches act."""


def make_torque_kernel(character: Character, bodies: Sequence[str], progress: Progress = silent) -> TorqueKernel:
    """Build the inverse dynamics of a character with wrenches on some bodies; `progress` is called before compiling."""
    tree, constants = reduce_character(character, [character.skeleton.index(name) for name in bodies])
    sources = (Path(path).read_text() for path in (__file__, screws.__file__, kernel.__file__))
    key = "\n".join((repr(tree), ca.CasadiMeta.version(), *sources))
    (made,) = load_kernels([KernelSpec("torque", key, partial(build_torque_functions, tree), False)], progress)
    return TorqueKernel(made, constants, tuple(bodies))


def build_torque_functions(tree: LinkTree) -> KernelFunctions:
    """Build value, first and second derivatives of the torques of one pose."""
    count = len(tree.links)
    x = ca.SX.sym("x", 3 * count + 6 * len(tree.tracked))
    about, gravity = ca.SX.sym("about", 3), ca.SX.sym("gravity")
    multipliers = ca.SX.sym("multipliers", count)
    chain = Chain(tree, x[:count])
    state = _State(
        chain, about, gravity, x[count : 2 * count], x[2 * count : 3 * count], ca.vertsplit(x[3 * count :], 6)
    )
    torques = ca.SX.zeros(count)
    for number, link in enumerate(tree.links):
        torques[link.column] = ca.dot(state.screws[number], state.forces[number] - state.outer[number])
    return kernel_functions(
        "torque",
        (x, ca.vertcat(chain.constants, about, gravity), ca.SX.sym("sigma"), multipliers),
        (torques, ca.SX(0)),
        (make_sparse_matrix(_first(state), count, x.numel()), ca.SX.zeros(x.numel())),
        make_sparse_matrix(_second(state, multipliers), x.numel(), x.numel()),
    )


class _State:
    """Quantities of a moving pose by link: twists and momenta as columns (angular, linear)."""

    def __init__(
        self, chain: Chain, about: ca.SX, gravity: ca.SX, velocity: ca.SX, acceleration: ca.SX, wrenches: list[ca.SX]
    ) -> None:
        self.tree = tree = chain.tree
        self.screws = [_column(screw) for screw in chain.screws(about)]
        self.swept: list[ca.SX] = []
        """S' of every link; `swept_twice` has S''."""
        self.swept_twice: list[ca.SX] = []
        self.twists = {WORLD: ca.SX.zeros(6)}
        rates = {WORLD: ca.vertcat(ca.SX.zeros(5), gravity)}
        for number, link in enumerate(tree.links):
            twist, rate, screw = self.twists[link.parent], rates[link.parent], self.screws[number]
            swept = _crossing(twist) @ screw
            self.swept.append(swept)
            self.swept_twice.append(_crossing(rate) @ screw + _crossing(twist) @ swept)
            self.twists[number] = twist + screw * velocity[link.column]
            rates[number] = rate + screw * acceleration[link.column] + swept * velocity[link.column]
        self.bodies = [_matrix_of(inertia) for inertia in chain.inertias(about)]
        parts = []
        for inertia, carrier in zip(self.bodies, tree.massive, strict=True):
            crossing = _crossing(self.twists[carrier])
            momentum = inertia @ self.twists[carrier]
            force = inertia @ rates[carrier] - crossing.T @ momentum
            parts.append((inertia, _crossed(momentum) - crossing.T @ inertia - inertia @ crossing, force))
        sums = sum_below(tree, tree.massive, parts)
        self.inertias, self.bends, self.forces = ([part[n] for part in sums] for n in range(3))
        self.wrenches = wrenches
        external = sum_below(tree, tree.tracked, [(one,) for one in wrenches]) if wrenches else []
        self.outer = [one for (one,) in external] or [ca.SX.zeros(6)] * len(tree.links)
        """Sum of the external wrenches on everything below a link."""


def _first(state: _State) -> SparseEntries:
    """Return the derivatives of every torque by every coordinate, velocity, acceleration and wrench."""
    tree, links, entries = state.tree, state.tree.links, SparseEntries()
    count = len(links)
    for lower, screw in enumerate(state.screws):
        inertia, bend, column = state.inertias[lower], state.bends[lower], links[lower].column
        swept, dual = state.swept[lower], -_crossing(screw).T
        carried = inertia @ screw
        turned = bend.T @ screw
        by_q = dual @ state.forces[lower] + bend @ swept + inertia @ state.swept_twice[lower]
        by_velocity = 2 * inertia @ swept + bend @ screw
        outer = dual @ state.outer[lower]
        for upper in tree.above[lower]:
            above, row = state.screws[upper], links[upper].column
            entries[row, column] = ca.dot(above, by_q)
            entries[row, count + column] = ca.dot(above, by_velocity)
            entries[row, 2 * count + column] = entries[column, 2 * count + row] = ca.dot(above, carried)
            if upper != lower:
                moved = ca.dot(state.swept[upper], turned) + ca.dot(state.swept_twice[upper], carried)
                entries[column, row] = moved - ca.dot(above, outer)
                entries[column, count + row] = 2 * ca.dot(state.swept[upper], carried) + ca.dot(above, turned)
    for body, link in enumerate(tree.tracked):
        for upper in tree.above[link] if link != WORLD else ():
            entries |= _block(-state.screws[upper].T, links[upper].column, 3 * count + 6 * body)
    return entries


def _second(state: _State, multipliers: ca.SX) -> SparseEntries:
    """Return the second derivatives of the sum of torques times multipliers."""
    tree, links, entries = state.tree, state.tree.links, SparseEntries()
    count = len(links)
    adjoints, tilts = {WORLD: ca.SX.zeros(6)}, []  # twists of the multipliers, and their rates by link
    for number, one in enumerate(links):
        before, screw = adjoints[one.parent], state.screws[number]
        tilts.append(_crossing(before) @ screw)
        adjoints[number] = before + screw * multipliers[one.column]
    parts = []
    for inertia, link in zip(state.bodies, tree.massive, strict=True):
        crossing, momentum = _crossing(adjoints[link]), inertia @ adjoints[link]
        spread = inertia @ crossing + crossing.T @ inertia
        parts.append((momentum, spread, spread @ state.twists[link] - _crossing(state.twists[link]).T @ momentum))
    outer = [
        (-_crossing(adjoints[link]).T @ _crossed(wrench), _crossing(adjoints[link]).T @ wrench)
        for wrench, link in zip(state.wrenches, tree.tracked, strict=True)
    ]
    external = sum_below(tree, tree.tracked, outer) if outer else []
    for lower, (momentum, spread, turning) in enumerate(sum_below(tree, tree.massive, parts)):
        screw, swept, tilt = state.screws[lower], state.swept[lower], tilts[lower]
        inertia, bend, dual = state.inertias[lower], state.bends[lower], -_crossing(screw).T
        on_tilt = dual @ state.forces[lower] + bend @ swept + inertia @ state.swept_twice[lower]
        on_twice = inertia @ tilt + dual @ momentum
        on_swept = bend.T @ tilt + dual @ turning + spread @ swept + _crossed(momentum) @ swept
        on_screw = -_crossed(state.outer[lower]) @ tilt
        if external:
            matrix, moment = external[lower]
            on_screw += matrix @ screw + dual @ moment
        speeding = 2 * inertia @ swept + bend @ screw
        bending = dual @ momentum + spread @ screw
        carried = inertia @ screw
        column = links[lower].column
        for upper in tree.above[lower]:
            row, above, moved = links[upper].column, state.screws[upper], state.swept[upper]
            entries[min(row, column), max(row, column)] = (
                ca.dot(tilts[upper], on_tilt)
                + ca.dot(state.swept_twice[upper], on_twice)
                + ca.dot(moved, on_swept)
                + ca.dot(above, on_screw)
            )
            entries[row, count + column] = ca.dot(tilts[upper], speeding) + ca.dot(moved, bending)
            entries[row, 2 * count + column] = ca.dot(tilts[upper], carried)
            entries[count + min(row, column), count + max(row, column)] = ca.dot(above, bending)
            if upper != lower:
                entries[column, count + row] = 2 * ca.dot(moved, on_twice) + ca.dot(above, on_swept)
                entries[column, 2 * count + row] = ca.dot(above, on_twice)
    for body, link in enumerate(tree.tracked):
        for upper in tree.above[link] if link != WORLD else ():
            change = -(_crossing(state.screws[upper]) @ adjoints[link] + tilts[upper])
            entries |= _block(change.T, links[upper].column, 3 * count + 6 * body)
    return entries


def _column(screw: Screw) -> ca.SX:
    return ca.vertcat(screw.angular, screw.linear)


def _crossing(motion: ca.SX) -> ca.SX:
    """Return the (6, 6) motion cross product of a twist; its negative transpose is that of momenta."""
    spin, slide = ca.skew(motion[:3]), ca.skew(motion[3:])
    return ca.blockcat([[spin, ca.SX(3, 3)], [slide, spin]])


def _crossed(momentum: ca.SX) -> ca.SX:
    """Return the (6, 6) matrix from a twist to its cross product with this momentum."""
    angular, linear = ca.skew(momentum[:3]), ca.skew(momentum[3:])
    return -ca.blockcat([[angular, linear], [linear, ca.SX(3, 3)]])


def _matrix_of(inertia: Inertia) -> ca.SX:
    """Return the (6, 6) spatial inertia: from a twist to the momentum."""
    moment = ca.skew(inertia.moment)
    return ca.blockcat([[inertia.inertia, moment], [-moment, inertia.mass * ca.SX.eye(3)]])


def _block(values: ca.SX, row: int, column: int) -> SparseEntries:
    """Return the entries of a row, beginning at a column."""
    return {(row, column + number): values[number] for number in range(values.numel())}
