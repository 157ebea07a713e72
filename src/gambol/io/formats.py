"""Known file formats, detected by extension or by content."""

from __future__ import annotations

from pathlib import Path

from gambol.errors import InputError

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
_FBX = "open it in Blender and export glTF 2.0 (.glb) or Motion Capture (.bvh): File > Export"


def check_writable_format(path: Path) -> str:
    """Return the extension of an output path, if that format can be written."""
    suffix = path.suffix.lower()
    if suffix not in WRITABLE:
        raise InputError(f"format '{suffix}' cannot be written", file=path, fix=f"choose one of {', '.join(WRITABLE)}")
    return suffix


def detect_format(path: Path) -> str:
    """Return the format of a file by its extension, else by its content."""
    if not path.exists():
        near = sorted(p.name for p in path.parent.glob("*") if p.suffix.lower() in READABLE)[:5]
        hint = f"files in that folder: {', '.join(near)}" if near else "check the path"
        raise InputError("no such file", file=path, fix=hint)
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
        raise InputError("FBX cannot be read", file=path, fix=_FBX)
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
