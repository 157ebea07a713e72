"""`gambol bench responsive`: learn latents and dynamics of recorded walks, and infer frames, on one core.

Rows are the features of learned walkers. Compared with BCGPLVM of GPy: the same rows, kernels and first latents, 500
iterations of L-BFGS. It has no scales of columns, so all columns have deviation 1. Held-out rows are another walk of
the same person. Sparse evidence is compared with the exact one on the same rows, repeated with noise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from gambol.fit.load import load
from gambol.fit.rig import fit
from gambol.geometry.arrays import Array
from gambol.learn.gaussian import FrameInference, LatentDynamics, RbfKernel, ScaledGplvm
from gambol.learn.gaussian.evidence import evaluate_evidence
from gambol.respond.latent.examples import make_normal_walk
from gambol.respond.latent.features import FeatureLayout, compute_features, compute_loop_features, resample_poses
from gambol_evidence.bench.rows import NOT_INSTALLED, Row, measure_seconds

_CLIPS = ("35_01", "35_02", "35_03")
_HELD_OUT = "35_28"
_DIMENSIONS = 3
_GPY_ITERATIONS = 500
_FRAMES = 3000
_SIZES = (300, 1000, 3000)
_INDUCING = 100
_PEER = "GPy BCGPLVM"


@dataclass(frozen=True, eq=False)
class Walks:
    """Rows (frames, columns) with deviation 1 in every column: of a loop and several clips, and of a held-out clip."""

    clips: tuple[Array, ...]
    held_out: Array

    @property
    def rows(self) -> Array:
        """Rows of all clips to learn from."""
        return np.vstack(self.clips)


@dataclass(frozen=True, eq=False)
class _Learned:
    """What a model found: seconds, latents, kernel, and its reconstructions of the rows and of the held-out rows."""

    seconds: float
    latents: Array
    kernel: RbfKernel
    rebuilt: Array
    rebuilt_held_out: Array


def run() -> Iterator[Row]:
    """Yield the rows as they are measured, on CMU recordings of one person."""
    folder = Path(os.environ.get("GAMBOL_DATA", "")) / "cmu_bvh" / "walk"
    missing = [name for name in (*_CLIPS, _HELD_OUT) if not (folder / f"{name}.bvh").is_file()]
    if missing:
        yield Row("learn", math.nan, "s", note=f"no recordings {', '.join(missing)} in GAMBOL_DATA")
        return
    walks = load_walks(folder)
    with threadpool_limits(1):
        yield from _compare_learning(walks)
        yield from _time_frames(walks)
        yield from _time_sizes(walks)


def load_walks(folder: Path) -> Walks:
    """Load the recordings as rows of the features of walkers: a closed cycle of the first, and all clips."""
    motions = [load(folder / f"{name}.bvh") for name in (*_CLIPS, _HELD_OUT)]
    walk = make_normal_walk(motions[0])
    layout = FeatureLayout(walk.character)
    poses = [resample_poses(fit(walk.character, motion).motion.q, motion.frame_time) for motion in motions]
    clips = [compute_loop_features(layout, walk.loop), *(compute_features(layout, q) for q in poses)]
    deviations = np.vstack(clips[:-1]).std(axis=0)
    *scaled, held_out = (clip / deviations for clip in clips)
    return Walks(tuple(scaled), held_out)


def _compare_learning(walks: Walks) -> Iterator[Row]:
    model, ours = _learn(walks)
    theirs = None
    with suppress(ImportError):
        theirs = _learn_gpy(walks, model)
    yield Row("rows", float(len(walks.rows)), "rows")
    yield Row("columns", float(walks.rows.shape[1]), "columns")
    linear = _rebuild_linearly(walks)
    figures = _measure(walks, ours)
    others = None if theirs is None else _measure(walks, theirs)
    for name, unit in (
        ("learn", "s"),
        ("density", "per value"),
        ("rebuilt", "deviations"),
        ("rebuilt-held-out", "deviations"),
    ):
        if others is None:
            yield Row(name, figures[name], unit, _PEER, note=NOT_INSTALLED)
        else:
            ratio = others[name] / figures[name]
            yield Row(name, figures[name], unit, _PEER, others[name], 1.0 / ratio if name == "density" else ratio)
        if name in linear:
            found = figures[name]
            yield Row(name, found, unit, f"{_DIMENSIONS} principal components", linear[name], linear[name] / found)
    if others is not None:
        seconds = _time_to_density(walks, others["density"])
        yield Row("learn-to-equal-density", seconds, "s", _PEER, others["learn"], others["learn"] / seconds)


def _time_to_density(walks: Walks, density: float) -> float:
    """Return the seconds of the fewest tens of iterations that reach a density; nan if the default ones do not."""
    for iterations in range(10, ScaledGplvm().iterations + 1, 10):
        _, found = _learn(walks, iterations)
        if _measure(walks, found)["density"] >= density:
            return found.seconds
    return math.nan


def _measure(walks: Walks, learned: _Learned) -> dict[str, float]:
    """Return the figures of a model. Density is the geometric mean likelihood of a value, with the best scales."""
    rows = walks.rows - walks.rows.mean(axis=0)
    found = evaluate_evidence(learned.kernel, learned.latents, rows, scaled=True)
    return {
        "learn": learned.seconds,
        "density": math.exp(-found.value / rows.size - 0.5 * math.log(2.0 * math.pi)),
        "rebuilt": _deviation(learned.rebuilt, walks.rows),
        "rebuilt-held-out": _deviation(learned.rebuilt_held_out, walks.held_out),
    }


def _learn(walks: Walks, iterations: int = ScaledGplvm().iterations) -> tuple[ScaledGplvm, _Learned]:
    begun = perf_counter()
    model = ScaledGplvm(_DIMENSIONS, iterations=iterations).fit(walks.rows)
    seconds = perf_counter() - begun
    rebuilt = model.inverse_transform(model.latents_)
    held_out = model.inverse_transform(model.transform(walks.held_out))
    return model, _Learned(seconds, model.latents_, model.posterior_.rbf, rebuilt, held_out)


def _learn_gpy(walks: Walks, ours: ScaledGplvm) -> _Learned:
    """Learn with GPy: the same back kernel and first latents."""
    import GPy

    rows = walks.rows - ours.mean_
    width = 1.0 / math.sqrt(ours.back_kernel_.inverse_widths[0])
    mapping = GPy.mappings.Kernel(rows.shape[1], _DIMENSIONS, rows, GPy.kern.RBF(rows.shape[1], 1.0, width))
    first = ScaledGplvm(_DIMENSIONS, iterations=1).fit(walks.rows)
    mapping.A[:] = first.back_weights_
    mapping.kern.fix()
    begun = perf_counter()
    model = GPy.models.BCGPLVM(rows, _DIMENSIONS, kernel=GPy.kern.RBF(_DIMENSIONS), mapping=mapping)
    model.likelihood.variance = 0.1
    model.optimize("lbfgsb", max_iters=_GPY_ITERATIONS)
    seconds = perf_counter() - begun
    latents = np.array(mapping.f(rows))
    kernel = RbfKernel(
        float(model.kern.variance[0]),
        (float(model.kern.lengthscale[0]) ** -2,),
        1.0 / float(model.likelihood.variance[0]),
    )
    held_out = model.predict(mapping.f(walks.held_out - ours.mean_))[0] + ours.mean_
    return _Learned(seconds, latents, kernel, model.predict(latents)[0] + ours.mean_, held_out)


def _rebuild_linearly(walks: Walks) -> dict[str, float]:
    """Return the same errors of principal components."""
    from sklearn.decomposition import PCA

    linear = PCA(_DIMENSIONS).fit(walks.rows)
    named = {"rebuilt": walks.rows, "rebuilt-held-out": walks.held_out}
    return {name: _deviation(linear.inverse_transform(linear.transform(rows)), rows) for name, rows in named.items()}


def _deviation(one: Array, other: Array) -> float:
    return float(np.sqrt(((one - other) ** 2).mean()))


def _time_frames(walks: Walks) -> Iterator[Row]:
    """Time the dynamics, and a free run."""
    for kind, inducing in (("", None), (f"-sparse-{_INDUCING}", _INDUCING)):
        model = ScaledGplvm(_DIMENSIONS, n_inducing=inducing).fit(walks.rows)
        latents = np.split(model.latents_, np.cumsum([len(clip) for clip in walks.clips])[:-1])
        begun = perf_counter()
        dynamics = LatentDynamics(n_inducing=inducing).fit(latents, [n == 0 for n in range(len(latents))])
        yield Row(f"dynamics{kind}", perf_counter() - begun, "s")
        inference, last = FrameInference(model, dynamics), latents[0][:1]
        begun = perf_counter()
        for _ in range(_FRAMES):
            last = inference.infer_next(last).latent[None]
        yield Row(f"frames{kind}", _FRAMES / (perf_counter() - begun), "frames/s")


def _time_sizes(walks: Walks) -> Iterator[Row]:
    """Time one evaluation of the evidence with all derivatives, sparse beside exact."""
    random = np.random.default_rng(0)
    kernel = RbfKernel()
    for size in _SIZES:
        rows = np.resize(walks.rows, (size, walks.rows.shape[1]))
        rows = rows + 0.05 * random.normal(size=rows.shape)
        left, sizes, _ = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
        latents = left[:, :_DIMENSIONS] * (sizes[:_DIMENSIONS] / sizes[0] * math.sqrt(size))
        some = np.linspace(0, size - 1, _INDUCING).astype(int)
        exact, sparse = (
            measure_seconds(lambda each=each: evaluate_evidence(kernel, latents, rows, each, scaled=True), 3)  # type: ignore[misc]  # noqa: B023
            for each in (None, some)
        )
        yield Row(f"evaluation-{size}", 1000.0 * sparse, "ms", "exact", 1000.0 * exact, exact / sparse)
