"""The node tree of a glTF file and the skeletons in it.

A skeleton is the joints of the skins that share them, the nodes between those joints, and the empty
nodes below them, which mark where bones end. What stands above it (an "Armature" that is turned and
scaled) is its stand. Where a file has no skin, the nodes that are animated are taken for joints.
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
    """Frames over time: positions (frames, 3), rotations (frames, 4) and one size."""

    positions: Array
    rotations: Array
    size: float

    def then(self, inner: Similarity) -> Similarity:
        """The frames of something that is placed by `inner` in these frames."""
        return Similarity(
            self.positions + self.size * quat.rotate(self.rotations, inner.positions),
            quat.multiply(self.rotations, inner.rotations),
            self.size * inner.size,
        )


_IDENTITY = Similarity(np.zeros((1, 3)), quat.IDENTITY[None], 1.0)


class NodeTree:
    """Every node: name, parent, rest frame."""

    def __init__(self, document: Document) -> None:
        entries = document.objects("nodes")
        if len(entries) > MAX_NODES:
            raise document.error(f"it has {len(entries)} nodes", f"leave at most {MAX_NODES} nodes in it")
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
        ahead = [node for node in reversed(range(len(self.entries))) if self.parents[node] < 0]
        while ahead:
            order.append(ahead.pop())
            ahead.extend(reversed(self.children[order[-1]]))
        if len(order) < len(self.entries):
            raise self.document.error("its nodes are their own ancestors")
        return order

    def rest(self, node: int) -> tuple[Array, Array, Array]:
        """Translation, rotation (w, x, y, z) and the three scales of a node."""
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

    def frames(self, node: int, clip: Animation | None, times: Array, nearly: float) -> tuple[Array, Array]:
        """Translations (times, 3) and rotations (times, 4) of a node as an animation moves it."""
        translation, rotation, _ = self.rest(node)
        move = clip.track(node, "translation") if clip else None
        turn = clip.track(node, "rotation") if clip else None
        return (
            np.tile(translation, (len(times), 1)) if move is None else move.at(times, nearly),
            np.tile(rotation, (len(times), 1)) if turn is None else turn.at(times, nearly),
        )

    def size(self, node: int, clip: Animation | None) -> tuple[float, str | None]:
        """The one scale that stands for a node, and a note where it does not tell all."""
        scale, name = self.rest(node)[2], self.names[node]
        track = clip.track(node, "scale") if clip else None
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
            return size, f"'{name}' is scaled unequally: its mean scale was used"
        return size, None


@dataclass(frozen=True)
class FileRig:
    """A skeleton in a file: its nodes, depth-first, and the nodes above its root, top first."""

    nodes: tuple[int, ...]
    names: tuple[str, ...]
    stand: tuple[int, ...]

    @property
    def all_nodes(self) -> frozenset[int]:
        """Every node that moves it."""
        return frozenset((*self.nodes, *self.stand))

    def standing(self, nodes: NodeTree, clip: Animation | None, times: Array, nearly: float) -> Similarity:
        """World frames of what is above the root."""
        frames = _IDENTITY
        for node in self.stand:
            frames = frames.then(Similarity(*nodes.frames(node, clip, times, nearly), nodes.size(node, clip)[0]))
        return frames

    def sizes_outside(self, nodes: NodeTree, clip: Animation | None) -> Array:
        """(nodes,) accumulated scale of the frame each node is placed in."""
        outside = dict.fromkeys(self.nodes[:1], 1.0)
        for node in self.stand:
            outside[self.nodes[0]] *= nodes.size(node, clip)[0]
        for node in self.nodes[1:]:
            parent = nodes.parents[node]
            outside[node] = outside[parent] * nodes.size(parent, clip)[0]
        return np.array([outside[node] for node in self.nodes])

    def scale_notes(self, nodes: NodeTree, clip: Animation | None) -> list[str]:
        """What the scales of its nodes lose."""
        return [note for node in (*self.stand, *self.nodes) if (note := nodes.size(node, clip)[1])]


def find_rigs(nodes: NodeTree, animated: Iterable[int]) -> list[FileRig]:
    """The skeletons of a file; from the animated nodes where nothing is skinned."""
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
        raise document.error(f"it has {len(groups)} skeletons", f"leave at most {MAX_RIGS} in it")
    return [_rig(nodes, group, joints, top, bare) for group in groups]


def _tops(nodes: NodeTree, joints: set[int]) -> tuple[list[int], list[int]]:
    """For each node the root of its tree, and the highest joint at or above it (-1 where there is none)."""
    tree, top = [-1] * len(nodes.entries), [-1] * len(nodes.entries)
    for node in nodes.order:
        parent = nodes.parents[node]
        tree[node] = node if parent < 0 else tree[parent]
        above = -1 if parent < 0 else top[parent]
        top[node] = above if above >= 0 else node if node in joints else -1
    return tree, top


def _connected(sets: Iterable[set[int]], count: int) -> list[set[int]]:
    """The sets of numbers below `count`, merged where they share a member."""
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
        raise nodes.document.error(f"a skeleton of {len(ordered)} joints", f"use at most {MAX_JOINTS} joints")
    stand = []
    while (root := nodes.parents[root]) >= 0:
        stand.append(root)
    if len(stand) > MAX_ANCESTORS:
        raise nodes.document.error(f"a skeleton {len(stand)} nodes deep", f"put at most {MAX_ANCESTORS} above it")
    return FileRig(ordered, _unique(nodes.names[node] for node in ordered), tuple(reversed(stand)))


def _common_ancestor(nodes: NodeTree, tops: set[int]) -> int:
    below = [0] * len(nodes.entries)
    for node in reversed(nodes.order):
        below[node] += node in tops
        if nodes.parents[node] >= 0:
            below[nodes.parents[node]] += below[node]
    return next(node for node in reversed(nodes.order) if below[node] == len(tops))


def _ends(nodes: NodeTree, bare: bool) -> list[bool]:
    """Which nodes, with all below them, carry nothing to see: they belong to the joint above.

    Without skins the visible parts are the bones themselves.
    """
    empty = [False] * len(nodes.entries)
    for node in reversed(nodes.order):
        entry = nodes.entries[node]
        alone = "camera" not in entry and (bare or not {"mesh", "skin", "extensions"} & entry.keys())
        empty[node] = alone and all(empty[child] for child in nodes.children[node])
    return empty


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    """Names with a number after those that came before."""
    unique: dict[str, None] = {}
    tries: dict[str, int] = {}
    for name in names:
        fresh = name
        while fresh in unique:
            tries[name] = tries.get(name, 1) + 1
            fresh = f"{name}_{tries[name]}"
        unique[fresh] = None
    return tuple(unique)
