"""Interval arithmetic for CasADi expressions: rigorous ranges over many boxes at once, rounded outward.

A natural interval extension (R. Moore): the instructions of an SX function are executed with intervals in place of
numbers. The resulting range contains every value that the function takes in the box.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array

Interval = tuple[Array, Array]
"""Lower and upper ends, of the same shape."""

_LIBRARY = 4.0 * np.finfo(float).eps
"""Relative error of sin, exp etc.: 4 units in the last place, as in fast math libraries."""
_TINY = 1e-300
_ROUNDING = 16.0 * np.finfo(float).eps
"""Share of the upper end by which the lower end of a sum of squares may fall below 0."""
_NEAR = 1e-12
"""Relative tolerance for reaching a crest of the sine: larger than the rounding of 2 pi k."""


def _outward(low: Array, high: Array) -> Interval:
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)


def _widened(low: Array, high: Array) -> Interval:
    return low - _LIBRARY * np.abs(low) - _TINY, high + _LIBRARY * np.abs(high) + _TINY


def _add(a: Interval, b: Interval) -> Interval:
    return _outward(a[0] + b[0], a[1] + b[1])


def _negative(a: Interval) -> Interval:
    return -a[1], -a[0]


def _subtract(a: Interval, b: Interval) -> Interval:
    return _add(a, _negative(b))


def _multiply(a: Interval, b: Interval) -> Interval:
    with np.errstate(invalid="ignore"):
        products = np.nan_to_num(
            np.stack((a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])), posinf=np.inf, neginf=-np.inf
        )
    return _outward(products.min(axis=0), products.max(axis=0))


def _inverse(a: Interval) -> Interval:
    through = (a[0] <= 0.0) & (a[1] >= 0.0)
    with np.errstate(divide="ignore"):
        low, high = _outward(1.0 / a[1], 1.0 / a[0])
    return np.where(through, -np.inf, low), np.where(through, np.inf, high)


def _divide(a: Interval, b: Interval) -> Interval:
    return _multiply(a, _inverse(b))


def _square(a: Interval) -> Interval:
    low, high = a[0] * a[0], a[1] * a[1]
    through = (a[0] <= 0.0) & (a[1] >= 0.0)
    least, most = _outward(np.minimum(low, high), np.maximum(low, high))
    return np.where(through, 0.0, np.maximum(least, 0.0)), most


def _root(a: Interval) -> Interval:
    # The sum of two squares is not below 0, but its outward-rounded lower end is.
    if (a[0] < -_ROUNDING * np.abs(a[1]) - _TINY).any():
        raise InputError("a square root of a negative number in the region", fix="use a smaller region")
    low, high = _outward(np.sqrt(np.maximum(a[0], 0.0)), np.sqrt(np.maximum(a[1], 0.0)))
    return np.maximum(low, 0.0), high


def _log(a: Interval) -> Interval:
    if (a[0] <= 0.0).any():
        raise InputError("a logarithm of 0 or less in the region", fix="use a smaller region")
    return _widened(np.log(a[0]), np.log(a[1]))


def _exp(a: Interval) -> Interval:
    low, high = _widened(np.exp(a[0]), np.exp(a[1]))
    return np.maximum(low, 0.0), high


def _rising(function: Callable[[Array], Array]) -> Callable[[Interval], Interval]:
    return lambda a: _widened(function(a[0]), function(a[1]))


def _reaches(a: Interval, crest: float) -> Array:
    """Whether crest + 2 pi k lies in an interval for some k; True in doubt."""
    slack = _NEAR * (1.0 + np.maximum(np.abs(a[0]), np.abs(a[1])))
    first = crest + 2.0 * np.pi * np.ceil((a[0] - slack - crest) / (2.0 * np.pi))
    return np.asarray(first <= a[1] + slack)


def _sine(a: Interval) -> Interval:
    ends = np.sin(a[0]), np.sin(a[1])
    low, high = _widened(np.minimum(*ends), np.maximum(*ends))
    low = np.where(_reaches(a, -0.5 * np.pi), -1.0, np.maximum(low, -1.0))
    return low, np.where(_reaches(a, 0.5 * np.pi), 1.0, np.minimum(high, 1.0))


def _cosine(a: Interval) -> Interval:
    ends = np.cos(a[0]), np.cos(a[1])
    low, high = _widened(np.minimum(*ends), np.maximum(*ends))
    low = np.where(_reaches(a, np.pi), -1.0, np.maximum(low, -1.0))
    return low, np.where(_reaches(a, 0.0), 1.0, np.minimum(high, 1.0))


def _magnitude(a: Interval) -> Interval:
    through = (a[0] <= 0.0) & (a[1] >= 0.0)
    ends = np.abs(a[0]), np.abs(a[1])
    return np.where(through, 0.0, np.minimum(*ends)), np.maximum(*ends)


def _power(a: Interval, b: Interval) -> Interval:
    exponent = float(b[0].flat[0])
    if not np.all(b[0] == b[1]) or not np.all(b[0] == exponent):
        return _exp(_multiply(b, _log(a)))
    if exponent != int(exponent):
        return _exp(_multiply(b, _log(a)))
    out: Interval = (np.ones_like(a[0]), np.ones_like(a[0]))
    whole = abs(int(exponent))
    for _ in range(whole // 2):
        out = _multiply(out, _square(a))
    if whole % 2:
        out = _multiply(out, a)
    return _inverse(out) if exponent < 0 else out


def _known() -> tuple[dict[int, Callable[[Interval], Interval]], dict[int, Callable[[Interval, Interval], Interval]]]:
    """Return operations by CasADi's numbers: of one argument and of two."""
    import casadi as ca

    one: dict[int, Callable[[Interval], Interval]] = {
        ca.OP_ASSIGN: lambda a: a,
        ca.OP_NEG: _negative,
        ca.OP_INV: _inverse,
        ca.OP_SQ: _square,
        ca.OP_TWICE: lambda a: (2.0 * a[0], 2.0 * a[1]),
        ca.OP_SQRT: _root,
        ca.OP_EXP: _exp,
        ca.OP_LOG: _log,
        ca.OP_SIN: _sine,
        ca.OP_COS: _cosine,
        ca.OP_TANH: _rising(np.tanh),
        ca.OP_ATAN: _rising(np.arctan),
        ca.OP_FABS: _magnitude,
        ca.OP_SIGN: lambda a: (np.sign(a[0]), np.sign(a[1])),
    }
    two: dict[int, Callable[[Interval, Interval], Interval]] = {
        ca.OP_ADD: _add,
        ca.OP_SUB: _subtract,
        ca.OP_MUL: _multiply,
        ca.OP_DIV: _divide,
        ca.OP_POW: _power,
        ca.OP_CONSTPOW: _power,
    }
    return one, two


class IntervalFunction:
    """A CasADi SX function of one vector, evaluated on boxes: (boxes, inputs) -> (boxes, outputs), low and high."""

    def __init__(self, inputs: Any, outputs: Any) -> None:
        import casadi as ca

        function = ca.Function("ranged", [inputs], [ca.densify(ca.vec(outputs))])
        one, two = _known()
        self._size, self._outputs = function.sz_w(), function.numel_out(0)
        self._steps: list[tuple[str, Any, list[int], list[int], float]] = []
        for step in range(function.n_instructions()):
            code = function.instruction_id(step)
            ins, outs = function.instruction_input(step), function.instruction_output(step)
            if code == ca.OP_INPUT:
                self._steps.append(("input", None, ins, outs, 0.0))
            elif code == ca.OP_OUTPUT:
                self._steps.append(("output", None, ins, outs, 0.0))
            elif code == ca.OP_CONST:
                self._steps.append(("constant", None, ins, outs, float(function.instruction_constant(step))))
            elif code in one or code in two:
                self._steps.append(("operation", one.get(code) or two[code], ins[: 1 if code in one else 2], outs, 0.0))
            else:
                name = next((n[3:] for n in dir(ca) if n.startswith("OP_") and getattr(ca, n) == code), str(code))
                raise InputError(
                    f"the operation {name.lower()} has no interval form",
                    fix="use + - * / sqrt exp log sin cos tanh atan fabs; fmin(a, b) is (a + b - fabs(a - b)) / 2",
                )

    def __call__(self, low: Array, high: Array) -> Interval:
        """Return the ranges of the outputs over boxes."""
        boxes = len(low)
        work: list[Any] = [None] * self._size
        out_low, out_high = np.empty((boxes, self._outputs)), np.empty((boxes, self._outputs))
        for kind, operation, ins, outs, value in self._steps:
            if kind == "input":
                work[outs[0]] = low[:, ins[1]], high[:, ins[1]]
            elif kind == "constant":
                work[outs[0]] = np.full(boxes, value), np.full(boxes, value)
            elif kind == "output":
                out_low[:, outs[1]], out_high[:, outs[1]] = work[ins[0]]
            else:
                work[outs[0]] = operation(*(work[i] for i in ins))
        return out_low, out_high
