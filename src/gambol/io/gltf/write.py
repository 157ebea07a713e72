"""Write glTF: several characters in one file, each with skeleton, figure and animation curves.

A motion from a glTF file is written in that file's axes and unit, on nodes of the same names; any other in metres,
y up, z forward, as glTF requires.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from gambol.geometry.arrays import Array
from gambol.io.gltf.obstacles import add_obstacles
from gambol.io.gltf.pack import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, Curves, Packer, build_glb, build_gltf
from gambol.io.provenance import make_record
from gambol.motion.figure import build_body_mesh
from gambol.motion.kinematics import Placement, local_frames, place
from gambol.motion.motion import CYCLIC, Motion
from gambol.motion.skeleton import Skeleton


def to_glb(motions: Sequence[Motion]) -> bytes:
    """Return the motions as one binary glTF (.glb)."""
    return build_glb(*_document(motions))


def to_gltf_json(motions: Sequence[Motion]) -> str:
    """Return the motions as one JSON glTF (.gltf) with embedded buffers."""
    return build_gltf(*_document(motions))


def to_file_frame(motion: Motion) -> tuple[Skeleton, Placement]:
    """Return the skeleton and its local frames in the axes and unit of a glTF of this motion."""
    axes, unit = _axes_and_unit(motion)
    skeleton = motion.skeleton.change_axes(axes, 1.0 / unit)
    return skeleton, local_frames(skeleton, np.where(skeleton.turning, motion.q, motion.q / unit))


def _axes_and_unit(motion: Motion) -> tuple[Array, float]:
    """Return the rotation matrix from world axes to the file's, and metres per unit of the file."""
    if motion.origin.format == "gltf":
        return motion.origin.axes.T, motion.origin.unit
    return CYCLIC.T, 1.0


def _document(motions: Sequence[Motion]) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the bytes of a glTF."""
    import pygltflib

    packer, gltf = Packer(), pygltflib.GLTF2(scene=0, scenes=[pygltflib.Scene()])
    curves, records = Curves(packer), []
    taken: set[str] = set()
    props = [prop for motion in motions for prop in motion.props]
    for number, motion in enumerate([*motions, *props], start=1):
        ending = "" if taken.isdisjoint(motion.skeleton.names) else f"_{number}"
        names = [name + ending for name in motion.skeleton.names]
        taken.update(names)
        skeleton, local = to_file_frame(motion)
        first = len(gltf.nodes)
        _add_joints(gltf, skeleton, names)
        _add_figure(gltf, packer, motion, skeleton, first)
        _add_curves(curves, motion, local, first)
        about = {"prop": True} if number > len(motions) else {}
        records.append({"root": names[0], "ending": ending, **about, **make_record(motion)})
    gltf.asset.generator = f"gambol {records[0]['gambol']}"
    gltf.accessors = [pygltflib.Accessor(**entry) for entry in packer.accessors]
    gltf.bufferViews = [pygltflib.BufferView(**entry) for entry in packer.views]
    gltf.buffers = [pygltflib.Buffer(byteLength=len(packer.data))]
    channels = [
        pygltflib.AnimationChannel(
            sampler=channel["sampler"], target=pygltflib.AnimationChannelTarget(**channel["target"])
        )
        for channel in curves.channels
    ]
    samplers = [pygltflib.AnimationSampler(**entry) for entry in curves.samplers]
    name = motions[0].name if len(motions) == 1 else "together"
    gltf.animations = [pygltflib.Animation(name=name, channels=channels, samplers=samplers)]
    document = json.loads(gltf.to_json())
    # Added here because pygltflib drops empty values, in extras too.
    document["animations"][0]["extras"] = {"gambol": records}
    add_obstacles(document, motions)
    return document, bytes(packer.data)


def _add_joints(gltf: Any, skeleton: Skeleton, names: Sequence[str]) -> None:
    import pygltflib

    first = len(gltf.nodes)
    gltf.scenes[0].nodes.append(first)
    rests = np.roll(skeleton.rests / np.linalg.norm(skeleton.rests, axis=1, keepdims=True), -1, axis=1)
    for joint, name in enumerate(names):
        gltf.nodes.append(
            pygltflib.Node(
                name=name,
                translation=skeleton.offsets[joint].tolist(),
                rotation=rests[joint].tolist(),
                children=[first + child for child in skeleton.children[joint]],
            )
        )


def _add_figure(gltf: Any, packer: Packer, motion: Motion, skeleton: Skeleton, first: int) -> None:
    """Add the body as a skinned mesh, with colours for left and right."""
    import pygltflib

    rest = place(motion.skeleton, np.zeros((1, len(motion.skeleton.dofs))))
    mesh = build_body_mesh(motion).bind(rest.positions[0], rest.rotations[0])
    assert mesh.inverse_binds is not None
    axes, unit = _axes_and_unit(motion)
    count = len(mesh.vertices)
    followed = np.zeros((count, 4), dtype=np.uint8 if len(skeleton.names) <= 256 else np.uint16)
    followed[:, : mesh.joints.shape[1]] = mesh.joints
    weights = np.zeros((count, 4), dtype=np.float32)
    weights[:, : mesh.weights.shape[1]] = mesh.weights
    attributes = pygltflib.Attributes(
        POSITION=packer.add((mesh.vertices @ axes.T / unit).astype(np.float32), ARRAY_BUFFER, bounds=True),
        NORMAL=packer.add((mesh.normals @ axes.T).astype(np.float32), ARRAY_BUFFER),
        JOINTS_0=packer.add(followed, ARRAY_BUFFER),
        WEIGHTS_0=packer.add(weights, ARRAY_BUFFER),
    )
    colors, numbers = np.unique(mesh.colors[mesh.faces[:, 0]], axis=0, return_inverse=True)
    primitives = [
        pygltflib.Primitive(
            attributes=attributes,
            indices=packer.add(mesh.faces[numbers == number].ravel(), ELEMENT_ARRAY_BUFFER),
            material=_material(gltf, tuple(color.tolist())),
        )
        for number, color in enumerate(colors)
    ]
    inverses = np.tile(np.eye(4), (len(skeleton.names), 1, 1))
    inverses[:, :3, :3] = axes @ mesh.inverse_binds[:, :, :3] @ axes.T
    inverses[:, :3, 3] = mesh.inverse_binds[:, :, 3] @ axes.T / unit
    gltf.skins.append(
        pygltflib.Skin(
            joints=list(range(first, first + len(skeleton.names))),
            skeleton=first,
            inverseBindMatrices=packer.add(np.swapaxes(inverses, 1, 2).reshape(-1, 16).astype(np.float32)),
            name=motion.name,
        )
    )
    gltf.meshes.append(pygltflib.Mesh(primitives=primitives, name=motion.name))
    gltf.scenes[0].nodes.append(len(gltf.nodes))
    number = len(gltf.meshes) - 1
    gltf.nodes.append(pygltflib.Node(name=f"{motion.name} figure", mesh=number, skin=number))


def _material(gltf: Any, color: tuple[float, float, float]) -> int:
    """Return the index of the matt material of an sRGB colour, which glTF stores as linear."""
    import pygltflib

    linear = [round(((channel + 0.055) / 1.055) ** 2.4, 4) for channel in color]
    base = [*linear, 1.0]
    for index, known in enumerate(gltf.materials):
        if known.pbrMetallicRoughness.baseColorFactor == base:
            return index
    surface = pygltflib.PbrMetallicRoughness(baseColorFactor=base, metallicFactor=0.0, roughnessFactor=0.8)
    gltf.materials.append(pygltflib.Material(pbrMetallicRoughness=surface))
    return len(gltf.materials) - 1


def _add_curves(curves: Curves, motion: Motion, local: Placement, first: int) -> None:
    """Add curves for joints that move, and always the root's translation: an animation must not be empty."""
    dofs = motion.skeleton.dofs
    sliding = sorted({0} | {dof.joint for dof in dofs if dof.kind == "slide"})
    turning = sorted({dof.joint for dof in dofs if dof.kind == "turn"})
    curves.add(
        motion.times,
        {first + joint: local.positions[:, joint] for joint in sliding},
        {first + joint: local.rotations[:, joint] for joint in turning},
    )
