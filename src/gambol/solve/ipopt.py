"""The road to IPOPT: one set of options, progress, a way to stop, and a solution that says what happened."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gambol.geometry.arrays import Array
from gambol.solve.assemble import Functions, assemble, transposed
from gambol.solve.problem import Problem

Progress = Callable[[int, float, float], None]
"""Called with the iteration, the cost and the largest violation of a row; an exception it raises stops the solver."""

_WORDS = {
    "Solve_Succeeded": "converged",
    "Solved_To_Acceptable_Level": "converged to a looser tolerance",
    "Infeasible_Problem_Detected": "the constraints contradict each other",
    "Maximum_Iterations_Exceeded": "not converged: the iterations ran out",
    "User_Requested_Stop": "stopped",
    "Restoration_Failed": "not converged: no way back to the constraints was found",
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
"""Of IPOPT; `gambol bench sketch` shows what others cost."""
_PATIENCE, _SHARE, _FAR = 20, 0.01, 0.1
"""Iterations after which a row that is off by still this share of the worst in the start, and this far, never will be
kept: motions that can be have every row a hundred times nearer by then."""
_WARM: dict[str, Any] = {
    "warm_start_init_point": "yes",
    "mu_strategy": "monotone",
    "mu_init": 1e-4,
    "warm_start_bound_push": 1e-6,
    "warm_start_mult_bound_push": 1e-9,
    "warm_start_slack_bound_push": 1e-6,
}


class Warm(NamedTuple):
    """Where the search for a solution can begin: that of a problem of the same shape."""

    x: Array
    bounds: Array
    """Multipliers of the bounds, and of the rows."""
    rows: Array


@dataclass(frozen=True, eq=False)
class Solution:
    """What came out, and how well it keeps to what was asked."""

    x: Array
    converged: bool
    status: str
    """In words."""
    iterations: int
    cost: float
    costs: dict[str, float]
    """By term."""
    residuals: dict[str, float]
    """The largest violation of the rows of each name."""
    seconds: dict[str, float]
    """By part: assembly, evaluation, solver (factorisation and all that IPOPT does besides)."""
    warm: Warm = field(repr=False)
    """For a problem of the same shape to begin with."""


class _Watch(ca.Callback):
    """Tells progress, and carries an exception out of the solver."""

    def __init__(self, problem: Problem, progress: Progress) -> None:
        ca.Callback.__init__(self)
        self._size, self._rows, self._progress = problem.size, problem.row_count, progress
        self._low, self._high = problem.row_bounds
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
        sizes = {"f": 1, "x": self._size, "lam_x": self._size, "g": self._rows, "lam_g": self._rows}
        return ca.Sparsity.dense(sizes.get(ca.nlpsol_out(i), 0), 1)

    def eval(self, arg: Sequence[ca.DM]) -> list[int]:
        named = {ca.nlpsol_out(i): value for i, value in enumerate(arg)}
        rows = np.asarray(named["g"]).ravel()
        worst = float(np.max(np.maximum(self._low - rows, rows - self._high), initial=0.0))
        try:
            self._progress(self.iteration, float(named["f"]), worst)
        except BaseException as error:
            self.raised = error
        if self.iteration == 0:
            self.first = worst
        self.hopeless = self.iteration == _PATIENCE and worst > max(_SHARE * self.first, _FAR)
        self.iteration += 1
        return [int(self.stopped or self.hopeless or self.raised is not None)]


def solve(
    problem: Problem,
    *,
    iterations: int = 300,
    progress: Progress | None = None,
    after: Warm | None = None,
    fresh: int = 0,
    barrier: float = 0.0,
) -> Solution:
    """Solve a problem from its start, or but for its first `fresh` variables from the solution of one of its shape.

    With a `barrier` variables keep a little off their bounds, the further the larger it is, at a cost of so much for
    each time that the room is divided by e: where many are at their bounds and few of them matter, as with forces that
    several points share, that takes half the iterations. Rows are kept as exactly as without.
    """
    begun = time.perf_counter()
    if after is not None and (len(after.x), len(after.rows)) != (problem.size, problem.row_count):
        after = None
    functions = assemble(problem)
    watch = _Watch(problem, progress or (lambda *_: None))
    solver = ca.nlpsol(
        "solver", "ipopt", functions.problem, _settings(functions, watch, iterations, barrier, after is not None)
    )
    (low, high), (row_low, row_high) = problem.bounds, problem.row_bounds
    given = {"x0": problem.start, "lbx": low, "ubx": high, "lbg": row_low, "ubg": row_high}
    if after is not None:
        given |= {"x0": np.concatenate((problem.start[:fresh], after.x[fresh:]))}
        given |= {"lam_x0": after.bounds, "lam_g0": after.rows}
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
        residuals=_residuals(problem, np.array(functions.rows(x)).ravel()),
        seconds={
            "assembly": assembled - begun,
            "evaluation": evaluation,
            "solver": time.perf_counter() - assembled - evaluation,
        },
        warm=Warm(x, np.array(result["lam_x"]).ravel(), np.array(result["lam_g"]).ravel()),
    )


@contextmanager
def on_one_thread() -> Iterator[None]:
    """The same solution to the last bit wherever it is found: sums over several threads round differently."""
    _load()
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        yield


@cache
def _load() -> None:
    """Load all that adds up on threads: what is loaded later would not be held to one."""
    import scipy.linalg  # noqa: F401
    import threadpoolctl

    class Blas(threadpoolctl.OpenBLASController):
        """The one that the solver brings along."""

        filename_prefixes = ("libcasadi-tp-openblas",)

    ca.has_nlpsol("ipopt")
    threadpoolctl.register(Blas)


@contextmanager
def _between_iterations(watch: _Watch) -> Iterator[None]:
    """Signals that would stop the program wait for the end of an iteration, where the solver can be left cleanly."""
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


def _settings(functions: Functions, watch: _Watch, iterations: int, barrier: float, warm: bool) -> dict[str, Any]:
    kept = {"mu_target": barrier, "mu_strategy": "monotone", "mu_init": 1e-2, "compl_inf_tol": 10.0 * barrier}
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


def _residuals(problem: Problem, rows: Array) -> dict[str, float]:
    low, high = problem.row_bounds
    beyond = np.maximum(np.maximum(low - rows, rows - high), 0.0)
    names = problem.row_names
    return {str(name): float(beyond[names == name].max()) for name in dict.fromkeys(names)}


def _costs(problem: Problem, x: Array) -> dict[str, float]:
    entries, targets, weights, names = problem.squared()
    reached = np.bincount(entries.rows, weights=entries.values * x[entries.columns], minlength=len(targets))
    squares = weights * (reached - targets) ** 2
    costs = {str(name): float(squares[names == name].sum()) for name in dict.fromkeys(names)}
    for use in (use for use in problem.uses if use.kernel.has_cost):
        inputs = x[use.columns] if use.factors is None else x[use.columns] @ use.factors.T
        _, each = use.kernel.value.map(len(inputs))(transposed(inputs), transposed(use.parameters))
        costs[use.name] = costs.get(use.name, 0.0) + float(ca.sum2(each))
    return costs
