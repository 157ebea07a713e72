"""The sparse evidence and L_P by JAX, on a GPU where there is one (extra `gpu`): the costs of `evidence` and `back`.

JAX differentiates them. Products with as many rows as there are inputs are in float64 ("jax") or float32 ("jax32");
matrices of inducing inputs, which are nearly singular, are always in float64, which is switched on in JAX for the whole
process. Data stay on the device: an evaluation moves the unknowns there and the gradient back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gambol.errors import InputError, MissingExtra
from gambol.geometry.arrays import Array
from gambol.learn.gaussian.back import BackConstrainedCost
from gambol.learn.gaussian.evidence import INDUCING_JITTER, inducing_error
from gambol.learn.gaussian.kernels import CovarianceKernel, FactorKernel, InducingIndices

CostFunction = Callable[[Array], tuple[float, Array]]
"""Cost and gradient of a vector of unknowns."""
_TYPES = {"jax": "float64", "jax32": "float32"}
_JITTER_32 = 1e-6
"""As INDUCING_JITTER: with less, whitened covariances in float32 lose more than it adds."""


def accelerate_evidence(
    backend: str, kernel: CovarianceKernel, inputs: Array, targets: Array, inducing: InducingIndices | None
) -> CostFunction:
    """Return the negative log evidence of targets as a function of the parameters of the kernel."""
    jnp, kind, chosen = _start(backend, inducing)
    end = len(kernel.column_widths(inputs.shape[1]))
    moving, given = inputs[:, :end], inputs[:, end:]
    data = (*(jnp.asarray(each, kind) for each in (moving, given, targets)), jnp.asarray((targets**2).sum(axis=0)))
    return _compile(lambda unknowns, *data: _evaluate(kernel, chosen, False, unknowns, *data), data, len(chosen))


def accelerate_back_cost(backend: str, cost: BackConstrainedCost) -> CostFunction:
    """Return L_P as a function of the unknowns of a `BackConstrainedCost`."""
    jnp, kind, chosen = _start(backend, cost.inducing)
    data = tuple(jnp.asarray(each, kind) for each in (cost.distances, cost.given, cost.rows))
    small = tuple(jnp.asarray(each) for each in ((cost.rows**2).sum(axis=0), cost.mixing, cost.prior))
    end = len(cost.kernel.parameters)

    def evaluate(unknowns: Any, distances: Any, given: Any, rows: Any, sizes: Any, mixing: Any, prior: Any) -> Any:
        amplitude, width = jnp.exp(unknowns[end : end + 2]).astype(kind)
        weights = (mixing @ unknowns[end + 2 :].reshape(len(mixing), -1)).astype(kind)
        latents = amplitude * jnp.exp(-0.5 * width * distances) @ weights
        evidence = _evaluate(cost.kernel, chosen, cost.scaled, unknowns[:end], latents, given, rows, sizes)
        return evidence + 0.5 * (latents**2).sum(dtype=jnp.float64) + prior @ unknowns[: end + 2]

    return _compile(evaluate, (*data, *small), len(chosen))


def _start(backend: str, inducing: InducingIndices | None) -> tuple[Any, str, InducingIndices]:
    """Return JAX's NumPy, the type of large arrays and the inducing inputs."""
    if backend not in _TYPES:
        raise InputError(f"backend is {backend!r}", fix="choose numpy, jax or jax32")
    if inducing is None:
        raise InputError(f"backend {backend} without inducing inputs", fix="choose n_inducing below the number of rows")
    try:
        import jax
    except ImportError:
        raise MissingExtra(f"backend {backend}", "gpu") from None
    jax.config.update("jax_enable_x64", True)
    return jax.numpy, _TYPES[backend], inducing


def _compile(cost: Callable[..., Any], data: tuple[Any, ...], count: int) -> CostFunction:
    """Return a cost of unknowns and data, for so many inducing inputs, with its gradient by the unknowns."""
    import jax

    compiled = jax.jit(jax.value_and_grad(cost))

    def evaluate(unknowns: Array) -> tuple[float, Array]:
        with jax.default_matmul_precision("highest"):  # GPUs would multiply float32 with 10 bits
            value, gradient = compiled(unknowns, *data)
        if not np.isfinite(value):
            raise inducing_error(count)
        return float(value), np.asarray(gradient, float)

    return evaluate


def _evaluate(
    kernel: CovarianceKernel,
    inducing: InducingIndices,
    scaled: bool,
    parameters: Any,
    moving: Any,
    given: Any,
    targets: Any,
    sizes: Any,
) -> Any:
    """Return the value of `evaluate_evidence`; `sizes` are the squared norms of the targets."""
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    kind, (count, outputs), beta = targets.dtype, targets.shape, jnp.exp(parameters[-1])
    centres = moving[inducing], given[inducing]
    exact = tuple(each.astype(jnp.float64) for each in centres)
    own = _covariance(kernel, parameters, *exact, *exact)
    diagonal = _diagonal(kernel, parameters, exact[1])
    jitter = INDUCING_JITTER if kind == jnp.float64 else _JITTER_32
    diagonal += jitter * jnp.maximum(diagonal, jnp.exp(parameters[0]))
    own = own.at[jnp.diag_indices(len(own))].set(diagonal)
    whiten = solve_triangular(jnp.linalg.cholesky(own), jnp.eye(len(own)), lower=True)
    white = whiten.astype(kind) @ _covariance(kernel, parameters.astype(kind), *centres, moving, given)
    square, seen = ((white @ each).astype(jnp.float64) for each in (white.T, targets))
    factor = jnp.linalg.cholesky(jnp.eye(len(own)) + beta * square)
    squares = beta * (sizes - beta * (solve_triangular(factor, seen, lower=True) ** 2).sum(axis=0))
    value = 0.5 * outputs * (2.0 * jnp.log(jnp.diagonal(factor)).sum() - count * parameters[-1])
    value += 0.5 * count * (outputs + jnp.log(squares / count).sum()) if scaled else 0.5 * squares.sum()
    total = _diagonal(kernel, parameters, given.astype(jnp.float64)).sum()
    return value + 0.5 * outputs * beta * (total - jnp.trace(square))


def _covariance(
    kernel: CovarianceKernel, parameters: Any, one: Any, one_given: Any, other: Any, other_given: Any
) -> Any:
    """Return `evaluate` of a kernel with these parameters; RBF columns and given columns are apart."""
    import jax.numpy as jnp

    widths = _count_widths(kernel)
    root = jnp.exp(0.5 * jnp.repeat(parameters[1 : 1 + widths], one.shape[1] // widths))
    middle = other.mean(axis=0)
    one, other = (one - middle) * root, (other - middle) * root
    distances = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2.0 * one @ other.T
    covariance = jnp.exp(parameters[0] - 0.5 * jnp.maximum(distances, 0.0))
    for constant, scale, columns in _factors(kernel, parameters):
        covariance *= constant + scale * one_given[:, columns] @ other_given[:, columns].T
    return covariance


def _diagonal(kernel: CovarianceKernel, parameters: Any, given: Any) -> Any:
    import jax.numpy as jnp

    diagonal = jnp.full(len(given), jnp.exp(parameters[0]))
    for constant, scale, columns in _factors(kernel, parameters):
        diagonal *= constant + scale * (given[:, columns] ** 2).sum(axis=1)
    return diagonal


def _count_widths(kernel: CovarianceKernel) -> int:
    return len((kernel.rbf if isinstance(kernel, FactorKernel) else kernel).inverse_widths)


def _factors(kernel: CovarianceKernel, parameters: Any) -> list[tuple[float, Any, slice]]:
    """Return c, v and the columns of every factor."""
    import jax.numpy as jnp

    found: list[tuple[float, Any, slice]] = []
    place, first = 1 + _count_widths(kernel), 0
    for factor in kernel.factors if isinstance(kernel, FactorKernel) else ():
        scale: Any = factor.scale
        if factor.learned:
            scale, place = jnp.exp(parameters[place]), place + 1
        found.append((float(factor.constant), scale, slice(first, first + factor.columns)))
        first += factor.columns
    return found
