"""Read the JSON, buffers and accessors of a glTF file, with every reference and size checked.

The JSON is read with `json` and not with pygltflib, for two reasons: pygltflib does not check shapes and sizes, so that
a damaged file can raise any exception or allocate any amount, and it drops empty values and unknown fields, while
`replace` must keep everything in the file.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array

MAX_FILE = 2**30
MAX_NUMBERS = 50_000_000
"""Largest total of numbers in all accessors of a file: about an hour of 60 joints at 30 frames per second."""
MAX_NODES = 200_000
_COMPONENTS = {
    5120: ("<i1", 127.0),
    5121: ("<u1", 255.0),
    5122: ("<i2", 32767.0),
    5123: ("<u2", 65535.0),
    5125: ("<u4", None),
    5126: ("<f4", None),
}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
_AGAIN = "the file is damaged or truncated: export it again"


class Document:
    """The JSON of a glTF file, with checked access to the data it refers to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        raw = self._read_file(path)
        text, self._binary = self._split(raw) if raw[:4] == b"glTF" else (raw, None)
        try:
            self.json = json.loads(text.decode("utf-8-sig"), parse_int=_parse_int)
        except (ValueError, RecursionError) as error:
            kind = "nested too deeply" if isinstance(error, RecursionError) else "not valid JSON"
            raise self.error(f"not a glTF file: {kind}") from None
        if not isinstance(self.json, dict):
            raise self.error("not a glTF file: its JSON is not an object")
        version = str(self.mapping(self.json, "asset").get("version", "2.0"))
        if not version.startswith("2"):
            raise self.error(f"glTF version {version[:20]}, not 2.0", "export it as glTF 2.0")
        self._buffers: dict[int, bytes] = {}
        self._arrays: dict[int, Array] = {}
        self._lists: dict[str, list[dict[str, Any]]] = {}
        self._numbers = 0

    def error(self, problem: str, fix: str = _AGAIN) -> InputError:
        """Return an error about this file, to be raised."""
        return InputError(problem, file=self.path, fix=fix)

    def objects(self, key: str, owner: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        """Return a list of JSON objects; empty where the key is missing."""
        if owner is None and key in self._lists:
            return self._lists[key]
        values = (self.json if owner is None else owner).get(key, [])
        if not isinstance(values, list) or not all(isinstance(v, dict) for v in values):
            raise self.error(f"'{key}' is not a list of objects")
        if owner is None:
            self._lists[key] = values
        return values

    def mapping(self, owner: dict[str, Any], key: str) -> dict[str, Any]:
        """Return a JSON object; empty where the key is missing."""
        value = owner.get(key, {})
        if not isinstance(value, dict):
            raise self.error(f"'{key}' is not an object")
        return value

    def integer(self, owner: dict[str, Any], key: str, default: int | None = None) -> int:
        """Return a count or an index, 0 or more."""
        value = owner.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.error(f"'{key}' is not a whole number")
        return value

    def text(self, owner: dict[str, Any], key: str, default: str = "") -> str:
        """Return a string; the default where the key is missing."""
        value = owner.get(key, default)
        return value if isinstance(value, str) else ""

    def indices(self, owner: dict[str, Any], key: str, below: int) -> list[int]:
        """Return a list of indices, each smaller than `below`."""
        values = owner.get(key, [])
        if not isinstance(values, list):
            raise self.error(f"'{key}' is not a list")
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < below:
                raise self.error(f"'{key}' refers to something that does not exist")
        return values

    def pick(self, key: str, index: int) -> dict[str, Any]:
        """Return one object of a top-level list."""
        values = self.objects(key)
        if index >= len(values):
            raise self.error(f"index {index} of '{key}' is out of range: there are {len(values)}")
        return values[index]

    def numbers(self, owner: dict[str, Any], key: str, default: tuple[float, ...]) -> Array:
        """Return a short list of finite numbers, as long as its default."""
        values = owner.get(key, default)
        good = isinstance(values, list | tuple) and len(values) == len(default)
        if not good or not all(isinstance(v, int | float) and abs(v) < 1e30 for v in values):
            raise self.error(f"'{key}' is not a list of {len(default)} numbers")
        return np.array(values, dtype=float)

    def accessor(self, index: int, width: int) -> Array:
        """Return the numbers (count, width) of an accessor; normalised integers become fractions."""
        if index not in self._arrays:
            self._arrays[index] = self._load(self.pick("accessors", index), width)
        if self._arrays[index].shape[1] != width:
            raise self.error(f"accessor {index} does not hold {width} numbers per element")
        return self._arrays[index]

    def _load(self, accessor: dict[str, Any], width: int) -> Array:
        kind, count = accessor.get("componentType"), self.integer(accessor, "count")
        if not isinstance(kind, int) or kind not in _COMPONENTS:
            raise self.error("an accessor holds numbers of an unknown type")
        if _WIDTHS.get(self.text(accessor, "type")) != width:
            raise self.error(f"an accessor does not hold {width} numbers per element")
        self._numbers += count * width
        if self._numbers > MAX_NUMBERS:
            raise self.error(f"the animations hold more than {MAX_NUMBERS} numbers", "cut the file into shorter clips")
        dtype, most = _COMPONENTS[kind]
        if "bufferView" in accessor:
            view, start = self.integer(accessor, "bufferView"), self.integer(accessor, "byteOffset", 0)
            values = self._view(view, start, count, width, dtype).astype(float)
        else:
            values = np.zeros((count, width))
        if "sparse" in accessor:
            self._replace_sparse(values, self.mapping(accessor, "sparse"), dtype)
        if accessor.get("normalized") is True and most is not None:
            values = np.maximum(values / most, -1.0)
        if not np.isfinite(values).all():
            raise self.error("an accessor holds a value that is not a finite number")
        return values

    def _replace_sparse(self, values: Array, sparse: dict[str, Any], dtype: str) -> None:
        count, where = self.integer(sparse, "count"), self.mapping(sparse, "indices")
        what = self.mapping(sparse, "values")
        kind = where.get("componentType")
        if not isinstance(kind, int) or kind not in _COMPONENTS:
            raise self.error("a sparse accessor has indices of an unknown type")
        index_view, index_start = self.integer(where, "bufferView"), self.integer(where, "byteOffset", 0)
        rows = self._view(index_view, index_start, count, 1, _COMPONENTS[kind][0])[:, 0].astype(np.int64)
        if ((rows < 0) | (rows >= len(values))).any():
            raise self.error("a sparse accessor refers to elements out of range")
        view, start = self.integer(what, "bufferView"), self.integer(what, "byteOffset", 0)
        values[rows] = self._view(view, start, count, values.shape[1], dtype)

    def _view(self, index: int, start: int, count: int, width: int, dtype: str) -> np.ndarray[Any, Any]:
        view = self.pick("bufferViews", index)
        if "EXT_meshopt_compression" in self.mapping(view, "extensions"):
            raise self.error("the animation is compressed with meshopt", "export it without compression")
        data = self.buffer(self.integer(view, "buffer"))
        size = np.dtype(dtype).itemsize
        stride = self.integer(view, "byteStride", size * width)
        first, length = self.integer(view, "byteOffset", 0), self.integer(view, "byteLength")
        end = start + stride * (count - 1) + size * width if count else start
        if stride < size * width or end > length or first + length > len(data):
            raise self.error("an accessor refers to bytes outside its buffer")
        return np.ndarray((count, width), dtype, data, first + start, (stride, size))

    def buffer(self, index: int) -> bytes:
        """Return the bytes of a buffer: in the file, in a data URI or in a separate file."""
        if index not in self._buffers:
            self._buffers[index] = self._load_buffer(index)
        return self._buffers[index]

    def _load_buffer(self, index: int) -> bytes:
        entry = self.pick("buffers", index)
        if "uri" in entry:
            data = self.resource(entry["uri"])
        elif index == 0 and self._binary is not None:
            data = self._binary
        else:
            raise self.error(f"buffer {index} has no data")
        if self.integer(entry, "byteLength") > len(data):
            raise self.error(f"buffer {index} is shorter than the {entry['byteLength']} bytes it declares")
        return data

    def resource(self, uri: Any) -> bytes:
        """Return the content of a data URI, or of a file in the same folder or below; other locations are errors."""
        if not isinstance(uri, str):
            raise self.error("a URI is not text")
        if uri.startswith("data:"):
            head, _, body = uri.partition(",")
            try:
                return base64.b64decode(body, validate=True) if head.endswith(";base64") else b""
            except ValueError:
                raise self.error("a data URI is not valid base64") from None
        name = unquote(uri)
        folder = self.path.parent.resolve()
        try:
            outside = urlsplit(uri).scheme != "" or "\\" in name
            target = (folder / name).resolve()
        except (ValueError, OSError):
            outside, target = True, folder
        if outside or not target.is_relative_to(folder):
            raise self.error(f"the file refers to '{uri[:80]}', which is outside its folder", "export it as one .glb")
        return self._read_file(target)

    def _read_file(self, path: Path) -> bytes:
        try:
            if not path.is_file():
                raise self.error(f"file '{path.name[:80]}' does not exist", "keep all files of a glTF together")
            if path.stat().st_size > MAX_FILE:
                raise self.error("the file is larger than 1 GiB", "export only the skeleton and its animation")
            return path.read_bytes()
        except OSError as error:
            raise self.error(f"cannot be read: {error.strerror}", "check the path and its permissions") from None

    def _split(self, raw: bytes) -> tuple[bytes, bytes | None]:
        """Return the JSON and the binary chunk of a GLB."""
        version, total = struct.unpack_from("<2I", raw, 4) if len(raw) >= 12 else (2, len(raw) + 1)
        if version != 2:
            raise self.error(f"GLB version {version}, not 2", "export it as glTF 2.0")
        kind, text, position = self._chunk(raw, 12)
        if total > len(raw) or kind != b"JSON":
            raise self.error("the GLB is truncated")
        kind, binary, _ = self._chunk(raw, position)
        return text, binary if kind == b"BIN\0" else None

    def _chunk(self, raw: bytes, position: int) -> tuple[bytes, bytes, int]:
        """Return kind, content and end of the GLB chunk at a position; empty after the last chunk."""
        if position + 8 > len(raw):
            return b"", b"", position
        (length,) = struct.unpack_from("<I", raw, position)
        start, end = position + 8, position + 8 + length
        if end > len(raw):
            raise self.error("the GLB is truncated")
        return raw[position + 4 : start], raw[start:end], end


def _parse_int(text: str) -> int:
    """Return an integer of 64 bits, which every conversion can take."""
    number = int(text)
    if abs(number) >= 2**63:
        raise ValueError("an integer of more than 64 bits")
    return number
