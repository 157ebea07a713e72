"""Write motions onto the characters of a glTF file, as one of its animations; meshes and materials stay unchanged."""

from __future__ import annotations

import copy
import itertools
import json
import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.gltf.compact import compact
from gambol.io.gltf.copies import copy_character
from gambol.io.gltf.document import Document
from gambol.io.gltf.nodes import FileRig, NodeTree
from gambol.io.gltf.obstacles import add_obstacles
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

    rig: FileRig
    read: Animation | None
    """The animation that the motion was read from, where the file has it."""
    ending: str
    """Suffix that gambol gave to the names of this skeleton's nodes."""
    copies: dict[int, int]
    """The node that moves instead of each node, in a copy of the character; empty in the character itself."""

    def locate(self, node: int) -> int:
        """Return the node that moves instead of a node of the character."""
        return self.copies.get(node, node)


class _Asset:
    """A glTF file, its animations and its skeletons."""

    def __init__(self, path: Path) -> None:
        self.document = Document(path)
        self.nodes = NodeTree(self.document)
        self.animations = list_animations(self.document)
        self._skeletons: dict[str | None, list[AnimatedRig]] = {}

    def find_fitting(self, motion: Motion) -> list[AnimatedRig]:
        """Return the skeletons of the file with the motion's joints; if several, those with its name."""
        own = motion.origin.animation
        animation = own if any(clip.name == own for clip in self.animations) else None
        if animation not in self._skeletons:
            self._skeletons[animation] = find_skeletons(self.nodes, self.animations, animation)
        fitting = [
            found
            for found in self._skeletons[animation]
            if find_joint_names(self.nodes, found.rig, found.animation) == motion.skeleton.names
            and found.rig.parents(self.nodes) == motion.skeleton.parents
        ]
        return [found for found in fitting if found.name == motion.name] or fitting if len(fitting) > 1 else fitting

    def find_targets(self, motions: Sequence[Motion]) -> list[_Target]:
        """Return the skeleton for each motion: one of the file, or a new copy where another motion has it already."""
        targets: list[_Target] = []
        for number, motion in enumerate(motions, start=1):
            rig, clip, ending = self._find_skeleton(motion)
            read = clip if clip and clip.name == motion.origin.animation else None
            copies: dict[int, int] = {}
            if any(rig == other.rig for other in targets):
                more = self._choose_ending(number)
                copies, ending = copy_character(self.nodes, rig, more), ending + more
            targets.append(_Target(rig, read, ending, copies))
        return targets

    def _find_skeleton(self, motion: Motion) -> tuple[FileRig, Animation | None, str]:
        """Return the skeleton of a motion, its animation, and the suffix of its names."""
        fitting, names = self.find_fitting(motion), motion.skeleton.names
        if len(fitting) != 1:
            problem = f"{len(fitting)} skeletons" if fitting else "no skeleton"
            raise self.document.error(
                f"{problem} with the joints of '{motion.name}' ({', '.join(names[:3])}, ...)",
                "give the file that the motion was loaded from, and keep the motion's name",
            )
        rig, clip, _ = fitting[0]
        return rig, clip, self.document.text(find_record(self.nodes, rig, clip), "ending")

    def _choose_ending(self, number: int) -> str:
        """Return a suffix with which no name of a node is that of another."""
        taken = {self.document.text(entry, "name") for entry in self.nodes.entries}
        return next(
            ending
            for ending in (f"_{n}" for n in itertools.count(number))
            if taken.isdisjoint(name + ending for name in taken)
        )


def write_onto(path: Path, motions: Sequence[Motion], *, replace: bool = False) -> tuple[dict[str, Any], bytes]:
    """Return the JSON and the buffer of a glTF file with these motions as one further animation.

    Several motions on one skeleton move copies of its character, which share its meshes. The animation starts as a copy
    of those that the motions were read from: their curves of other nodes, of scales and of morph targets stay. With
    `replace` it takes the place of the first one's. Everything else in the file stays.
    """
    asset = _Asset(path)
    document, nodes = asset.document, asset.nodes
    targets = asset.find_targets(motions)
    read = targets[0].read
    start = float(read.key_times(targets[0].rig.all_nodes).min()) if read else 0.0
    curves_by_target = [
        _node_curves(nodes, target, motion, start + motion.times)
        for target, motion in zip(targets, motions, strict=True)
    ]
    records = _records(nodes, targets, motions)

    data = _one_buffer(document)
    accessors, views = (document.json.setdefault(key, []) for key in ("accessors", "bufferViews"))
    packer = Packer(data, len(views), len(accessors))
    samplers, channels = _keep_curves(document, targets)
    curves = Curves(packer, len(samplers))
    for target, motion, (moves, turns) in zip(targets, motions, curves_by_target, strict=True):
        curves.add(
            start + motion.times,
            {target.locate(node): values for node, values in moves.items()},
            {target.locate(node): values for node, values in turns.items()},
        )
        for node in moves.keys() | turns.keys():
            _as_parts(nodes, node, target.locate(node))
    replaces = replace and read is not None
    entry = document.pick("animations", read.index) if read and replaces else _add_animation(document, read, motions[0])
    entry["samplers"], entry["channels"] = samplers + curves.samplers, channels + curves.channels
    entry["extras"] = {**(read.extras if read else {}), "gambol": records}
    add_obstacles(document.json, motions)
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


def has_skeletons_of(path: Path, motions: Sequence[Motion]) -> bool:
    """Return whether a glTF file has, for each motion, one skeleton with its joints and hierarchy."""
    asset = _Asset(path)
    return all(len(asset.find_fitting(motion)) == 1 for motion in motions)


def _node_curves(
    nodes: NodeTree, target: _Target, motion: Motion, times: Array
) -> tuple[dict[int, Array], dict[int, Array]]:
    """Return translations and rotations by node for joints that move; always the root's translation."""
    rig, clip = target.rig, target.read
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


def _records(nodes: NodeTree, targets: Sequence[_Target], motions: Sequence[Motion]) -> list[Any]:
    """Return gambol's records of the animation's motions, with the entries of these ones updated."""
    read = targets[0].read
    known = read.extras.get("gambol") if read else None
    before = [find_record(nodes, target.rig, read) for target in targets]
    others = [entry for entry in known if entry not in before] if isinstance(known, list) else []
    own = [
        {"root": nodes.document.text(nodes.entries[root], "name") or nodes.names[root], "ending": target.ending}
        | make_record(motion)
        for target, motion in zip(targets, motions, strict=True)
        for root in [target.locate(target.rig.nodes[0])]
    ]
    return [*others, *own]


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
    entry = copy.deepcopy(animations[read.index]) if read else {}
    entry["name"] = _choose_name(motion, {document.text(other, "name") for other in animations})
    document.json["animations"] = [*animations, entry]
    return entry


def _choose_name(motion: Motion, taken: set[str]) -> str:
    """Return the name of the animation that was read, with the verb that changed it, such as 'Walk push'."""
    base, verb = motion.origin.animation or motion.name, str(motion.made.get("verb", ""))
    name = f"{base} {verb}" if verb and not base.endswith(f" {verb}") else base
    return next(one for one in (name, *(f"{name} {n}" for n in range(2, len(taken) + 3))) if one not in taken)


def _keep_curves(document: Document, targets: Sequence[_Target]) -> tuple[list[Any], list[Any]]:
    """Return the samplers and channels that stay: all but translations and rotations of the skeletons."""
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    firsts: dict[int, int] = {}
    ours = {(t.locate(node), path) for t in targets for node in t.rig.nodes for path in ("translation", "rotation")}
    kept = set()
    for target in targets:
        if target.read is None:
            continue
        entry = document.pick("animations", target.read.index)
        if target.read.index not in firsts:
            firsts[target.read.index] = len(samplers)
            samplers += copy.deepcopy(document.objects("samplers", entry))
        for channel in document.objects("channels", entry):
            aim = document.mapping(channel, "target")
            node = aim.get("node")
            if target.copies:
                if node not in target.copies:
                    continue
                aim = {**aim, "node": target.copies[node]}
            label = json.dumps(aim, sort_keys=True)
            if label not in kept and (aim.get("node"), document.text(aim, "path")) not in ours:
                kept.add(label)
                sampler = firsts[target.read.index] + document.integer(channel, "sampler")
                channels.append({**channel, "sampler": sampler, "target": aim})
    return samplers, channels


def _drop_unused_samplers(document: Document, entry: dict[str, Any]) -> None:
    used = sorted({document.integer(channel, "sampler") for channel in entry["channels"]})
    if used[-1] >= len(entry["samplers"]):
        raise document.error("an animation channel refers to a sampler that does not exist")
    entry["samplers"] = [entry["samplers"][sampler] for sampler in used]
    place = {sampler: index for index, sampler in enumerate(used)}
    for channel in entry["channels"]:
        channel["sampler"] = place[channel["sampler"]]


def _as_parts(nodes: NodeTree, node: int, moved: int) -> None:
    """Convert the matrix of `moved`, a copy of `node`, to translation, rotation and scale: only these can move."""
    entry = nodes.entries[moved]
    if "matrix" in entry:
        translation, rotation, scale = nodes.rest(node)
        del entry["matrix"]
        entry |= {
            "translation": translation.tolist(),
            "rotation": np.roll(rotation, -1).tolist(),
            "scale": scale.tolist(),
        }
