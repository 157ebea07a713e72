"""A system of differential equations as CasADi expressions, for Jacobians, bounds and simulation."""

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
    """Named states, inputs that may take any value in their range at any time, and the rates of the states."""

    states: tuple[str, ...]
    rates: Callable[..., Sequence[Any]]
    """Function of the states and inputs (CasADi symbols) that returns one rate per state: `lambda x, v: (v, -x)`."""
    inputs: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the states, then of the inputs."""
        return (*self.states, *self.inputs)

    @cached_property
    def symbols(self) -> Any:
        """Column of states and inputs."""
        import casadi as ca

        return ca.vertcat(*(ca.SX.sym(name) for name in self.names))

    @cached_property
    def expression(self) -> Any:
        """Column of rates."""
        import casadi as ca

        if not self.states:
            raise InputError("a system has no states", fix="name at least one")
        try:
            rates = self.rates(*(self.symbols[n] for n in range(len(self.names))))
            if isinstance(rates, ca.SX):  # CasADi before 3.8.2 raises a plain Exception when one is iterated
                raise TypeError("one CasADi expression")
            rates = list(rates)
            made = ca.vertcat(*(ca.SX(rate) for rate in rates))
        except (TypeError, NotImplementedError) as error:
            words = " ".join(str(error).split())[:80]
            raise InputError(
                f"the rates cannot be evaluated: {words}", fix="return a tuple of CasADi expressions"
            ) from None
        if len(rates) != len(self.states):
            raise InputError(
                f"{len(rates)} rates for {len(self.states)} states", fix="return one rate per state, in order"
            )
        function = ca.Function("rates", [self.symbols], [made])
        if not all(np.isfinite(value) for value in _constants(function)):
            raise InputError("a rate contains a constant that is not finite")
        return made

    @cached_property
    def jacobian(self) -> Any:
        """(states, states) of expressions. Rates may have kinks but not jumps, which have no Jacobian."""
        import casadi as ca

        rates = ca.Function("rates", [self.symbols], [self.expression])
        if ca.OP_SIGN in (rates.instruction_id(step) for step in range(rates.n_instructions())):
            raise InputError("a rate jumps (sign)", fix="use tanh(x / width), or fabs for a kink")
        return ca.jacobian(self.expression, self.symbols[: len(self.states)])

    @cached_property
    def _evaluated(self) -> Any:
        import casadi as ca

        return ca.Function("system", [self.symbols], [ca.densify(self.expression), ca.densify(self.jacobian)])

    def rates_at(self, points: Array) -> Array:
        """Return rates (points, states) at states and inputs (points, names)."""
        return np.asarray(self._evaluated(points.T)[0]).T

    def jacobians_at(self, points: Array) -> Array:
        """Return Jacobians (points, states, states) at states and inputs (points, names)."""
        size = len(self.states)
        return np.asarray(self._evaluated(points.T)[1]).reshape(size, len(points), size).swapaxes(0, 1)


def _constants(function: Any) -> list[float]:
    """Return all constants in a function."""
    import casadi as ca

    steps = range(function.n_instructions())
    return [function.instruction_constant(step) for step in steps if function.instruction_id(step) == ca.OP_CONST]
