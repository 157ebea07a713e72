"""Demix signals of several channels: how many sources, which, with what weights and delays, and beside PCA."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from gambol.io.models import save_model
from gambol.learn.anechoic import AnechoicMixture, choose_order
from gambol.learn.anechoic.synthetic import KnownMixture, align_sources, make_random_mixture, measure_recovery


def main() -> None:
    """Eight trials of twelve channels that are mixed of three sources, noise added (20 dB)."""
    truth = make_random_mixture(8, 12, 64, 3, tied=True, seed=4)
    quick = AnechoicMixture(delays="tied", restarts=2, iterations=20)
    order = choose_order(truth.signals, (2, 3, 4), template=quick, folds=2)
    for count, score in zip(order.candidates, order.scores.mean(axis=1), strict=True):
        print(f"{count} sources: {100.0 * score:.1f} % of trials and samples that were left out")

    model = AnechoicMixture(order.chosen, delays="tied", restarts=4).fit(truth.signals)
    found = measure_recovery(truth, model.coefficients_, model.weights_, model.delays_)
    told = f"correlation {found.correlation:.4f}, delays within {100.0 * found.delay_rms:.2f} % of a cycle"
    print(f"{order.chosen} sources: {told}, {100.0 * model.variance_:.1f} % of the variance")
    print(f"{order.chosen} principal components: {100.0 * principal(truth.signals, order.chosen):.1f} %")
    save_model(model, Path("mixture.npz"))
    print("wrote mixture.npz")
    drawn(truth, model).savefig(Path("anechoic.png"))
    print("wrote anechoic.png")


def principal(signals: np.ndarray, count: int) -> float:
    """Share of variance that components without delays explain."""
    rows = (signals - signals.mean(axis=-1, keepdims=True)).reshape(-1, signals.shape[-1])
    sizes = np.linalg.svd(rows, compute_uv=False) ** 2
    return float(sizes[:count].sum() / sizes.sum())


def drawn(truth: KnownMixture, model: AnechoicMixture) -> Figure:
    """Some signals of a trial and what the model says; sources as they are and as they were found."""
    picture = Figure(figsize=(8.0, 3.0), layout="constrained", dpi=90)
    axes, times = picture.subplots(3, 2, sharex=True), np.linspace(0.0, 1.0, 200)
    made = model.inverse_transform(model.transform(truth.signals))
    sources = align_sources(truth, model.coefficients_)
    for n, (left, right) in enumerate(axes):
        left.plot(model.window.times, truth.signals[0, n], ".", color="0.55")
        left.plot(model.window.times, made[0, n], color="#1f5fa8")
        right.plot(times, truth.window.evaluate(truth.sources, times)[n], color="0.75", linewidth=5)
        right.plot(times, model.window.evaluate(sources, times)[n], color="#1f5fa8")
    for axis in axes.flat:
        axis.set(yticks=[])
    axes[0, 0].set_title("signals (dots) and model", fontsize=9)
    axes[0, 1].set_title("sources: true (grey) and found", fontsize=9)
    return picture


if __name__ == "__main__":
    main()
