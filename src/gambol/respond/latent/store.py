"""Save a learned walker as one .npz file: the fitted walk, the decoder and the models."""

from __future__ import annotations

from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

from gambol.body.character import Character
from gambol.fit.rig import Fit
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.io.packed import build
from gambol.learn.gaussian import LatentDynamics, ScaledGplvm
from gambol.learn.gaussian.estimator import GAUSSIAN_KINDS
from gambol.motion.motion import Motion, Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton
from gambol.respond.latent.decode import PoseDecoder
from gambol.respond.latent.examples import ExamplePush, NormalWalk
from gambol.respond.latent.features import FeatureLayout
from gambol.respond.latent.responder import LatentWalker
from gambol.respond.latent.walk_model import WalkModel

_WHAT, _FORMAT = "walker", 1
_FIX = "'gambol responder learn WALK -o FILE' makes one"
_KINDS = (Character, Dof, ExamplePush, Fit, Motion, Origin, Rig, Skeleton, *GAUSSIAN_KINDS)
_DECODER = tuple(field.name for field in fields(PoseDecoder) if field.name != "layout")
_MODEL = tuple(field.name for field in fields(WalkModel) if field.name not in ("gplvm", "dynamics"))


def save_walker(walker: LatentWalker, path: Path) -> None:
    """Write a walker; an interrupted write leaves no partial file."""
    layout = walker.decoder.layout
    values = {
        "walk": walker.walk.fitted,
        "period": walker.walk.period,
        "features": {"kind": layout.kind, "velocity_weight": layout.velocity_weight},
        "decoder": {name: getattr(walker.decoder, name) for name in _DECODER},
        "models": [_pack_model(model) for model in walker.models],
        "form": walker.form,
    }
    write_archive(path, _WHAT, _FORMAT, values)


def load_walker(path: str | PathLike[str]) -> LatentWalker:
    """Load a walker; it gives the same numbers.

    >>> walker = gb.load_walker("walker.npz")  # doctest: +SKIP
    >>> gb.push("walk", [gb.Push("chest", (-200.0, 0.0, 0.0), 1.0)], method="gp", model=walker)  # doctest: +SKIP
    """
    values = read_archive(Path(path), _WHAT, _FORMAT, _KINDS, _FIX)
    try:
        return _make_walker(values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), _WHAT, error) from None


def _pack_model(model: WalkModel) -> dict[str, Any]:
    parts = {name: getattr(model, name) for name in _MODEL}
    return {"gplvm": model.gplvm.to_values(), "dynamics": model.dynamics.to_values(), **parts}


def _make_walker(values: dict[str, Any]) -> LatentWalker:
    fitted = values["walk"]
    if not isinstance(fitted, Fit):
        raise ValueError("the walk is missing or of another type")
    walk = build(NormalWalk, {"fitted": fitted, "period": values["period"]})
    layout = FeatureLayout(walk.character, **values["features"])
    decoder = build(PoseDecoder, {"layout": layout, **values["decoder"]})
    models = tuple(_make_model(one) for one in values["models"])
    shapes = {(model.period, model.rows.shape[1]) for model in models}
    if shapes != {(len(walk.loop), layout.size)}:
        raise ValueError("the features of the models are missing or not those of the walk")
    return build(LatentWalker, {"walk": walk, "decoder": decoder, "models": models, "form": values["form"]})


def _make_model(values: dict[str, Any]) -> WalkModel:
    gplvm, dynamics = ScaledGplvm.from_values(values["gplvm"]), LatentDynamics.from_values(values["dynamics"])
    parts = {name: values[name] for name in _MODEL}
    return build(WalkModel, {"gplvm": gplvm, "dynamics": dynamics, **parts})
