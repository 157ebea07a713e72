"""Solve a problem with IPOPT: solver options, progress, interruption, and the solution with its residuals and costs."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent
from gambol.solve.assemble import NlpFunctions, assemble, to_columns
from gambol.solve.problem import Problem

"""Called with iteration, cost and largest constraint violation; an exception that it raises stops the solver."""

_WORDS = {
    "Solve_Succeeded": "converged",
    "Solved_To_Acceptable_Level": "converged to a looser tolerance",
    "Infeasible_Problem_Detected": "the constraints contradict each other",
    "Maximum_Iterations_Exceeded": "not converged: the iterations ran out",
    "User_Requested_Stop": "stopped",
    "Restoration_Failed": "not converged: the constraints could not be restored",
    "Maximum_CpuTime_Exceeded": "not converged: the time ran out",
}
OPTIONS: dict[str, Any] = {
    "print_level": 0,
    "sb": "yes",
    "tol": 1e-6,
    "constr_viol_tol": 1e-7,
    "acceptable_iter": 0,
    "max_resto_iter": 20,
    "mu_strategy": "adaptive",
}
"""Options of IPOPT; `gambol bench sketch` measures alternatives."""
_COUPLED: dict[str, Any] = {"mumps_pivot_order": 0}
"""Minimum degree ordering takes 0.6 times as long as the one that MUMPS chooses where two characters hold each other;
with redundant constraints it is less precise."""
_PATIENCE, _SHARE, _FAR = 20, 0.01, 0.1
"""The problem is reported as infeasible if after _PATIENCE iterations the largest violation is still above _FAR, and
above the share _SHARE of that at the start. In feasible motions it has fallen a hundredfold by then."""
FINAL_BARRIER = 1e-4
"""Final barrier parameter where the exact optimum does not matter: joint angles within 0.3 degrees of it, in two thirds
of the iterations."""
_BARRIER: dict[str, Any] = {
    "mu_strategy": "monotone",
    "mu_init": 1e-2,
    "bound_mult_init_method": "mu-based",
    "barrier_tol_factor": 1e3,
}
"""With a barrier that stays, those before it need not be solved precisely: 3 of 12 to 17 iterations fewer."""
_WARM: dict[str, Any] = {
    "warm_start_init_point": "yes",
    "mu_strategy": "monotone",
    "mu_init": 1e-4,
    "warm_start_bound_push": 1e-6,
    "warm_start_mult_bound_push": 1e-9,
    "warm_start_slack_bound_push": 1e-6,
}


class SolverState(NamedTuple):
    """A primal and dual solution, from which a problem of the same shape can be warm-started."""

    x: Array
    bounds: Array
    """Multipliers of the bounds."""
    constraints: Array
    """Multipliers of the constraints."""


@dataclass(frozen=True, eq=False)
class Solution:
    """The result of a solve, with costs, residuals and timings."""

    x: Array
    converged: bool
    status: str
    """Why the solver stopped, in words."""
    iterations: int
    cost: float
    costs: dict[str, float]
    """Cost by name."""
    residuals: dict[str, float]
    """Largest constraint violation by name."""
    seconds: dict[str, float]
    """Wall time by part: assembly, evaluation, solver (factorisation and the rest of IPOPT)."""
    state: SolverState = field(repr=False)
    """For a warm start of a problem of the same shape."""


class _Watch(ca.Callback):
    """Reports progress, and carries an exception out of the solver."""

    def __init__(self, problem: Problem, progress: Progress, patience: int) -> None:
        ca.Callback.__init__(self)
        self._patience = patience
        self._size, self._constraints, self._progress = problem.size, problem.constraint_count, progress
        self._low, self._high = problem.constraint_bounds
        self.iteration = 0
        self.raised: BaseException | None = None
        self.stopped = self.hopeless = False
        self.first = 0.0
        self.construct("watch", {})

    def get_n_in(self) -> int:
        return int(ca.nlpsol_n_out())

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, i: int) -> str:
        return str(ca.nlpsol_out(i))

    def get_sparsity_in(self, i: int) -> ca.Sparsity:
        sizes = {"f": 1, "x": self._size, "lam_x": self._size, "g": self._constraints, "lam_g": self._constraints}
        return ca.Sparsity.dense(sizes.get(ca.nlpsol_out(i), 0), 1)

    def eval(self, arg: Sequence[ca.DM]) -> list[int]:
        named = {ca.nlpsol_out(i): value for i, value in enumerate(arg)}
        values = np.asarray(named["g"]).ravel()
        worst = float(np.max(np.maximum(self._low - values, values - self._high), initial=0.0))
        try:
            if self.iteration:
                cost = float(named["f"])
                self._progress(f"solving (cost {cost:.3g}, residual {worst:.1e}): iteration", self.iteration, None)
        except BaseException as error:
            self.raised = error
        if self.iteration == 0:
            self.first = worst
        self.hopeless = self.iteration == self._patience and worst > max(_SHARE * self.first, _FAR)
        self.iteration += 1
        return [int(self.stopped or self.hopeless or self.raised is not None)]


def solve(
    problem: Problem,
    *,
    iterations: int = 300,
    progress: Progress = silent,
    warm_start: SolverState | None = None,
    fresh: int = 0,
    barrier: float = 0.0,
    least_barrier: float = 0.0,
    patience: int = _PATIENCE,
    coupled: bool = False,
) -> Solution:
    """Solve a problem from its start values, or from the solution of a problem of the same shape.

    With a `warm_start`, the first `fresh` variables still begin at the problem's own start values; a state of another
    shape is ignored. `barrier` (IPOPT's `mu_target`) is the weight of a log barrier that keeps variables off their
    bounds. Where many variables are at their bounds and few of them matter, as with forces that several points share,
    it halves the number of iterations. Constraints are satisfied to the same tolerance. `least_barrier` (`mu_min`) is
    one that is approached adaptively: it saves fewer iterations, and difficult problems converge too. `patience` is the
    number of iterations after which constraints that are still far from satisfied are taken for infeasible. `coupled`
    is for problems of several characters: it orders the unknowns otherwise for the factorisation.
    """
    begun = time.perf_counter()
    shape = (problem.size, problem.constraint_count)
    if warm_start is not None and (len(warm_start.x), len(warm_start.constraints)) != shape:
        warm_start = None
    functions = assemble(problem)
    watch = _Watch(problem, progress, patience)
    settings = _settings(functions, watch, iterations, barrier, warm_start is not None)
    settings["ipopt"] |= _COUPLED if coupled else {}
    settings["ipopt"] |= {"mu_min": least_barrier, "tol": 3.0 * least_barrier} if least_barrier else {}
    solver = ca.nlpsol("solver", "ipopt", functions.problem, settings)
    (low, high), (least, most) = problem.bounds, problem.constraint_bounds
    given = {"x0": problem.start, "lbx": low, "ubx": high, "lbg": least, "ubg": most}
    if warm_start is not None:
        given |= {"x0": np.concatenate((problem.start[:fresh], warm_start.x[fresh:]))}
        given |= {"lam_x0": warm_start.bounds, "lam_g0": warm_start.constraints}
    assembled = time.perf_counter()
    with _between_iterations(watch):
        result = solver(**given)
    if watch.raised is not None:
        raise watch.raised
    stats = solver.stats()
    evaluation = sum(seconds for name, seconds in stats.items() if name.startswith("t_wall_nlp_"))
    x = np.array(result["x"]).ravel()
    ended = "Infeasible_Problem_Detected" if watch.hopeless else stats["return_status"]
    return Solution(
        x=x,
        converged=bool(stats["success"]),
        status=_WORDS.get(ended, ended.replace("_", " ").lower()),
        iterations=int(stats["iter_count"]),
        cost=float(result["f"]),
        costs=_costs(problem, x),
        residuals=_residuals(problem, np.array(functions.constraints(x)).ravel()),
        seconds={
            "assembly": assembled - begun,
            "evaluation": evaluation,
            "solver": time.perf_counter() - assembled - evaluation,
        },
        state=SolverState(x, np.array(result["lam_x"]).ravel(), np.array(result["lam_g"]).ravel()),
    )


@contextmanager
def on_one_thread() -> Iterator[None]:
    """Limit solves to one thread, which makes them reproducible bit by bit: sums over threads round differently."""
    _load()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


@cache
def _load() -> None:
    """Load all libraries with thread pools: the limit does not apply to those loaded later."""
    import scipy.linalg  # noqa: F401
    import threadpoolctl

    class Blas(threadpoolctl.OpenBLASController):
        """The OpenBLAS that CasADi ships."""

        filename_prefixes = ("libcasadi-tp-openblas",)

    ca.has_nlpsol("ipopt")
    threadpoolctl.register(Blas)


@contextmanager
def _between_iterations(watch: _Watch) -> Iterator[None]:
    """Defer SIGINT and SIGTERM to the end of an iteration, where the solver can be left cleanly."""
    waiting: list[tuple[Any, int, Any]] = []
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in handlers.items():
        if callable(handler):

            def wait(received: int, frame: Any, handler: Any = handler) -> None:
                watch.stopped = True
                waiting.append((handler, received, frame))

            signal.signal(number, wait)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    for handler, received, frame in waiting:
        handler(received, frame)


def _settings(functions: NlpFunctions, watch: _Watch, iterations: int, barrier: float, warm: bool) -> dict[str, Any]:
    kept = _BARRIER | {"mu_target": barrier, "compl_inf_tol": 10.0 * barrier}
    return {
        "ipopt": OPTIONS | {"max_iter": iterations} | (kept if barrier else {}) | (_WARM if warm else {}),
        "grad_f": functions.gradient,
        "jac_g": functions.jacobian,
        "hess_lag": functions.hessian,
        "iteration_callback": watch,
        "print_time": False,
        "record_time": True,
        "error_on_fail": False,
        "calc_lam_p": False,
        "calc_f": False,
        "calc_g": False,
        "no_nlp_grad": True,
    }


def _residuals(problem: Problem, values: Array) -> dict[str, float]:
    low, high = problem.constraint_bounds
    beyond = np.maximum(np.maximum(low - values, values - high), 0.0)
    names = problem.constraint_names
    return {str(name): float(beyond[names == name].max()) for name in dict.fromkeys(names)}


def _costs(problem: Problem, x: Array) -> dict[str, float]:
    entries, targets, weights, names = problem.square_terms()
    reached = np.bincount(entries.rows, weights=entries.values * x[entries.columns], minlength=len(targets))
    squares = weights * (reached - targets) ** 2
    costs = {str(name): float(squares[names == name].sum()) for name in dict.fromkeys(names)}
    for use in (use for use in problem.uses if use.kernel.has_cost):
        inputs = use.compute_inputs(x)
        _, each = use.kernel.value.map(len(inputs))(to_columns(inputs), to_columns(use.parameters))
        costs[use.name] = costs.get(use.name, 0.0) + float(ca.sum2(each))
    return costs
