"""Writing USD: the stage is opened again with pxr, whose own skeleton code computes the joint positions."""

from __future__ import annotations

import builtins
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from gambol.errors import MissingExtra
from gambol.geometry import quaternions as quat
from gambol.io import usd
from gambol.motion.figure import build_body_mesh
from gambol.motion.motion import Motion
from gambol.motion.rig import rig_from_mapping
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.skeleton import Dof, Skeleton
from tests.motion.bodies import person, standing

pxr = pytest.importorskip("pxr", reason="usd-core is not installed: pip install 'gambol[usd]'")
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def crane(frames: int = 25, **fields: Any) -> Motion:
    """A base that moves and turns, a tilted boom that extends, and a hook; names that USD does not allow."""
    skeleton = Skeleton(
        names=("mixamorig:base", "2nd boom", "2nd-boom", "hook"),
        parents=(-1, 0, 1, 2),
        offsets=np.array([[0, 0, 0.3], [0.1, 0, 1], [0.8, 0, 0.2], [0, 0, -0.5]]),
        dofs=(
            *(Dof(0, "slide", axis) for axis in (X, Y, Z)),
            *(Dof(0, "turn", axis) for axis in (Z, Y, X)),
            Dof(1, "turn", Y),
            Dof(2, "slide", X),
            Dof(2, "turn", Z),
        ),
        rests=quat.from_axis_angle([Z, X, Y, Z], np.array([0.3, 0.7, -0.3, 1.2])),
        ends=frozenset({3}),
    )
    time, column = np.arange(frames)[:, None] / 30.0, np.arange(len(skeleton.dofs))
    q = 0.9 * np.sin(time * (1.0 + 0.3 * column) + column)
    return Motion(skeleton, q, **{"frame_time": 1 / 29.97, "name": "crane", **fields})


class Character(NamedTuple):
    """Objects below a UsdSkel root; stage and cache are kept because the others become invalid without them."""

    stage: Any
    cache: Any
    binding: Any
    query: Any


def characters(path: Path) -> list[Character]:
    """The characters of a stage."""
    from pxr import Usd, UsdSkel

    stage, cache = Usd.Stage.Open(str(path)), UsdSkel.Cache()
    found = []
    for prim in stage.Traverse():
        if prim.IsA(UsdSkel.Root):
            cache.Populate(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
            [binding] = cache.ComputeSkelBindings(UsdSkel.Root(prim), Usd.PrimDefaultPredicate)
            found.append(Character(stage, cache, binding, cache.GetSkelQuery(binding.GetSkeleton())))
    return found


@pytest.mark.parametrize("suffix", [".usda", ".usdc", ".usd"])
def test_joints_are_where_the_motion_has_them(tmp_path: Path, suffix: str) -> None:
    motion = crane()
    usd.write_usd([motion], tmp_path / f"crane{suffix}")
    [character] = characters(tmp_path / f"crane{suffix}")
    assert character.query
    assert character.query.HasBindPose()
    assert character.query.HasRestPose()
    for frame in (0, 7, 24):
        matrices = np.array(character.query.ComputeJointSkelTransforms(float(frame)))
        np.testing.assert_allclose(matrices[:, 3, :3], motion.placement.positions[frame], atol=1e-5)
        turned = np.swapaxes(matrices[:, :3, :3], 1, 2)
        np.testing.assert_allclose(turned, quat.to_matrix(motion.placement.rotations[frame]), atol=1e-5)
    head = (tmp_path / f"crane{suffix}").read_bytes()[:8]
    assert head == (b"#usda 1." if suffix == ".usda" else b"PXR-USDC")


def someone() -> Motion:
    """A person whose body is drawn, and who kneels and lifts the arms."""
    skeleton = person()
    q = standing(skeleton, 30).q + 0.3 * np.sin(np.arange(len(skeleton.dofs)))
    return Motion(skeleton, q, 1 / 30, rig=rig_from_mapping(skeleton, {part: part for part in BODY_PARTS}))


@pytest.mark.parametrize("make", [crane, someone])
def test_figure_follows_the_joints(tmp_path: Path, make: Callable[[], Motion]) -> None:
    from pxr import UsdGeom

    motion, frame = make(), 13
    usd.write_usd([motion], tmp_path / "one.usdc")
    [character] = characters(tmp_path / "one.usdc")
    [skinning] = character.binding.GetSkinningTargets()
    points = UsdGeom.Mesh(skinning.GetPrim()).GetPointsAttr().Get()
    assert skinning.ComputeSkinnedPoints(character.query.ComputeSkinningTransforms(float(frame)), points, float(frame))
    expected, _ = build_body_mesh(motion).pose(motion.placement.positions[frame], motion.placement.rotations[frame])
    np.testing.assert_allclose(np.array(points), expected, atol=1e-5)


def test_usd_validators_find_nothing(tmp_path: Path) -> None:
    from pxr import Usd

    validation = pytest.importorskip("pxr.UsdValidation", reason="this usd-core has no validators")
    usd.write_usd([crane(), someone()], tmp_path / "two.usdc")
    context = validation.ValidationContext(validation.ValidationRegistry().GetOrLoadAllValidators())
    stage = Usd.Stage.Open(str(tmp_path / "two.usdc"))
    assert [error.GetErrorAsString() for error in context.Validate(stage)] == []


def test_stage_states_unit_and_axes(tmp_path: Path) -> None:
    from pxr import Usd, UsdGeom

    motion = crane(made={"command": "push", "seed": None, "forces": []}, notes=("a note",))
    usd.write_usd([motion], tmp_path / "crane.usda")
    stage = Usd.Stage.Open(str(tmp_path / "crane.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == pytest.approx(29.97, rel=1e-12)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0.0, pytest.approx(24.0))
    assert stage.GetDefaultPrim()
    told = stage.GetRootLayer().customLayerData["gambol"]["character_1"]
    assert (told["name"], told["frame_time"], told["frames"]) == ("crane", motion.frame_time, 25)
    assert json.loads(told["made"]) == {"command": "push", "seed": None, "forces": []}
    assert json.loads(told["notes"]) == ["a note"]


def test_joint_names_are_kept_beside_the_paths(tmp_path: Path) -> None:
    usd.write_usd([crane()], tmp_path / "crane.usda")
    [character] = characters(tmp_path / "crane.usda")
    assert list(character.query.GetJointOrder()) == [
        "mixamorig_base",
        "mixamorig_base/_2nd_boom",
        "mixamorig_base/_2nd_boom/_2nd_boom_2",
        "mixamorig_base/_2nd_boom/_2nd_boom_2/hook",
    ]
    assert tuple(character.binding.GetSkeleton().GetJointNamesAttr().Get()) == crane().skeleton.names


def test_characters_share_the_clock(tmp_path: Path) -> None:
    """The second has half the frame time: its frame 20 is at the first's time code 10."""
    first, second = crane(), crane(frames=40, frame_time=crane().frame_time / 2)
    usd.write_usd([first, second], tmp_path / "two.usdc")
    one, two = characters(tmp_path / "two.usdc")
    for character, motion, frame in ((one, first, 10), (two, second, 20)):
        matrices = np.array(character.query.ComputeJointSkelTransforms(10.0))
        np.testing.assert_allclose(matrices[:, 3, :3], motion.placement.positions[frame], atol=1e-5)


def test_without_pxr_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pxr":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(MissingExtra, match=r"gambol\[usd\]"):
        usd.write_usd([crane()], tmp_path / "crane.usda")


def test_real_walk(data: Path, tmp_path: Path) -> None:
    from gambol.fit.load import load
    from gambol.io import save

    walk = load(data / "cmu_bvh" / "walk" / "02_01.bvh")
    [path] = save(replace(walk, name="a walk"), tmp_path / "walk.usdc")
    [character] = characters(path)
    for frame in (0, 100, len(walk) - 1):
        matrices = np.array(character.query.ComputeJointSkelTransforms(float(frame)))
        np.testing.assert_allclose(matrices[:, 3, :3], walk.placement.positions[frame], atol=1e-5)
