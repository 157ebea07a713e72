"""The humanoid bones that VRM files name: VRM 0.x, VRM 1.0 and VRM animations (.vrma)."""

from __future__ import annotations

from typing import Any

from gambol.io.gltf.document import Document
from gambol.io.gltf.nodes import FileRig
from gambol.motion.rig import Rig, find_missing_parts
from gambol.motion.rig_names import BODY_PARTS
from gambol.motion.skeleton import Skeleton

_EXTENSIONS = {"VRM": "VRM 0.x", "VRMC_vrm": "VRM 1.0", "VRMC_vrm_animation": "VRM animation"}
_MIDLINE = {"pelvis": "hips", "spine": "spine", "neck": "neck", "head": "head"}
_SIDED = {
    "collar": "Shoulder", "upper_arm": "UpperArm", "forearm": "LowerArm", "hand": "Hand",
    "thigh": "UpperLeg", "shank": "LowerLeg", "foot": "Foot", "toes": "Toes",
}  # fmt: skip


def read_humanoid_bones(document: Document) -> tuple[str, dict[str, int]]:
    """Return the kind of humanoid that a file describes and the node of each body part; empty where there is none."""
    extensions = document.mapping(document.json, "extensions")
    for extension, kind in _EXTENSIONS.items():
        humanoid = document.mapping(document.mapping(extensions, extension), "humanoid")
        if bones := humanoid.get("humanBones"):
            listed = _list_bones(document, humanoid) if isinstance(bones, list) else bones
            return kind, _map_parts(document, listed if isinstance(listed, dict) else {})
    return "", {}


def find_humanoid_rig(document: Document, rig: FileRig, skeleton: Skeleton) -> tuple[Rig | None, str | None]:
    """Return the rig that a VRM file describes for a skeleton, or a note of what it lacks; both None without VRM."""
    kind, bones = read_humanoid_bones(document)
    index = {node: joint for joint, node in enumerate(rig.nodes)}
    parts = {part: index[node] for part, node in bones.items() if node in index}
    if not parts:
        return None, None
    if missing := find_missing_parts(skeleton, parts):
        return None, f"the {kind} bone map lacks {missing}: the rig was recognised by names or shape instead"
    return Rig(kind, parts), None


def _list_bones(document: Document, humanoid: dict[str, Any]) -> dict[str, Any]:
    """Return the list of VRM 0.x as the mapping of VRM 1.0."""
    return {document.text(entry, "bone"): entry for entry in document.objects("humanBones", humanoid)}


def _map_parts(document: Document, bones: dict[str, Any]) -> dict[str, int]:
    chest = "upperChest" if "upperChest" in bones else "chest"
    names = {**_MIDLINE, "chest": chest} | {
        f"{side}_{part}": f"{side}{bone}" for side in ("left", "right") for part, bone in _SIDED.items()
    }
    count = len(document.objects("nodes"))
    found = {}
    for part in BODY_PARTS:
        if names[part] not in bones:
            continue
        node = document.integer(document.mapping(bones, names[part]), "node")
        if node >= count:
            raise document.error(f"the bone '{names[part]}' refers to a node that does not exist")
        found[part] = node
    return found
