"""Pack arrays into the buffer, buffer views, accessors and animation curves of a glTF file."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array

ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER = 34962, 34963
_COMPONENTS = {"uint8": 5121, "uint16": 5123, "uint32": 5125, "float32": 5126}
_TYPES = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Packer:
    """Appends arrays to the bytes, buffer views and accessors that a file already has."""

    def __init__(self, data: bytes = b"", views: int = 0, accessors: int = 0) -> None:
        self.data = bytearray(data)
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self._first_view, self._first_accessor = views, accessors

    def add(self, array: np.ndarray[Any, Any], target: int | None = None, bounds: bool = False) -> int:
        """Store an array (count,) or (count, width) and return the index of its accessor."""
        self.data += b"\0" * (-len(self.data) % 4)
        rows = np.ascontiguousarray(array).reshape(len(array), -1)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": rows.nbytes}
        accessor: dict[str, Any] = {
            "bufferView": self._first_view + len(self.views),
            "componentType": _COMPONENTS[rows.dtype.name],
            "count": len(rows),
            "type": _TYPES[rows.shape[1]],
        }
        if target is not None:
            view["target"] = target
        if bounds:
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.data += rows.astype(rows.dtype.newbyteorder("<")).tobytes()
        self.views.append(view)
        self.accessors.append(accessor)
        return self._first_accessor + len(self.accessors) - 1


class Curves:
    """The samplers and channels of one animation."""

    def __init__(self, packer: Packer, samplers: int = 0) -> None:
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []
        self._packer, self._first = packer, samplers

    def add(self, times: Array, moves: dict[int, Array], turns: dict[int, Array]) -> None:
        """Add linear curves at shared times: translations (frames, 3) and rotations (frames, 4) by node."""
        shared = self._packer.add(times.astype(np.float32), bounds=True)
        for node, values in moves.items():
            self._channel(shared, node, "translation", values)
        for node, values in turns.items():
            self._channel(shared, node, "rotation", np.roll(quat.make_continuous(values), -1, axis=1))

    def _channel(self, times: int, node: int, path: str, values: Array) -> None:
        output = self._packer.add(values.astype(np.float32))
        sampler = self._first + len(self.samplers)
        self.samplers.append({"input": times, "interpolation": "LINEAR", "output": output})
        self.channels.append({"sampler": sampler, "target": {"node": node, "path": path}})


def build_gltf(document: dict[str, Any], data: bytes | bytearray) -> str:
    """Return the JSON of a document whose only buffer is `data`, embedded."""
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps({**document, "buffers": [{**document["buffers"][0], "uri": uri}]}, indent=1, allow_nan=False)


def build_glb(document: dict[str, Any], data: bytes | bytearray) -> bytes:
    """Return the GLB container of a document whose only buffer is `data`."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 4)
    binary = bytes(data) + b"\0" * (-len(data) % 4)
    total = 12 + 8 + len(text) + 8 + len(binary)
    return b"".join(
        (
            struct.pack("<4s2I", b"glTF", 2, total),
            struct.pack("<I4s", len(text), b"JSON"),
            text,
            struct.pack("<I4s", len(binary), b"BIN\0"),
            binary,
        )
    )
