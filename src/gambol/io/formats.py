"""File formats, detected by extension or by content: gambol's own, and those of other packages by extension.

Another package adds a format as an entry point of the group `gambol.formats`: the name is the extension without its
dot, the object a `MotionFormat`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gambol.errors import GambolError, InputError, missing_file_error
from gambol.plugins import find_plugins, load_plugin, name_package

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from gambol.motion.motion import Motion

BUILT_IN = ("stand", "walk", "run", "jump")
"""Names of the motions that are part of gambol; a path may be one of them."""
READABLE = {
    ".bvh": "bvh", ".amc": "amc", ".glb": "gltf", ".gltf": "gltf", ".vrm": "gltf", ".vrma": "gltf",
    ".c3d": "c3d", ".trc": "trc", ".mot": "table", ".sto": "table",
}  # fmt: skip
RUN_EXTENSION = ".npz"
"""Extension of recorded runs of robots, of fitted models and of other archives, which say what they hold; folders are
not searched for it."""
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


@dataclass(frozen=True)
class MotionFormat:
    """How files of one extension are read and written; an InputError says what is wrong with a file."""

    read: Callable[[Path], Sequence[Motion]] | None = None
    """Returns every character of a file, in the file's own axes and unit; these are detected afterwards."""
    write: Callable[[Motion, Path], object] | None = None
    """Writes one motion, in metres and z up."""


def find_formats() -> dict[str, EntryPoint]:
    """Return the formats of other packages by extension; none is loaded."""
    own = {suffix.removeprefix(".") for suffix in (*READABLE, *WRITABLE)}
    return {f".{name.lower()}": entry for name, entry in find_plugins("gambol.formats", own)[0].items()}


def read_foreign(path: Path) -> Sequence[Motion]:
    """Read a file by the format of another package."""
    reader = _load_format(path.suffix.lower()).read
    if reader is None:
        raise InputError(f"format '{path.suffix}' can be written, but not read", file=path)
    return _use(path, reader, path)


def write_foreign(motion: Motion, path: Path, temporary: Path) -> None:
    """Write a motion to a temporary file by the format of another package that a path is of."""
    writer = _load_format(path.suffix.lower()).write
    assert writer is not None
    _use(path, writer, motion, temporary)


def _use(path: Path, act: Callable[..., Any], *values: Any) -> Any:
    try:
        return act(*values)
    except (GambolError, OSError):
        raise
    except Exception as error:
        package = name_package(find_formats()[path.suffix.lower()])
        problem = f"{package} failed on this file: {type(error).__name__}: {error}"
        raise InputError(problem, file=path, fix=f"report it to the authors of {package}") from error


def _load_format(suffix: str) -> MotionFormat:
    return load_plugin(find_formats()[suffix], _check_format)


def _check_format(found: Any) -> MotionFormat:
    if not isinstance(found, MotionFormat):
        raise TypeError("expected a gambol.MotionFormat")
    return found


def check_writable_format(path: Path) -> str:
    """Return the extension of an output path, if that format can be written."""
    suffix = path.suffix.lower()
    if suffix in WRITABLE or (suffix in (found := find_formats()) and _load_format(suffix).write is not None):
        return suffix
    raise unwritable_format_error(path, (*WRITABLE, *found))


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
    if suffix in READABLE:
        return READABLE[suffix]
    if suffix == RUN_EXTENSION and (found := _detect_archive(path)):
        return found
    if suffix in find_formats():
        return suffix
    if suffix == RUN_EXTENSION:
        return "run"
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
    known = dict.fromkeys((*READABLE, RUN_EXTENSION, *find_formats()))
    raise InputError("unknown file format", file=path, fix=f"supported: {', '.join(known)}")


def _detect_archive(path: Path) -> str:
    """Return the format of an archive that gambol wrote, empty for another; refuse one that holds no motion."""
    from gambol.io.archive import name_one, read_archive_kind

    kind = read_archive_kind(path)
    if kind in ("", "recorded run"):
        return kind and "run"
    raise InputError(f"the file holds {name_one(kind)}, not a motion", file=path, fix="load it with gambol.load_model")
