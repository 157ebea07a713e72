"""Small functions that an optimisation calls at every frame: rows and a cost of a few numbers, with derivatives.

A kernel is three functions: values, values with first derivatives, second derivatives. Large ones are machine code that
is found again by a key, so that a later start builds no expressions.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import casadi as ca

from gambol.solve.compiled import build, compiler, generated, library_of

Functions = tuple[ca.Function, ca.Function, ca.Function]
_PARTS = ("value", "first", "second")
_COMPILED_A_SECOND = 5_000
"""Instructions, on one core of a small machine that has a little else to do."""


@dataclass(frozen=True, eq=False)
class Kernel:
    """Functions of inputs x and parameters p."""

    name: str
    value: ca.Function
    """x, p -> rows, cost."""
    first: ca.Function
    """x, p -> rows, cost, Jacobian of the rows (sparse), gradient of the cost (dense column)."""
    second: ca.Function
    """x, p, sigma, lam -> upper triangle (sparse) of the Hessian of sigma cost + lam . rows."""
    has_cost: bool
    compiled: bool

    @property
    def inputs(self) -> int:
        """Numbers in x."""
        return self.value.numel_in(0)

    @property
    def params(self) -> int:
        """Numbers in p."""
        return self.value.numel_in(1)

    @property
    def rows(self) -> int:
        """Numbers in the rows."""
        return self.value.numel_out(0)


@dataclass(frozen=True)
class Plan:
    """A kernel to be found or made."""

    name: str
    key: str
    """Stands for the code: a kernel with the same name and key is the same functions."""
    make: Callable[[], Functions]
    """Gives what `functions` gives for this name."""
    has_cost: bool


def kernel(name: str, x: ca.SX, p: ca.SX, rows: ca.SX, cost: ca.SX | None = None) -> Kernel:
    """A kernel by CasADi's own derivatives, not compiled: for small expressions."""
    price = ca.SX(0) if cost is None else cost
    sigma, lam = ca.SX.sym("sigma"), ca.SX.sym("lam", rows.numel())
    slopes = ca.jacobian(rows, x), ca.gradient(price, x)
    curvature, _ = ca.hessian(sigma * price + ca.dot(lam, rows), x)
    made = functions(name, (x, p, sigma, lam), (rows, price), slopes, ca.triu(curvature))
    return Kernel(name, *made, has_cost=cost is not None, compiled=False)


def functions(
    name: str,
    inputs: tuple[ca.SX, ca.SX, ca.SX, ca.SX],
    values: tuple[ca.SX, ca.SX],
    slopes: tuple[ca.SX, ca.SX],
    curvature: ca.SX,
) -> Functions:
    """The functions of a kernel.

    From x, p, sigma, lam; rows, cost; Jacobian, gradient; the upper triangle of the Hessian.
    """
    jacobian, gradient = slopes
    options = {"cse": True}
    value, first, second = (f"{name}_{part}" for part in _PARTS)
    return (
        ca.Function(value, inputs[:2], values, options),
        ca.Function(first, inputs[:2], [*values, jacobian, ca.densify(gradient)], options),
        ca.Function(second, inputs, [curvature], options),
    )


def kept(
    name: str, key: str, make: Callable[[], Functions], has_cost: bool, tell: Callable[[str], None] | None = None
) -> Kernel:
    """One kernel as `kept_all` gives them."""
    return kept_all([Plan(name, key, make, has_cost)], tell)[0]


def kept_all(plans: Sequence[Plan], tell: Callable[[str], None] | None = None) -> list[Kernel]:
    """Kernels as machine code from the user's cache folder, compiled at the same time if they are not there.

    `tell` hears a line before compiling begins. Without a compiler or with nowhere to write it hears why, and the
    kernels are interpreted.
    """
    found = [_found(plan) for plan in plans]
    missing = [plan for plan, one in zip(plans, found, strict=True) if one is None]
    made = {plan.name: plan.make() for plan in missing}
    try:
        if missing:
            _compile({plan: made[plan.name] for plan in missing}, tell)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = error if isinstance(error, OSError) else "the C compiler failed"
        if tell:
            tell(f"not compiled, and so several times slower: {reason}")
    return [one or _found(plan) or _interpreted(plan, made[plan.name]) for plan, one in zip(plans, found, strict=True)]


def _compile(made: dict[Plan, Functions], tell: Callable[[str], None] | None) -> None:
    """Make the libraries of some plans, at the same time; raises OSError or CalledProcessError."""
    compiler()
    size = sum(function.n_instructions() for three in made.values() for function in three)
    if tell:
        names = " and ".join(plan.name for plan in made)
        tell(f"compiling {names}, once for this kind of skeleton: about {1 + size // _COMPILED_A_SECOND} s")
    with ThreadPoolExecutor() as pool:
        for run in [pool.submit(build, library_of(plan.name, plan.key), generated(*made[plan])) for plan in made]:
            run.result()


def _found(plan: Plan) -> Kernel | None:
    """The kernel of a plan from the cache folder, if what lies there works."""
    try:
        library = library_of(plan.name, plan.key)
        if not library.exists():
            return None
        value, first, second = (ca.external(f"{plan.name}_{part}", str(library)) for part in _PARTS)
    except (OSError, RuntimeError):
        return None
    return Kernel(plan.name, value, first, second, has_cost=plan.has_cost, compiled=True)


def _interpreted(plan: Plan, made: Functions) -> Kernel:
    value, first, second = made
    return Kernel(plan.name, value, first, second, has_cost=plan.has_cost, compiled=False)
