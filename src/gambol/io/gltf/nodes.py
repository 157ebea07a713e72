"""Find the skeletons in the node tree of a glTF file.

A skeleton consists of the joints of skins that share joints, the nodes between these joints, and the empty nodes below
them, which mark the ends of bones. The nodes above its root (such as a rotated and scaled "Armature") are its
ancestors. In a file without skins, the animated nodes are taken as joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.gltf.document import MAX_NODES, Document
from gambol.io.gltf.tracks import Animation
from gambol.motion.skeleton import MAX_JOINTS

MAX_RIGS = 100
MAX_ANCESTORS = 1000


class Similarity(NamedTuple):
    """Similarity transforms over time: positions (frames, 3), rotations (frames, 4) and one scale."""

    positions: Array
    rotations: Array
    size: float

    def then(self, inner: Similarity) -> Similarity:
        """Return the composition of this transform with `inner`, which is relative to it."""
        return Similarity(
            self.positions + self.size * quat.rotate(self.rotations, inner.positions),
            quat.multiply(self.rotations, inner.rotations),
            self.size * inner.size,
        )


_IDENTITY = Similarity(np.zeros((1, 3)), quat.IDENTITY[None], 1.0)


class NodeTree:
    """All nodes of a file: names, parents, rest frames."""

    def __init__(self, document: Document) -> None:
        entries = document.objects("nodes")
        if len(entries) > MAX_NODES:
            raise document.error(f"the file has {len(entries)} nodes", f"use at most {MAX_NODES} nodes")
        self.document = document
        self.entries = entries
        self.names = [document.text(entry, "name") or f"node_{n}" for n, entry in enumerate(entries)]
        self.children = [document.indices(entry, "children", len(entries)) for entry in entries]
        self.parents = [-1] * len(entries)
        for node, children in enumerate(self.children):
            for child in children:
                if self.parents[child] >= 0:
                    raise document.error(f"node '{self.names[child][:80]}' has two parents")
                self.parents[child] = node
        self.order = self._depth_first()

    def _depth_first(self) -> list[int]:
        order: list[int] = []
        pending = [node for node in reversed(range(len(self.entries))) if self.parents[node] < 0]
        while pending:
            order.append(pending.pop())
            pending.extend(reversed(self.children[order[-1]]))
        if len(order) < len(self.entries):
            raise self.document.error("the node hierarchy has a loop")
        return order

    def rest(self, node: int) -> tuple[Array, Array, Array]:
        """Return translation, rotation (w, x, y, z) and the three scales of a node."""
        entry, document = self.entries[node], self.document
        if "matrix" in entry:
            matrix = document.numbers(entry, "matrix", tuple(np.eye(4).ravel())).reshape(4, 4).T
            scale = np.linalg.norm(matrix[:3, :3], axis=0)
            axes = matrix[:3, :3] / np.where(scale > 0.0, scale, 1.0)
            if np.linalg.det(axes) < 1e-3:
                raise document.error(f"node '{self.names[node][:80]}' is flattened or mirrored")
            return matrix[:3, 3], quat.from_matrix(axes), scale
        turn = document.numbers(entry, "rotation", (0.0, 0.0, 0.0, 1.0))
        if np.linalg.norm(turn) < 1e-6:
            raise document.error(f"node '{self.names[node][:80]}' has a rotation of length 0")
        scale = document.numbers(entry, "scale", (1.0, 1.0, 1.0))
        return document.numbers(entry, "translation", (0.0, 0.0, 0.0)), quat.normalise(np.roll(turn, 1)), scale

    def frames(self, node: int, animation: Animation | None, times: Array, tolerance: float) -> tuple[Array, Array]:
        """Return translations (times, 3) and rotations (times, 4) of a node, animated where it has curves."""
        translation, rotation, _ = self.rest(node)
        move = animation.track(node, "translation") if animation else None
        turn = animation.track(node, "rotation") if animation else None
        return (
            np.tile(translation, (len(times), 1)) if move is None else move.at(times, tolerance),
            np.tile(rotation, (len(times), 1)) if turn is None else turn.at(times, tolerance),
        )

    def size(self, node: int, animation: Animation | None) -> tuple[float, str | None]:
        """Return one uniform scale for a node, and a note where information is lost."""
        scale, name = self.rest(node)[2], self.names[node]
        track = animation.track(node, "scale") if animation else None
        changes = False
        if track is not None:
            curve = track.values if track.values.ndim == 2 else track.values[:, 1]
            changes = bool((np.abs(curve - curve[0]) > 1e-3 * np.abs(curve[0]).max()).any())
            scale = scale if changes else curve[0]
        size = float(np.mean(np.abs(scale)))
        if size < 1e-9:
            return 1.0, f"'{name}' has scale 0, which was ignored"
        if changes:
            return size, f"the scale of '{name}' is animated, which was ignored"
        if (np.abs(scale - size) > 1e-3 * size).any():
            return size, f"'{name}' has a non-uniform scale: its mean was used"
        return size, None


@dataclass(frozen=True)
class FileRig:
    """A skeleton in a file: its nodes, depth-first, and the ancestors of its root, top first."""

    nodes: tuple[int, ...]
    names: tuple[str, ...]
    ancestors: tuple[int, ...]

    @property
    def all_nodes(self) -> frozenset[int]:
        """Every node that moves the skeleton."""
        return frozenset((*self.nodes, *self.ancestors))

    def parents(self, nodes: NodeTree) -> tuple[int, ...]:
        """Return the index of each node's parent among the nodes; -1 for the root."""
        index = {node: joint for joint, node in enumerate(self.nodes)}
        return (-1, *(index[nodes.parents[node]] for node in self.nodes[1:]))

    def ancestor_frames(
        self, nodes: NodeTree, animation: Animation | None, times: Array, tolerance: float
    ) -> Similarity:
        """Return the world frames of the root's parent."""
        frames = _IDENTITY
        for node in self.ancestors:
            frames = frames.then(
                Similarity(*nodes.frames(node, animation, times, tolerance), nodes.size(node, animation)[0])
            )
        return frames

    def parent_scales(self, nodes: NodeTree, animation: Animation | None) -> Array:
        """Return the accumulated scale (nodes,) of each node's parent frame."""
        scales = dict.fromkeys(self.nodes[:1], 1.0)
        for node in self.ancestors:
            scales[self.nodes[0]] *= nodes.size(node, animation)[0]
        for node in self.nodes[1:]:
            parent = nodes.parents[node]
            scales[node] = scales[parent] * nodes.size(parent, animation)[0]
        return np.array([scales[node] for node in self.nodes])

    def scale_notes(self, nodes: NodeTree, animation: Animation | None) -> list[str]:
        """Return notes about scales that are not fully represented."""
        return [note for node in (*self.ancestors, *self.nodes) if (note := nodes.size(node, animation)[1])]


def find_rigs(nodes: NodeTree, animated: Iterable[int]) -> list[FileRig]:
    """Return the skeletons of a file; made of the animated nodes where the file has no skins."""
    document, count = nodes.document, len(nodes.entries)
    skins = document.objects("skins")
    joints = [document.indices(skin, "joints", count) for skin in skins]
    bare = not any(joints)
    if bare:
        joints = [[node for node in set(animated) if node < count and "camera" not in nodes.entries[node]]]
    tree, top = _tops(nodes, {node for group in joints for node in group})
    together: dict[tuple[Any, ...], set[int]] = {}
    for index, group in enumerate(joints):
        shared = ("tree",) if bare else ("skeleton", skins[index].get("skeleton", f"of {index}"))
        for key in (("skin", index), shared):
            for node in group:
                together.setdefault((str(key), tree[node]), set()).add(top[node])
    groups = _connected(together.values(), count)
    if len(groups) > MAX_RIGS:
        raise document.error(f"the file has {len(groups)} skeletons", f"use at most {MAX_RIGS}")
    return [_rig(nodes, group, joints, top, bare) for group in groups]


def _tops(nodes: NodeTree, joints: set[int]) -> tuple[list[int], list[int]]:
    """Return for each node the root of its tree, and the highest joint at or above it (-1 where there is none)."""
    tree, top = [-1] * len(nodes.entries), [-1] * len(nodes.entries)
    for node in nodes.order:
        parent = nodes.parents[node]
        tree[node] = node if parent < 0 else tree[parent]
        above = -1 if parent < 0 else top[parent]
        top[node] = above if above >= 0 else node if node in joints else -1
    return tree, top


def _connected(sets: Iterable[set[int]], count: int) -> list[set[int]]:
    """Merge sets of numbers below `count` that share a member."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    members = [sorted(one) for one in sets]
    links = [(one[0], other) for one in members for other in one]
    if not links:
        return []
    rows, columns = np.array(links).T
    graph = coo_array((np.ones(len(links)), (rows, columns)), shape=(count, count))
    labels = connected_components(graph, directed=False)[1]
    groups: dict[int, set[int]] = {}
    for node in sorted({node for one in members for node in one}):
        groups.setdefault(int(labels[node]), set()).add(node)
    return list(groups.values())


def _rig(nodes: NodeTree, tops: set[int], joints: list[list[int]], top: list[int], bare: bool) -> FileRig:
    root = _common_ancestor(nodes, tops)
    own = {root}
    for node in (node for group in joints for node in group if top[node] in tops):
        while node not in own:
            own.add(node)
            node = nodes.parents[node]
    ends = _ends(nodes, bare)
    for node in nodes.order:
        if top[node] in tops and node not in own and nodes.parents[node] in own and ends[node]:
            own.add(node)
    ordered = tuple(node for node in nodes.order if node in own)
    if len(ordered) > MAX_JOINTS:
        raise nodes.document.error(f"a skeleton has {len(ordered)} joints", f"use at most {MAX_JOINTS} joints")
    ancestors = []
    while (root := nodes.parents[root]) >= 0:
        ancestors.append(root)
    if len(ancestors) > MAX_ANCESTORS:
        raise nodes.document.error(
            f"a skeleton is {len(ancestors)} nodes deep", f"put at most {MAX_ANCESTORS} nodes above it"
        )
    return FileRig(ordered, _unique(nodes.names[node] for node in ordered), tuple(reversed(ancestors)))


def _common_ancestor(nodes: NodeTree, tops: set[int]) -> int:
    below = [0] * len(nodes.entries)
    for node in reversed(nodes.order):
        below[node] += node in tops
        if nodes.parents[node] >= 0:
            below[nodes.parents[node]] += below[node]
    return next(node for node in reversed(nodes.order) if below[node] == len(tops))


def _ends(nodes: NodeTree, bare: bool) -> list[bool]:
    """Return which nodes have nothing visible at or below them: these belong to the joint above.

    Without skins (`bare`) meshes do not count, because they are the bones themselves.
    """
    empty = [False] * len(nodes.entries)
    for node in reversed(nodes.order):
        entry = nodes.entries[node]
        alone = "camera" not in entry and (bare or not {"mesh", "skin", "extensions"} & entry.keys())
        empty[node] = alone and all(empty[child] for child in nodes.children[node])
    return empty


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    """Return names with a number appended to repeated ones."""
    unique: dict[str, None] = {}
    tries: dict[str, int] = {}
    for name in names:
        fresh = name
        while fresh in unique:
            tries[name] = tries.get(name, 1) + 1
            fresh = f"{name}_{tries[name]}"
        unique[fresh] = None
    return tuple(unique)
