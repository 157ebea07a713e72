"""Save the printed model of two people as one .npz file."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from gambol.interaction.hierarchy import AgentLayer, Hierarchy
from gambol.interaction.reach import Arm, HandPoint
from gambol.interaction.rows import PersonRows
from gambol.io.archive import INVALID_CONTENT, invalid_content_error, read_archive, write_archive
from gambol.io.packed import build
from gambol.learn.gaussian import GaussianProcess, LatentDynamics, ScaledGplvm
from gambol.learn.gaussian.estimator import GAUSSIAN_KINDS, GaussianEstimator
from gambol.motion.motion import Origin
from gambol.motion.rig import Rig
from gambol.motion.skeleton import Dof, Skeleton

_WHAT, _FORMAT = "hierarchy of latents", 1
_FIX = "use a file written by save_hierarchy"
_KINDS = (Arm, Dof, HandPoint, Origin, PersonRows, Rig, Skeleton, *GAUSSIAN_KINDS)
_ESTIMATORS: dict[str, type[GaussianEstimator]] = {
    "interaction": ScaledGplvm,
    "dynamics": LatentDynamics,
    "direct": GaussianProcess,
    "direct_person": GaussianProcess,
}
_PLAIN = ("people", "styles", "beginnings", "rests", "rest_covariance", "rest_hand", "observed", "frame_time")


def save_hierarchy(hierarchy: Hierarchy, path: Path) -> None:
    """Write a model; an interrupted write leaves no partial file."""
    agents = [
        {"gplvm": agent.gplvm.to_values(), "moving": agent.moving, "means": agent.means} for agent in hierarchy.agents
    ]
    learned = {name: getattr(hierarchy, name).to_values() for name in _ESTIMATORS}
    plain = {name: getattr(hierarchy, name) for name in _PLAIN}
    write_archive(path, _WHAT, _FORMAT, {**plain, **learned, "agents": agents})


def load_hierarchy(path: str | PathLike[str]) -> Hierarchy:
    """Load a model; it gives the same numbers."""
    values = read_archive(Path(path), _WHAT, _FORMAT, _KINDS, _FIX)
    try:
        return _make_hierarchy(values)
    except INVALID_CONTENT as error:
        raise invalid_content_error(Path(path), _WHAT, error) from None


def _make_hierarchy(values: dict[str, Any]) -> Hierarchy:
    one, two = (
        build(AgentLayer, {**agent, "gplvm": ScaledGplvm.from_values(agent["gplvm"])}) for agent in values["agents"]
    )
    learned: dict[str, Any] = {name: kind.from_values(values[name]) for name, kind in _ESTIMATORS.items()}
    return build(Hierarchy, {"agents": (one, two), **learned, **{name: values[name] for name in _PLAIN}})
