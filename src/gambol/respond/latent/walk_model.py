"""One model of a normal walk and its pushed examples: latents, their dynamics and their phases (YL10 section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.errors import InputError
from gambol.geometry.arrays import Array, check_shapes
from gambol.io.packed import build
from gambol.learn.gaussian import FrameInference, LatentDynamics, ScaledGplvm
from gambol.respond.latent.examples import ExamplePush, SolvedExample
from gambol.respond.latent.features import FeatureLayout, compute_features
from gambol.respond.latent.phases import interpolate_loop, match_phases

_PHASE_ERROR = 2.0
"""Frames of phase that count as one step of the features."""
_DRIFT = 3.0
"""Frames by which the phase of a latent may differ from the expected one."""
_NEAR = 0.5
"""Distance in steps within which training frames count as equally near."""

_STALLED = 0.25
"""Steps between successive latents below which they have stopped; on walks they are at least 0.6 apart."""
_NEARER = 0.9
"""Share of the distance from the ring that a frame leaves then."""
_SHORTEST = 3
"""Frames of a walk."""
_PUSHED = 9
"""Frames from the onset of an example's push in which pushed walkers look for their latent: 0.2 s of push and 0.1 s."""


class TrainingOptions(NamedTuple):
    """How the latents of a walk are learned."""

    dimensions: int = 3
    """Of a latent: 2, 3 or 4."""
    order: int = 1
    """Of the dynamics. The paper has 2; features hold two poses, so 1 has the velocity as well."""
    printed: bool = False
    """Inference and noise as printed (`FrameInference.printed`)."""
    n_inducing: int | None = None
    """Inducing inputs of sparse processes; None: exact."""


@dataclass(frozen=True, eq=False)
class WalkModel:
    """Latents of a normal walk and of pushed examples, made by `learn_walk_model`.

    Frames of the normal walk come first, then those of the examples one after the other.
    """

    gplvm: ScaledGplvm
    dynamics: LatentDynamics
    rows: Array
    """(frames, D) features."""
    period: int
    """Frames of the normal walk."""
    phases: Array
    """(frames,) frame of the normal walk that every training frame corresponds to."""
    lengths: tuple[int, ...]
    """Frames of the examples."""
    pushes: tuple[ExamplePush, ...]
    """What pushed the examples."""
    onsets: tuple[int, ...]
    """Frames of the examples in which the pushes begin."""
    printed: bool = False
    turn: float = 15.0
    """Degrees between directions of pushes that count as one step of the features."""

    def __post_init__(self) -> None:
        frames, columns = self.period + sum(self.lengths), len(self.gplvm.mean_)
        check_shapes(self, rows=(frames, columns), phases=(frames,))
        check_shapes(self.gplvm, latents_=(frames, self.dynamics.posterior_.weights.shape[1]))
        if self.period < _SHORTEST or min(self.lengths, default=1) < 1 or not self.turn > 0.0:
            raise InputError(f"a walk of {self.period} frames, and examples of {self.lengths}")
        within = all(0 <= onset < length for onset, length in zip(self.onsets, self.lengths, strict=True))
        if len(self.pushes) != len(self.lengths) or not within:
            raise InputError("every example needs a push, which begins within it")

    @cached_property
    def inference(self) -> FrameInference:
        """Inference of the next frame."""
        return FrameInference(self.gplvm, self.dynamics, self.printed)

    @property
    def order(self) -> int:
        """Number of last latents that determine the next."""
        return self.dynamics.order

    @property
    def step(self) -> float:
        """Mean distance between successive latents."""
        return self.dynamics.step_

    @property
    def normal(self) -> Array:
        """(period, D) features of the normal walk."""
        return self.rows[: self.period]

    @cached_property
    def row_step(self) -> float:
        """Mean distance between successive feature vectors of the normal walk."""
        return float(np.linalg.norm(np.diff(self.normal, axis=0), axis=1).mean())

    @cached_property
    def speed(self) -> float:
        """What a push of an example gives to the centre of mass (m/s), the mean of all; 0 without examples."""
        return float(np.mean([push.speed for push in self.pushes])) if self.pushes else 0.0

    @cached_property
    def ring(self) -> Array:
        """(period, dimensions) latents of the normal walk."""
        return self.gplvm.latents_[: self.period]

    @cached_property
    def owners(self) -> Array:
        """(frames,) number of the example of every training frame; -1 for the normal walk."""
        return np.repeat(np.arange(-1, len(self.lengths)), (self.period, *self.lengths))

    def infer_next(self, latents: Array, rows: Array, phase: float) -> tuple[Array, Array]:
        """Return the next latent (dimensions,) and features (D,) after the last ones (order, ...) at a phase.

        A model may have a latent that stays where it is; from there the next one lies as on the ring, and nearer to it.
        """
        found = self.inference.infer_next(latents, rows)
        if self.printed or np.linalg.norm(found.latent - latents[-1]) > _STALLED * self.step:
            return found.latent, found.row
        away = latents[-1] - interpolate_loop(self.ring, phase)
        latent = interpolate_loop(self.ring, phase + 1.0) + _NEARER * away
        return latent, self.gplvm.inverse_transform(latent[None])[0]

    def find_phase(self, latent: Array, about: float) -> float:
        """Return the frame of the normal walk that a latent (dimensions,) corresponds to, a fraction included.

        It should be `about` known: lines of different phases may pass each other in few dimensions.
        """
        apart = ((self.gplvm.latents_ - latent) ** 2).sum(axis=1) / self.step**2
        apart += (self._measure_lateness(about) / _DRIFT) ** 2
        weights = np.exp(-0.5 * (apart - apart.min()))
        turns = weights @ np.exp(2j * np.pi / self.period * self.phases)
        return float(np.angle(turns) / (2.0 * np.pi) * self.period) % self.period

    def _measure_lateness(self, phase: float) -> Array:
        """Return the differences (frames,) of all training frames from a phase, in frames."""
        half = 0.5 * self.period
        return (self.phases - phase + half) % self.period - half

    def find_normal(self, phase: float) -> Array:
        """Return the features (D,) of the normal walk at a phase (frames)."""
        return interpolate_loop(self.normal, phase)

    def measure_distance(self, latent: Array) -> float:
        """Return the distance of a latent from the closed line of the normal walk, in steps."""
        ends = np.roll(self.ring, -1, axis=0) - self.ring
        share = np.clip(((latent - self.ring) * ends).sum(axis=1) / (ends**2).sum(axis=1), 0.0, 1.0)
        apart = np.linalg.norm(self.ring + share[:, None] * ends - latent, axis=1)
        return float(apart.min()) / self.step

    def locate(self, row: Array, phase: float) -> Array:
        """Return the latent (dimensions,) of features (D,) whose phase is about known, among all training frames."""
        return self._mix(row, phase, np.arange(len(self.rows)))

    def locate_pushed(self, row: Array, phase: float, direction: float) -> Array:
        """Return the latent (dimensions,) of features (D,) under a push, among frames in which examples are pushed.

        Examples pushed in a similar direction (degrees) count as nearer.
        """
        frames = self._pushed_frames
        if not self.pushes:
            return self._mix(row, phase, frames)
        turned = np.array([push.measure_turn(direction) for push in self.pushes])[self.owners[frames]]
        return self._mix(row, phase, frames, (turned / self.turn) ** 2)

    def _mix(self, row: Array, phase: float, frames: NDArray[np.intp], farther: Array | float = 0.0) -> Array:
        """Return the mean of the latents of those training frames that are nearest; `farther` adds to distances.

        Distances are between features as they are. The likelihood of the latent model divides every column by its
        spread, and pushes spread velocities most: by it pushes are hardly told apart.
        """
        late = self._measure_lateness(phase)[frames]
        apart = ((self.rows[frames] - row) ** 2).sum(axis=1) / self.row_step**2 + (late / _PHASE_ERROR) ** 2 + farther
        weights = np.exp(-0.5 * (apart - apart.min()) / _NEAR**2)
        return np.asarray(weights @ self.gplvm.latents_[frames] / weights.sum())

    @cached_property
    def _pushed_frames(self) -> NDArray[np.intp]:
        begins = np.cumsum((self.period, *self.lengths))[:-1]
        spans = [
            np.arange(begin + onset + 1, begin + min(length, onset + _PUSHED + 1))
            for begin, length, onset in zip(begins, self.lengths, self.onsets, strict=True)
        ]
        return np.concatenate(spans) if spans else np.arange(self.period)


def learn_walk_model(
    layout: FeatureLayout,
    normal: Array,
    examples: Sequence[SolvedExample],
    options: TrainingOptions = TrainingOptions(),
) -> WalkModel:
    """Learn from the features (period, D) of one loop of a normal walk, and from pushed examples."""
    if options.dimensions not in (2, 3, 4):
        raise InputError(f"{options.dimensions!r} latent dimensions", fix="choose 2, 3 or 4")
    pushed = [compute_features(layout, example.poses) for example in examples]
    rows = np.concatenate([normal, *pushed])
    gplvm = ScaledGplvm(options.dimensions, printed=options.printed, n_inducing=options.n_inducing)
    gplvm.fit(rows, mean=normal.mean(axis=0))
    lengths = [len(features) for features in pushed]
    runs = np.split(gplvm.latents_, np.cumsum([len(normal), *lengths])[:-1])
    floor = {"noise_floor": 0.0} if options.printed else {}
    dynamics = LatentDynamics(options.order, n_inducing=options.n_inducing, **floor)
    dynamics.fit(runs, closed=[True] + [False] * len(examples))
    matched = [match_phases(normal, features) for features in pushed]
    return WalkModel(
        gplvm,
        dynamics,
        rows,
        len(normal),
        np.concatenate([np.arange(len(normal), dtype=float), *matched]),
        tuple(lengths),
        tuple(example.push for example in examples),
        tuple(example.onset - 1 for example in examples),  # the first feature vector is that of the second pose
        options.printed,
    )


_PLAIN = tuple(field.name for field in fields(WalkModel) if field.name not in ("gplvm", "dynamics"))


def pack_walk_model(model: WalkModel) -> dict[str, Any]:
    """Return a model as named values of a file."""
    parts = {name: getattr(model, name) for name in _PLAIN}
    return {"gplvm": model.gplvm.to_values(), "dynamics": model.dynamics.to_values(), **parts}


def unpack_walk_model(values: Mapping[str, Any]) -> WalkModel:
    """Return the model of `pack_walk_model`."""
    gplvm, dynamics = ScaledGplvm.from_values(values["gplvm"]), LatentDynamics.from_values(values["dynamics"])
    return build(WalkModel, {"gplvm": gplvm, "dynamics": dynamics, **{name: values[name] for name in _PLAIN}})
