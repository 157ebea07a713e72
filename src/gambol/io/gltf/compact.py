"""Remove unused accessors, buffer views and their bytes from a glTF document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

# Extensions with their own references to accessors or buffer views: files that use them are not compacted.
_OWN_REFERENCES = ("draco", "meshopt", "instancing", "metadata", "features", "gaussian")


def compact(document: dict[str, Any], data: bytes) -> bytes:
    """Remove unused accessors and buffer views from the JSON, in place, and return the bytes still in use."""
    names = " ".join(map(str, document.get("extensionsUsed", []))).lower()
    if any(word in names for word in _OWN_REFERENCES):
        return data
    _keep_used(document, "accessors", list(_accessor_references(document)))
    _keep_used(document, "bufferViews", list(_view_references(document)))
    out = bytearray()
    for view in document.get("bufferViews", []):
        start = view.get("byteOffset", 0)
        out += b"\0" * (-len(out) % 4)
        view["byteOffset"] = len(out)
        out += data[start : start + view["byteLength"]]
    return bytes(out)


Reference = tuple[dict[str, Any], str]


def _keep_used(document: dict[str, Any], kind: str, references: list[Reference]) -> None:
    """Keep the entries of a list that are referenced, and renumber the references."""
    used = sorted({holder[key] for holder, key in references})
    moved = {old: new for new, old in enumerate(used)}
    for holder, key in references:
        holder[key] = moved[holder[key]]
    if kind in document:
        document[kind] = [document[kind][index] for index in used]


def _accessor_references(document: dict[str, Any]) -> Iterator[Reference]:
    for mesh in document.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            for attributes in (primitive.get("attributes", {}), *primitive.get("targets", [])):
                yield from ((attributes, name) for name in attributes)
            if "indices" in primitive:
                yield primitive, "indices"
    yield from ((skin, "inverseBindMatrices") for skin in document.get("skins", []) if "inverseBindMatrices" in skin)
    for animation in document.get("animations", []):
        for sampler in animation.get("samplers", []):
            yield sampler, "input"
            yield sampler, "output"


def _view_references(document: dict[str, Any]) -> Iterator[Reference]:
    for holder in (*document.get("accessors", []), *document.get("images", [])):
        if "bufferView" in holder:
            yield holder, "bufferView"
        for part in ("indices", "values"):
            if "sparse" in holder:
                yield holder["sparse"][part], "bufferView"
