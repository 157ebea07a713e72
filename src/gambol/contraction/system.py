"""A system of differential equations written once, as expressions, for Jacobians, bounds and simulation alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array


@dataclass(frozen=True, eq=False)
class System:
    """States by name, inputs that may take any value in their range at any time, and the rates of the states."""

    states: tuple[str, ...]
    rates: Callable[..., Sequence[Any]]
    """Of the states and then the inputs, one by one, as CasADi symbols: a lambda of x and v may give (v, -x)."""
    inputs: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """States, then inputs."""
        return (*self.states, *self.inputs)

    @cached_property
    def symbols(self) -> Any:
        """States and inputs, one under another."""
        import casadi as ca

        return ca.vertcat(*(ca.SX.sym(name) for name in self.names))

    @cached_property
    def expression(self) -> Any:
        """The rates, one under another."""
        import casadi as ca

        if not self.states:
            raise InputError("a system without states", fix="name one at least")
        try:
            rates = self.rates(*(self.symbols[n] for n in range(len(self.names))))
            if isinstance(rates, ca.SX):  # CasADi before 3.8.2 raises a plain Exception when one is iterated
                raise TypeError("one CasADi expression")
            rates = list(rates)
            made = ca.vertcat(*(ca.SX(rate) for rate in rates))
        except (TypeError, NotImplementedError) as error:
            words = " ".join(str(error).split())[:80]
            raise InputError(f"rates that cannot be written down: {words}", fix="a tuple of CasADi's") from None
        if len(rates) != len(self.states):
            raise InputError(
                f"{len(rates)} rates of {len(self.states)} states", fix="one rate for each state, in order"
            )
        function = ca.Function("rates", [self.symbols], [made])
        if not all(np.isfinite(value) for value in _constants(function)):
            raise InputError("a rate with a constant that is no number")
        return made

    @cached_property
    def jacobian(self) -> Any:
        """(states, states) of expressions. Rates may have kinks, but a jump has no place in a Jacobian."""
        import casadi as ca

        rates = ca.Function("rates", [self.symbols], [self.expression])
        if ca.OP_SIGN in (rates.instruction_id(step) for step in range(rates.n_instructions())):
            raise InputError("a rate that jumps, with sign", fix="tanh(x / width), or fabs where there is only a kink")
        return ca.jacobian(self.expression, self.symbols[: len(self.states)])

    @cached_property
    def _evaluated(self) -> Any:
        import casadi as ca

        return ca.Function("system", [self.symbols], [ca.densify(self.expression), ca.densify(self.jacobian)])

    def rates_at(self, points: Array) -> Array:
        """(points, states) at states and inputs (points, names)."""
        return np.asarray(self._evaluated(points.T)[0]).T

    def jacobians_at(self, points: Array) -> Array:
        """(points, states, states) at states and inputs (points, names)."""
        size = len(self.states)
        return np.asarray(self._evaluated(points.T)[1]).reshape(size, len(points), size).swapaxes(0, 1)


def _constants(function: Any) -> list[float]:
    """All constants that a function is written with."""
    import casadi as ca

    steps = range(function.n_instructions())
    return [function.instruction_constant(step) for step in steps if function.instruction_id(step) == ca.OP_CONST]
