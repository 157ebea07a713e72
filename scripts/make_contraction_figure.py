"""Draw the figure of docs/contraction.md: certified and simulated decay, and where headings contract."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from gambol.contraction.graphs import all_to_all_graph, grid_graph, ring_graph
from gambol.features.strides import find_strides
from gambol.io import samples
from gambol.primitives.crowd.certificates.phases import certify_phases
from gambol.primitives.crowd.certificates.steps import StepSizeDynamics, certify_step_sizes
from gambol.primitives.crowd.profile import SpeedProfile
from gambol_evidence.contraction.intervals import IntervalFunction
from gambol_evidence.contraction.passing import heading_system, yielding_system
from gambol_evidence.reproduce.crowd.decay import Decay, simulate_formation, simulate_oscillators

FILE = Path(__file__).parent.parent / "docs" / "img" / "contraction.png"
GRAPHS = ((all_to_all_graph(36), "#2a6fbb"), (grid_graph(6, 6), "#3a9a5b"), (ring_graph(36), "#c98a1b"))
RUNS = 12


def main() -> None:
    """Draw three panels side by side."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(10.0, 3.2), layout="constrained")
    draw_phases(left)
    draw_formation(middle)
    draw_obstacle(right)
    figure.savefig(FILE, dpi=90)


def draw_phases(axes: Axes) -> None:
    """Draw the phase differences of 36 oscillators from starts of all sizes."""
    random = np.random.default_rng(0)
    for graph, colour in GRAPHS:
        sizes = 10.0 ** random.uniform(-2.0, 0.3, (RUNS, 1))
        starts = sizes * (random.normal(size=(RUNS, 36)) + 1j * random.normal(size=(RUNS, 36)))
        coupling = 3.0 / graph.connectivity
        runs = simulate_oscillators(graph, coupling, 1.0, starts, 4.0)
        draw_runs(axes, runs, colour, graph.name, certify_phases(graph, coupling, 1.0).rate)
    axes.set_title("differences of gait phase")
    axes.legend(frameon=False, fontsize=8, loc="lower left")


def draw_formation(axes: Axes) -> None:
    """Draw two crowds of 36 with random phases that adapt their step size, with the speed of the built-in walk."""
    random, stride = np.random.default_rng(1), find_strides(samples.walk())[0]
    profile = SpeedProfile.of(stride.root[:-1, 1])
    for graph, colour in GRAPHS:
        walkers = StepSizeDynamics(graph, 0.7 / graph.connectivity, 1.3, profile)
        any_phases = random.uniform(0.0, 2.0 * np.pi, (RUNS, 36))
        runs = simulate_formation(walkers, np.inf, any_phases, stride.period, random.normal(size=(RUNS, 36)), 8.0)
        draw_runs(axes, runs, colour, graph.name, certify_step_sizes(walkers).rate)
    axes.set_title("differences of place, by step size")


def draw_runs(axes: Axes, runs: Decay, colour: str, name: str, rate: float) -> None:
    """Draw the runs of one graph, and the certified bound."""
    axes.semilogy(runs.times, runs.norms / runs.norms[0], color=colour, alpha=0.5, linewidth=0.8)
    axes.semilogy([], [], color=colour, label=name)
    axes.semilogy(runs.times, np.exp(-rate * runs.times), "k--", linewidth=1.2)
    axes.set(xlabel="seconds", ylim=(1e-5, 2.0), xlim=(0.0, runs.times[-1]))


def draw_obstacle(axes: Axes) -> None:
    """Draw where the heading contracts, by heading and weight of an obstacle in the direction of the goal.

    Colours: a walker who does not yield. Dashed: beyond, a walker who yields contracts whatever the other one does.
    """
    sides, weights = np.linspace(-1.4, 1.4, 141), np.linspace(0.0, 1.0, 61)
    low = np.stack(np.meshgrid(sides[:-1], weights[:-1], indexing="ij"), axis=-1).reshape(-1, 2)
    high = np.stack(np.meshgrid(sides[1:], weights[1:], indexing="ij"), axis=-1).reshape(-1, 2)
    low, high = (np.insert(end, 1, 0.0, axis=1) for end in (low, high))
    plain, yields = heading_system(), yielding_system()
    below, above = IntervalFunction(plain.symbols, plain.jacobian)(low, high)
    known = np.where(above[:, 0] < 0.0, 0, np.where(below[:, 0] > 0.0, 2, 1)).reshape(len(sides) - 1, -1)
    axes.pcolormesh(sides, weights, known.T, cmap=ListedColormap(["#bcd7ee", "#f4f4f4", "#e8a59a"]), vmin=0, vmax=2)
    other = np.broadcast_to((0.0, -np.pi), low.shape[:1] + (2,)), np.broadcast_to((1.0, np.pi), low.shape[:1] + (2,))
    ends = (np.concatenate(pair, axis=1) for pair in zip((low, high), other, strict=True))
    _, above = IntervalFunction(yields.symbols, yields.jacobian)(*ends)
    middles = 0.5 * (sides[1:] + sides[:-1]), 0.5 * (weights[1:] + weights[:-1])
    certain = (above[:, 0] < 0.0).reshape(known.shape).T.astype(float)
    axes.contour(*middles, certain, levels=[0.5], colors="k", linewidths=1.0, linestyles="dashed")
    for x, label in (
        (-0.42, "contracts"),
        (0.6, "contracts"),
        (0.1, "parts"),
        (-1.06, "yields,\ntoo"),
        (1.16, "yields,\ntoo"),
    ):
        axes.text(x, 0.55, label, ha="center", va="center", fontsize=8)
    axes.set(xlabel="heading to the left of an obstacle (rad)", ylabel="weight of the obstacle")
    axes.set_title("a walker past an obstacle")


if __name__ == "__main__":
    main()
