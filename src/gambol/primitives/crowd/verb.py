"""`crowd`: many walkers in a scene, each a whole body on the rig of one walk (M17 sections 2.4 and 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from gambol.clips.result import Result
from gambol.contraction.certificate import Certificate
from gambol.errors import InputError, StrPath
from gambol.features.strides import find_strides
from gambol.fit.load import Source, as_motion
from gambol.io.models import as_model
from gambol.io.yamls import check_choice
from gambol.judge.judgement import Original
from gambol.judge.likeness import compare_likeness
from gambol.legs.knees import face_knees_forward
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from gambol.primitives.bodies import PoseBlender
from gambol.primitives.crowd import library
from gambol.primitives.crowd.gaits import BASE_WALK, make_walker_prototypes
from gambol.primitives.crowd.march import OrderParameters
from gambol.primitives.crowd.performance import CROWD_FPS, Performance, certify_scene, perform_scene
from gambol.primitives.crowd.scene import Scene, parse_scene, read_scene
from gambol.primitives.live_poses import make_live_poses
from gambol.primitives.model import Primitives
from gambol.primitives.prototypes import Prototypes, prototypes_of
from gambol.progress import Progress, silent

_FAR = 0.8
"""Share of the travel of a walk that a walker covers who walks all the time."""

PoseMethod = Literal["tables", "primitives"]
"""How the poses of walkers are made."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CrowdResult(Result):
    """The motions of a performed scene."""

    scene: Scene
    performance: Performance
    certificate: Certificate | None = None
    """Certificate of a march, if requested."""

    def facts(self) -> dict[str, Any]:
        """Return the figures; for a march also its order parameters over time."""
        return {**super().facts(), "scene": self.scene.name, "seed": self.scene.seed, **self._order_facts()}

    def _order_facts(self) -> Mapping[str, Any]:
        orders = self.performance.orders
        if orders is None:
            return {}
        columns = dict(zip(OrderParameters._fields, orders.T.tolist(), strict=True))
        return {"seconds": [frame / CROWD_FPS for frame in range(len(orders))], **columns}


def crowd(
    scene: Scene | Mapping[str, Any] | StrPath,
    *,
    walk: Source = "walk",
    model: Primitives | StrPath | None = None,
    poses: PoseMethod = "tables",
    seed: int | None = None,
    seconds: float | None = None,
    certify: bool = False,
    progress: Progress = silent,
) -> CrowdResult:
    """Simulate walkers that cross a floor, march in formation or dance.

    `scene` is a YAML file, its content as a mapping, or the name of a built-in scene. All steps are made from one
    `walk`, or come from a learned `model`. `poses` are read from "tables" of strides, or made by "primitives": the
    oscillator of every walker drives the sources of the model, or of one learned from the steps. `seed` and `seconds`
    replace those of the scene. `certify` adds the certificate of a march: rates of convergence, and from which starts.

    >>> marched = gb.crowd("march", seconds=5.0)  # doctest: +SKIP
    >>> marched.save("march.glb")  # doctest: +SKIP
    """
    check_choice(poses, "poses", get_args(PoseMethod))
    found = prepare_scene(scene, seed, seconds)
    learned = None if model is None else as_model(model, Primitives)
    prototypes = make_step_prototypes(walk, learned)
    certificate = certify_scene(found, prototypes) if certify else None
    done = perform_scene(
        found,
        prototypes,
        progress,
        PoseBlender if poses == "tables" else partial(make_live_poses, model=learned),
    )
    made = {"verb": "crowd", "scene": found.name, "seed": found.seed}
    motions = tuple(replace(motion, made={**motion.made, **made}) for motion in done.motions)
    sources = () if learned else (as_motion(walk),)
    obstacles = {"poles": done.poles, "walls": done.walls}
    return CrowdResult(
        motions=Ensemble(motions, found.name, **{name: part for name, part in obstacles.items() if part is not None}),
        figures=done.figures,
        notes=done.notes,
        sources=sources,
        originals=tuple(one for source in sources for one in _find_originals(motions, source)),
        scene=found,
        performance=done,
        certificate=certificate,
    )


def _find_originals(motions: Sequence[Motion], walk: Motion) -> list[Original]:
    """Return as much of every walker as the walk lasts, which should look like it where the walker goes as far."""
    seconds = min(walk.duration, *(one.duration for one in motions))
    clip = walk[: round(seconds / walk.frame_time) + 1]
    parts = [one[: round(seconds / one.frame_time) + 1] for one in motions]
    far = _FAR * _measure_travel(clip)
    return [Original(one, clip, (compare_likeness,)) for one in parts if _measure_travel(one) > far]


def _measure_travel(motion: Motion) -> float:
    """Return how far (m) a motion goes along the floor."""
    ends = motion.placement.positions[[0, -1], motion.mover, :2]
    return float(np.hypot(*(ends[1] - ends[0])))


def prepare_scene(scene: Scene | Mapping[str, Any] | StrPath, seed: int | None, seconds: float | None) -> Scene:
    """Return the scene, with another seed and duration where given."""
    if isinstance(scene, Mapping):
        found = parse_scene(scene, "scene")
    else:
        found = scene if isinstance(scene, Scene) else read_scene(library.find(scene))
    if seconds is not None and not 0.1 <= seconds <= 600.0:
        raise InputError(f"a duration of {seconds:g} s is outside 0.1 to 600 s")
    return replace(
        found, seed=found.seed if seed is None else seed, seconds=found.seconds if seconds is None else seconds
    )


def make_step_prototypes(walk: Source, model: Primitives | None) -> Prototypes:
    """Return the prototypes of a model, or make them from one walk."""
    if model is not None:
        return make_walker_prototypes(model.prototypes)
    clip = face_knees_forward(as_motion(walk))
    return make_walker_prototypes(prototypes_of(clip, {BASE_WALK: find_strides(clip)}))
