"""Write USD: each character is a UsdSkel skeleton with animation and skinned figure, z up, in metres."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import MissingExtra
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.provenance import make_record
from gambol.motion.figure import build_body_mesh
from gambol.motion.kinematics import local_frames, place
from gambol.motion.motion import Motion
from gambol.motion.shapes import Mesh
from gambol.motion.skeleton import Skeleton


def write_usd(motions: Sequence[Motion], path: Path) -> None:
    """Write the motions as one stage; the extension selects text or binary.

    One time code is one frame of the first motion; the others keep their times in seconds.
    """
    try:
        from pxr import Sdf, Tf, Usd, UsdGeom
    except ImportError:
        raise MissingExtra("writing USD", "usd") from None

    fps = 1.0 / motions[0].frame_time
    stage = Usd.Stage.CreateInMemory(path.suffix)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetTimeCodesPerSecond(fps)
    stage.SetFramesPerSecond(fps)
    stage.SetStartTimeCode(0.0)
    stage.SetEndTimeCode(max(motion.duration for motion in motions) * fps)
    world = UsdGeom.Xform.Define(stage, Sdf.Path("/World")).GetPrim()
    stage.SetDefaultPrim(world)
    drawn = [*motions, *(prop for motion in motions for prop in motion.props)]
    for name, motion in zip(_identifiers([motion.name for motion in drawn]), drawn, strict=True):
        _add_character(stage, world.GetPath().AppendChild(name), motion, fps)
    layer = stage.GetRootLayer()
    layer.customLayerData = {"gambol": _as_dictionary([make_record(motion) for motion in motions])}
    try:
        layer.Export(str(path))
    except Tf.ErrorException as error:
        # The words of the system, such as "No space left on device", stand among those of USD.
        code = next((code for code in errno.errorcode if os.strerror(code) in str(error)), errno.EIO)
        raise OSError(code, os.strerror(code)) from None


def _add_character(stage: Any, path: Any, motion: Motion, fps: float) -> None:
    from pxr import UsdSkel

    rest = place(motion.skeleton, np.zeros((1, len(motion.skeleton.dofs))))
    mesh = build_body_mesh(motion).bind(rest.positions[0], rest.rotations[0])
    UsdSkel.Root.Define(stage, path)
    skeleton = _add_skeleton(stage, path.AppendChild("Skeleton"), motion.skeleton, mesh)
    animation = _add_animation(stage, path.AppendChild("Animation"), motion, fps)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    _add_figure(stage, path.AppendChild("Figure"), mesh, skeleton)


def _add_skeleton(stage: Any, path: Any, skeleton: Skeleton, mesh: Mesh) -> Any:
    """Add the joints at rest, and as they are where the mesh is bound."""
    from pxr import UsdSkel, Vt

    prim = UsdSkel.Skeleton.Define(stage, path)
    prim.CreateJointsAttr(_joint_paths(skeleton))
    prim.CreateJointNamesAttr(list(skeleton.names))
    rest = local_frames(skeleton, np.zeros((1, len(skeleton.dofs))))
    moves = np.concatenate((quat.to_matrix(rest.rotations[0]), rest.positions[0][:, :, None]), axis=2)
    assert mesh.inverse_binds is not None
    prim.CreateRestTransformsAttr(Vt.Matrix4dArray.FromNumpy(_row_matrices(moves)))
    prim.CreateBindTransformsAttr(Vt.Matrix4dArray.FromNumpy(np.linalg.inv(_row_matrices(mesh.inverse_binds))))
    return prim


def _add_animation(stage: Any, path: Any, motion: Motion, fps: float) -> Any:
    from pxr import UsdSkel, Vt

    prim = UsdSkel.Animation.Define(stage, path)
    prim.CreateJointsAttr(_joint_paths(motion.skeleton))
    prim.CreateScalesAttr(Vt.Vec3hArray([(1.0, 1.0, 1.0)] * len(motion.skeleton.names)))
    translations, rotations = prim.CreateTranslationsAttr(), prim.CreateRotationsAttr()
    local = local_frames(motion.skeleton, motion.q)
    turns = np.roll(quat.make_continuous(local.rotations), -1, axis=-1).astype(np.float32)
    moves = local.positions.astype(np.float32)
    step = motion.frame_time * fps
    for frame in range(len(motion)):
        translations.Set(Vt.Vec3fArray.FromNumpy(moves[frame]), frame * step)
        rotations.Set(Vt.QuatfArray.FromNumpy(turns[frame]), frame * step)
    return prim


def _add_figure(stage: Any, path: Any, mesh: Mesh, skeleton: Any) -> None:
    """Add the body as a skinned mesh, with colours for left and right."""
    from pxr import Gf, UsdGeom, UsdSkel, Vt

    prim = UsdGeom.Mesh.Define(stage, path)
    prim.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    prim.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(mesh.vertices.astype(np.float32)))
    prim.CreateExtentAttr(UsdGeom.PointBased.ComputeExtent(prim.GetPointsAttr().Get()))
    prim.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(mesh.faces), 3, dtype=np.int32)))
    prim.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(mesh.faces.astype(np.int32).ravel()))
    prim.CreateNormalsAttr(Vt.Vec3fArray.FromNumpy(mesh.normals.astype(np.float32)))
    prim.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    prim.CreateDisplayColorPrimvar(UsdGeom.Tokens.vertex).Set(Vt.Vec3fArray.FromNumpy(mesh.colors.astype(np.float32)))
    binding = UsdSkel.BindingAPI.Apply(prim.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    most = mesh.joints.shape[1]
    weights = mesh.weights.astype(np.float32).ravel()
    binding.CreateJointIndicesPrimvar(False, most).Set(Vt.IntArray.FromNumpy(mesh.joints.astype(np.int32).ravel()))
    binding.CreateJointWeightsPrimvar(False, most).Set(Vt.FloatArray.FromNumpy(weights))


def _row_matrices(moves: Array) -> Array:
    """Return matrices (joints, 4, 4) of frames (joints, 3, 4), for row vectors as in USD."""
    matrices = np.tile(np.eye(4), (len(moves), 1, 1))
    matrices[:, :, :3] = np.swapaxes(moves, 1, 2)
    return matrices


def _joint_paths(skeleton: Skeleton) -> list[str]:
    """Return the path of every joint from the root, with valid USD identifiers."""
    paths: list[str] = []
    for name, parent in zip(_identifiers(skeleton.names), skeleton.parents, strict=True):
        paths.append(name if parent < 0 else f"{paths[parent]}/{name}")
    return paths


def _identifiers(names: Sequence[str]) -> list[str]:
    """Return valid, unique USD identifiers for names; duplicates get a number."""
    from pxr import Tf

    taken: dict[str, None] = {}
    for name in names:
        plain, number = Tf.MakeValidIdentifier(f"_{name}" if name[:1].isdigit() else name), 1
        unique = plain
        while unique in taken:
            number += 1
            unique = f"{plain}_{number}"
        taken[unique] = None
    return list(taken)


def _as_dictionary(records: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the records as one dictionary, with lists and settings as JSON text: layer data cannot hold them."""
    characters = {
        f"character_{number}": {key: json.dumps(v) if key in ("notes", "made") else v for key, v in entry.items()}
        for number, entry in enumerate(records, start=1)
    }
    return {"version": records[0]["gambol"], **characters}
