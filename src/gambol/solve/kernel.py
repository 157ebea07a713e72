"""Kernels: small functions that an optimisation evaluates at every frame, with exact derivatives.

A kernel has outputs (for constraints) and a cost. It consists of three functions: values, values with first
derivatives, and second derivatives. Large kernels are compiled and cached under a key, so that the next process does
not build their expressions again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

import casadi as ca

from gambol.progress import Progress, silent
from gambol.solve.compiled import (
    CANNOT_COMPILE,
    build_library_beside,
    estimate_compilation,
    find_library,
    generate_c,
)

KernelFunctions = tuple[ca.Function, ca.Function, ca.Function]
_PARTS = ("value", "first", "second")


@dataclass(frozen=True, eq=False)
class Kernel:
    """Functions of inputs x and parameters p."""

    name: str
    value: ca.Function
    """x, p -> outputs, cost."""
    first: ca.Function
    """x, p -> outputs, cost, Jacobian of the outputs (sparse), gradient of the cost (dense column)."""
    second: ca.Function
    """x, p, sigma, lam -> upper triangle (sparse) of the Hessian of sigma cost + lam . outputs."""
    has_cost: bool
    compiled: bool

    @property
    def inputs(self) -> int:
        """Size of x."""
        return self.value.numel_in(0)

    @property
    def parameters(self) -> int:
        """Size of p."""
        return self.value.numel_in(1)

    @property
    def outputs(self) -> int:
        """Number of outputs, without the cost."""
        return self.value.numel_out(0)


@dataclass(frozen=True)
class KernelSpec:
    """A kernel to be loaded from the cache or built."""

    name: str
    key: str
    """Identifies the code: kernels with the same name and key have the same functions."""
    make: Callable[[], KernelFunctions] = field(compare=False)
    """Builds the functions with `kernel_functions` under this name."""
    has_cost: bool


def make_kernel(name: str, x: ca.SX, p: ca.SX, outputs: ca.SX, cost: ca.SX | None = None) -> Kernel:
    """Make a kernel with CasADi's automatic derivatives, interpreted: for small expressions."""
    price = ca.SX(0) if cost is None else cost
    sigma, lam = ca.SX.sym("sigma"), ca.SX.sym("lam", outputs.numel())
    slopes = ca.jacobian(outputs, x), ca.gradient(price, x)
    curvature, _ = ca.hessian(sigma * price + ca.dot(lam, outputs), x)
    made = kernel_functions(name, (x, p, sigma, lam), (outputs, price), slopes, ca.triu(curvature))
    return Kernel(name, *made, has_cost=cost is not None, compiled=False)


def kernel_functions(
    name: str,
    inputs: tuple[ca.SX, ca.SX, ca.SX, ca.SX],
    values: tuple[ca.SX, ca.SX],
    slopes: tuple[ca.SX, ca.SX],
    curvature: ca.SX,
) -> KernelFunctions:
    """Build the three functions of a kernel.

    `inputs` are x, p, sigma, lam; `values` outputs and cost; `slopes` Jacobian and gradient; `curvature` is the upper
    triangle of the Hessian.
    """
    jacobian, gradient = slopes
    options = {"cse": True}
    value, first, second = (f"{name}_{part}" for part in _PARTS)
    return (
        ca.Function(value, inputs[:2], values, options),
        ca.Function(first, inputs[:2], [*values, jacobian, ca.densify(gradient)], options),
        ca.Function(second, inputs, [curvature], options),
    )


def load_kernels(specs: Sequence[KernelSpec], progress: Progress = silent) -> list[Kernel]:
    """Load compiled kernels from the user's cache folder; those that are missing are interpreted.

    Machine code of these is compiled in another process meanwhile, and loaded the next time: it gives the same numbers.
    `progress` gets a message when that begins, and the reason where it cannot.
    """
    found = [_found(spec) for spec in specs]
    missing = [spec for spec, one in zip(specs, found, strict=True) if one is None]
    try:
        _compile(missing, progress)
    except OSError as error:
        progress(f"not compiled, several times slower: {error}", 0, None)
    return [one or _interpreted(spec) for spec, one in zip(specs, found, strict=True)]


def _compile(missing: Sequence[KernelSpec], progress: Progress) -> None:
    """Begin to compile kernels; raises OSError."""
    begun = [spec for spec in missing if build_library_beside(spec.name, spec.key, partial(_generate, spec))]
    if begun and progress is not silent:
        seconds = max(estimate_compilation(*_make(spec)) for spec in begun)
        names = " and ".join(spec.name for spec in begun)
        # A stage, not only a message: a log repeats it until the solver reports.
        once = f"once for this kind of skeleton: about {seconds} s"
        progress(f"solving interpreted while compiling {names}, {once}", 0, None)


def _generate(spec: KernelSpec) -> str:
    return generate_c(*_make(spec))


def _found(spec: KernelSpec) -> Kernel | None:
    """Load a kernel from the cache folder; None if it is missing or cannot be loaded."""
    try:
        library = find_library(spec.name, spec.key)
        if library is None:
            return None
        value, first, second = (ca.external(f"{spec.name}_{part}", str(library)) for part in _PARTS)
    except CANNOT_COMPILE:
        return None
    return Kernel(spec.name, value, first, second, has_cost=spec.has_cost, compiled=True)


@lru_cache(maxsize=8)
def _make(spec: KernelSpec) -> KernelFunctions:
    """Build functions once per process: until they are compiled, every solve uses them."""
    return spec.make()


def _interpreted(spec: KernelSpec) -> Kernel:
    value, first, second = _make(spec)
    return Kernel(spec.name, value, first, second, has_cost=spec.has_cost, compiled=False)
