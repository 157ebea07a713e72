"""Copy a character within a glTF file: a copy has nodes and skins of its own; meshes, materials and data are shared."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any

from gambol.io.gltf.nodes import FileRig, NodeTree

_PLAIN = ("KHR_", "EXT_")
"""Extensions of nodes that do not refer to other nodes; those of vendors may, and are left out of copies."""


def copy_character(nodes: NodeTree, rig: FileRig, ending: str) -> dict[int, int]:
    """Append copies of the nodes and skins of a character to the JSON and return the copy of each node.

    A character is everything below the root of its skeleton, the meshes with its skins, and the nodes above these.
    `ending` is appended to the names.
    """
    document, entries = nodes.document, nodes.entries
    skins = _copy_skins(nodes, rig)
    dressed = [n for n in nodes.order if "skin" in entries[n] and document.integer(entries[n], "skin") in skins]
    own = sorted(_find_below(nodes, (rig.nodes[0], *dressed)))
    copies = {node: len(entries) + n for n, node in enumerate(own)}
    names = {node: nodes.names[node] for node in own} | dict(zip(rig.nodes, rig.names, strict=True))
    entries += [_copy_node(nodes, node, names[node] + ending, copies, skins) for node in own]
    for _, skin in skins.values():
        skin["joints"] = [copies[joint] for joint in skin["joints"]]
        if skin.get("skeleton") in copies:
            skin["skeleton"] = copies[skin["skeleton"]]
        else:
            skin.pop("skeleton", None)
    for scene in document.objects("scenes"):
        shown = document.indices(scene, "nodes", len(entries))
        shown += [copies[node] for node in shown if node in copies]
    return copies


def _copy_skins(nodes: NodeTree, rig: FileRig) -> dict[int, tuple[int, dict[str, Any]]]:
    """Append copies of the skins on a skeleton; return index and JSON of the copy by the index of the skin."""
    entries, joints = nodes.document.objects("skins"), frozenset(rig.nodes)
    worn = [index for index, skin in enumerate(entries) if skin.get("joints") and joints.issuperset(skin["joints"])]
    copies = {index: (len(entries) + n, copy.deepcopy(entries[index])) for n, index in enumerate(worn)}
    entries += [skin for _, skin in copies.values()]
    return copies


def _find_below(nodes: NodeTree, tops: Iterable[int]) -> set[int]:
    """Return the nodes at or below `tops`, and those above them."""
    below = set(tops)
    for node in nodes.order:
        if nodes.parents[node] in below:
            below.add(node)
    above = set()
    for node in tops:
        while (node := nodes.parents[node]) >= 0:
            above.add(node)
    return below | above


def _copy_node(
    nodes: NodeTree, node: int, name: str, copies: dict[int, int], skins: dict[int, tuple[int, dict[str, Any]]]
) -> dict[str, Any]:
    entry = copy.deepcopy(nodes.entries[node]) | {"name": name}
    parts = {
        "children": [copies[child] for child in nodes.children[node] if child in copies],
        "extensions": {
            key: value for key, value in nodes.document.mapping(entry, "extensions").items() if key.startswith(_PLAIN)
        },
    }
    for key, value in parts.items():
        entry.pop(key, None)
        if value:
            entry[key] = value
    if entry.get("skin") in skins:
        entry["skin"] = skins[entry["skin"]][0]
    return entry
