"""Known file formats, detected by extension or by content."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gambol.errors import InputError, missing_file_error

BUILT_IN = ("stand", "walk", "run", "jump")
"""Names of the motions that are part of gambol; a path may be one of them."""
READABLE = {
    ".bvh": "bvh", ".amc": "amc", ".glb": "gltf", ".gltf": "gltf", ".vrm": "gltf", ".vrma": "gltf",
    ".c3d": "c3d", ".trc": "trc", ".mot": "table", ".sto": "table",
}  # fmt: skip
RUN_EXTENSION = ".npz"
"""Extension of recorded runs of robots; fitted models have it too, so that folders are not searched for it."""
MOTION_EXTENSIONS = (".bvh", ".amc", ".glb", ".gltf", ".vrm", ".vrma")
"""Extensions of motions on a rig; folders are searched for these."""
GLTF_EXTENSIONS = (".glb", ".gltf")
"""Extensions of the forms of glTF that can be written."""
SCENE_EXTENSIONS = (*GLTF_EXTENSIONS, ".usda", ".usdc", ".usd")
"""Extensions of formats that hold several characters."""
WRITABLE = (".bvh", ".glb", ".gltf", ".usda", ".usdc", ".usd", ".mot", ".sto", ".csv")

_HEADS = ((b"HIERARCHY", "bvh"), (b"glTF", "gltf"), (b"PathFileType", "trc"))
_FROM_FBX = "open it in Blender and export glTF 2.0 (.glb) or Motion Capture (.bvh): File > Export"
_TO_FBX = "write .glb, open it in Blender (File > Import > glTF 2.0) and export FBX: File > Export"


def check_writable_format(path: Path) -> str:
    """Return the extension of an output path, if that format can be written."""
    suffix = path.suffix.lower()
    if suffix not in WRITABLE:
        raise unwritable_format_error(path, WRITABLE)
    return suffix


def unwritable_format_error(path: Path, formats: Sequence[str]) -> InputError:
    """Return the error for an output in a format that is none of those that can be written."""
    fix = _TO_FBX if path.suffix.lower() == ".fbx" else f"choose one of {', '.join(formats)}"
    return InputError(f"format '{path.suffix}' cannot be written", file=path, fix=fix)


def detect_format(path: Path) -> str:
    """Return the format of a file by its extension, else by its content."""
    if not path.exists():
        others = sorted(p.name for p in path.parent.glob("*") if p.suffix.lower() in READABLE)[:5]
        raise missing_file_error(
            path, f"files in that folder: {', '.join(others)}" if others else "check the path", BUILT_IN
        )
    if path.is_dir():
        raise InputError("this is a folder, not a file", file=path, fix="name a file in it")
    if not path.is_file():
        raise InputError("this is not an ordinary file", file=path)
    try:
        with path.open("rb") as file:
            head = file.read(2048)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from None
    suffix = path.suffix.lower()
    if suffix == ".fbx" or head.startswith(b"Kaydara FBX") or b"FBXHeaderExtension" in head:
        raise InputError("FBX cannot be read", file=path, fix=_FROM_FBX)
    if suffix == ".asf":
        raise InputError("an ASF holds a skeleton without motion", file=path, fix="name its .amc file")
    if not head.strip():
        raise InputError("the file is empty", file=path)
    if suffix == RUN_EXTENSION:
        return "run"
    if suffix in READABLE:
        return READABLE[suffix]
    for start, kind in _HEADS:
        if head.lstrip().startswith(start):
            return kind
    if head[1:2] == b"\x50" and head[0] in range(1, 16):
        return "c3d"
    if b"endheader" in head:
        return "table"
    if b":FULLY-SPECIFIED" in head.upper():
        return "amc"
    if head.lstrip().startswith(b"{") and b'"asset"' in head:
        return "gltf"
    raise InputError("unknown file format", file=path, fix=f"supported: {', '.join((*READABLE, RUN_EXTENSION))}")
