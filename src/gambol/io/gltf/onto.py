"""Write a motion onto a glTF file as one of its animations; meshes, materials and nodes stay unchanged."""

from __future__ import annotations

import copy
import json
import mimetypes
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.gltf.compact import compact
from gambol.io.gltf.document import Document
from gambol.io.gltf.nodes import FileRig, NodeTree
from gambol.io.gltf.pack import Curves, Packer
from gambol.io.gltf.read import AnimatedRig, find_joint_names, find_record, find_skeletons
from gambol.io.gltf.tracks import Animation, list_animations
from gambol.io.gltf.write import to_file_frame
from gambol.io.provenance import make_record
from gambol.motion.motion import Motion

_NEARLY = 1e-6
"""Rotation (half angle in radians) and relative length below which a node counts as at rest."""


class _Target(NamedTuple):
    """The skeleton of a file that receives a motion."""

    nodes: NodeTree
    rig: FileRig
    read: Animation | None
    """The animation that the motion was read from, where the file has it."""
    ending: str
    """Suffix that gambol gave to the names of this skeleton's nodes."""


def write_onto(path: Path, motion: Motion, *, replace: bool = False) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the buffer of a glTF file with this motion as a further animation.

    The animation starts as a copy of the one that the motion was read from, if any: its curves of other nodes, of
    scales and of morph targets stay. With `replace` it takes that one's place. Everything else in the file stays.
    """
    target = _find_target(NodeTree(Document(path)), motion)
    nodes, rig, read = target.nodes, target.rig, target.read
    document = nodes.document
    start = float(read.key_times(rig.all_nodes).min()) if read else 0.0
    moves, turns = _node_curves(nodes, rig, read, motion, start + motion.times)
    records = _records(target, motion)

    data = _one_buffer(document)
    accessors, views = (document.json.setdefault(key, []) for key in ("accessors", "bufferViews"))
    packer = Packer(data, len(views), len(accessors))
    replaces = replace and read is not None
    entry = document.pick("animations", read.index) if read and replaces else _add_animation(document, read, motion)
    curves = Curves(packer, len(entry["samplers"]))
    curves.add(start + motion.times, moves, turns)
    for node in moves.keys() | turns.keys():
        _as_parts(nodes, node)
    entry["samplers"] += curves.samplers
    entry["channels"] = _kept_channels(document, entry, rig) + curves.channels
    entry["extras"] = {**(read.extras if read else {}), "gambol": records}
    _drop_unused_samplers(document, entry)
    accessors += packer.accessors
    views += packer.views
    try:
        used = compact(document.json, bytes(packer.data)) if replaces else bytes(packer.data)
    except (KeyError, IndexError, TypeError, AttributeError):
        raise document.error("meshes, skins or images refer to data that does not exist") from None
    document.json["buffers"] = [{"byteLength": len(used)}]
    try:
        json.dumps(document.json, allow_nan=False)
    except (ValueError, RecursionError):
        raise document.error("the JSON holds numbers or nesting that JSON does not allow") from None
    return document.json, used


def has_skeleton_of(path: Path, motion: Motion) -> bool:
    """Return whether a glTF file has one skeleton with the joints and the hierarchy of a motion."""
    return len(_find_fitting(NodeTree(Document(path)), motion)) == 1


def _find_target(nodes: NodeTree, motion: Motion) -> _Target:
    fitting, names = _find_fitting(nodes, motion), motion.skeleton.names
    if len(fitting) != 1:
        problem = f"{len(fitting)} skeletons" if fitting else "no skeleton"
        raise nodes.document.error(
            f"{problem} with the joints of '{motion.name}' ({', '.join(names[:3])}, ...)",
            "give the file that the motion was loaded from, and keep the motion's name",
        )
    rig, clip, _ = fitting[0]
    ending = nodes.document.text(find_record(nodes, rig, clip), "ending")
    return _Target(nodes, rig, clip if clip and clip.name == motion.origin.animation else None, ending)


def _find_fitting(nodes: NodeTree, motion: Motion) -> list[AnimatedRig]:
    """Return the skeletons of the file with the motion's joints; if several, those with its name."""
    available = list_animations(nodes.document)
    animation = motion.origin.animation if any(c.name == motion.origin.animation for c in available) else None
    fitting = [
        found
        for found in find_skeletons(nodes, available, animation)
        if find_joint_names(nodes, found.rig, found.animation) == motion.skeleton.names
        and found.rig.parents(nodes) == motion.skeleton.parents
    ]
    return [found for found in fitting if found.name == motion.name] or fitting if len(fitting) > 1 else fitting


def _node_curves(
    nodes: NodeTree, rig: FileRig, clip: Animation | None, motion: Motion, times: Array
) -> tuple[dict[int, Array], dict[int, Array]]:
    """Return translations and rotations by node for joints that move; always the root's translation."""
    _, local = to_file_frame(motion)
    base = rig.ancestor_frames(nodes, clip, times, 0.01 * motion.frame_time)
    scales = rig.parent_scales(nodes, clip)
    inverse = quat.conjugate(base.rotations)
    positions, rotations = local.positions.copy(), local.rotations.copy()
    positions[:, 0] = quat.rotate(inverse, positions[:, 0] - base.positions)
    rotations[:, 0] = quat.multiply(inverse, rotations[:, 0])
    positions /= scales[:, None]
    longest = np.abs(local.positions).max() / scales
    moves, turns = {}, {}
    for joint, node in enumerate(rig.nodes):
        offset, rest, _ = nodes.rest(node)
        if joint == 0 or np.abs(positions[:, joint] - offset).max() > _NEARLY * longest[joint]:
            moves[node] = positions[:, joint]
        deviation = quat.multiply(quat.conjugate(rest), rotations[:, joint])
        if np.abs(deviation[:, 1:]).max() > _NEARLY:
            turns[node] = rotations[:, joint]
    return moves, turns


def _records(target: _Target, motion: Motion) -> list[Any]:
    """Return gambol's records of the animation's motions, with the entry of this one updated."""
    nodes, rig, read, ending = target
    known, before = (read.extras.get("gambol") if read else None), find_record(nodes, rig, read)
    others = [entry for entry in known if entry is not before] if isinstance(known, list) else []
    return [*others, {"root": nodes.names[rig.nodes[0]], "ending": ending, **make_record(motion)}]


def _one_buffer(document: Document) -> bytes:
    """Merge all buffers and external images into one buffer, and update the buffer views."""
    data, starts = bytearray(), []
    for index in range(len(document.objects("buffers"))):
        starts.append(_append(data, document.buffer(index)))
    for view in document.objects("bufferViews"):
        if (index := document.integer(view, "buffer")) >= len(starts):
            raise document.error("a buffer view refers to a buffer that does not exist")
        view |= {"buffer": 0, "byteOffset": document.integer(view, "byteOffset", 0) + starts[index]}
    for image in document.objects("images"):
        uri = image.get("uri")
        if uri is None or str(uri).startswith("data:"):
            continue
        try:
            content = document.resource(uri)
        except InputError:
            continue  # an image that is missing beside the source stays a reference
        del image["uri"]
        views = document.json.setdefault("bufferViews", [])
        image |= {"bufferView": len(views), "mimeType": mimetypes.guess_type(uri)[0] or "image/png"}
        views.append({"buffer": 0, "byteOffset": _append(data, content), "byteLength": len(content)})
    return bytes(data)


def _append(data: bytearray, more: bytes) -> int:
    """Append bytes at the next multiple of 4 and return their start."""
    data += b"\0" * (-len(data) % 4)
    data += more
    return len(data) - len(more)


def _add_animation(document: Document, read: Animation | None, motion: Motion) -> dict[str, Any]:
    """Append an animation to the JSON and return it: a copy of the one that was read, or an empty one."""
    animations = document.objects("animations")
    entry = copy.deepcopy(animations[read.index]) if read else {"samplers": [], "channels": []}
    entry["name"] = _choose_name(motion, {document.text(other, "name") for other in animations})
    document.json["animations"] = [*animations, entry]
    return entry


def _choose_name(motion: Motion, taken: set[str]) -> str:
    """Return the name of the animation that was read, with the verb that changed it, such as 'Walk push'."""
    base, verb = motion.origin.animation or motion.name, str(motion.made.get("verb", ""))
    name = f"{base} {verb}" if verb and not base.endswith(f" {verb}") else base
    return next(one for one in (name, *(f"{name} {n}" for n in range(2, len(taken) + 3))) if one not in taken)


def _kept_channels(document: Document, entry: dict[str, Any], rig: FileRig) -> list[dict[str, Any]]:
    """Return the channels that are not translations or rotations of the skeleton."""
    kept = []
    for channel in document.objects("channels", entry):
        target = document.mapping(channel, "target")
        if target.get("node") not in rig.nodes or document.text(target, "path") not in ("translation", "rotation"):
            kept.append(channel)
    return kept


def _drop_unused_samplers(document: Document, entry: dict[str, Any]) -> None:
    used = sorted({document.integer(channel, "sampler") for channel in entry["channels"]})
    if used[-1] >= len(entry["samplers"]):
        raise document.error("an animation channel refers to a sampler that does not exist")
    entry["samplers"] = [entry["samplers"][sampler] for sampler in used]
    place = {sampler: index for index, sampler in enumerate(used)}
    for channel in entry["channels"]:
        channel["sampler"] = place[channel["sampler"]]


def _as_parts(nodes: NodeTree, node: int) -> None:
    """Convert a node's matrix to translation, rotation and scale: only these can be animated."""
    entry = nodes.entries[node]
    if "matrix" in entry:
        translation, rotation, scale = nodes.rest(node)
        del entry["matrix"]
        entry |= {
            "translation": translation.tolist(),
            "rotation": np.roll(rotation, -1).tolist(),
            "scale": scale.tolist(),
        }
