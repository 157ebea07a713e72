"""Damage a valid file: its bytes, its words, lines and numbers, or the tree of JSON, YAML and archives."""

from __future__ import annotations

import copy
import io
import json
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import numpy as np
import yaml

Mutation = Callable[[bytes, Random], bytes]

NUMBERS = (
    *(
        "nan",
        "inf",
        "-inf",
        "1e308",
        "-1e308",
        "1e400",
        "1e-320",
        "0",
        "-0.0",
        "-1",
        "0.5",
        "2147483648",
        "-2147483649",
    ),
    *("9223372036854775808", "9" * 400, "9" * 5000, "1_0", "0x1F", "1e", "--1", "1,5", "٣", "½"),
)
WORDS = (
    "",
    "\x1b[31mred\x07",
    "\u202eright",
    "\x00",
    "a" * 5000,
    "é" * 300,
    "../../../etc/passwd",
    "None",
    "'",
    '"',
    "{",
    "}",
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 0.5, 1e308, -1e308, 1e200, float("nan"), float("inf"), -0.0),
    *(
        "",
        "x",
        "\x1b[31m",
        "a" * 5000,
        "nan",
        [],
        {},
        [[]],
        [None],
        [1, 2, 3],
        {"a": 1},
        {"": {}},
        [1e308] * 3,
        list(range(999)),
    ),
)
_NUMBER = re.compile(rb"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_][\w.]*")


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """Flip, remove, insert or repeat bytes, or cut the file."""
    out = bytearray(data)
    for _ in range(random.randint(1, 6)):
        place = random.randrange(len(out) + 1)
        kind = random.randrange(6)
        if kind == 0:
            out[place : place + 1] = bytes([random.randrange(256)])
        elif kind == 1:
            del out[place : place + random.randint(1, 40)]
        elif kind == 2:
            out[place:place] = random.randbytes(random.randint(1, 12))
        elif kind == 3:
            out[place:place] = out[place : place + random.randint(1, 200)]
        elif kind == 4:
            width, code = random.choice(((2, "<h"), (4, "<i"), (4, "<f"), (8, "<d")))
            number = (
                random.choice((0, -1, 1, 32767, -32768))
                if code in ("<h", "<i")
                else random.choice((0.0, float("nan"), float("inf"), -1e30, 1e30))
            )
            out[place : place + width] = struct.pack(code, number)
        elif random.random() < 0.3:
            del out[place:]
    return bytes(out)


def mutate_text(data: bytes, random: Random) -> bytes:
    """Change numbers, words and lines."""
    for _ in range(random.randint(1, 3)):
        kind = random.randrange(5)
        if kind <= 1:
            data = _replace(data, _NUMBER, random.choice(NUMBERS).encode(), random)
        elif kind == 2:
            words = [found.group() for found in _WORD.finditer(data)]
            data = _replace(data, _WORD, random.choice([*words, *(word.encode() for word in WORDS)]), random)
        elif kind == 3:
            data = _mutate_lines(data, random)
        else:
            data = mutate_bytes(data, random)
    return data


def _replace(data: bytes, pattern: re.Pattern[bytes], by: bytes, random: Random) -> bytes:
    spots = [found.span() for found in pattern.finditer(data)]
    if not spots:
        return data
    start, stop = random.choice(spots)
    return data[:start] + by + data[stop:]


def _mutate_lines(data: bytes, random: Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    kind = random.randrange(4)
    if kind == 0:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 1:
        del lines[one : one + random.randint(1, 5)]
    elif kind == 2:
        lines[one:one] = lines[other : other + random.randint(1, 5)]
    else:
        lines[one] = lines[one].rstrip() + b" " + lines[other]
    return b"".join(lines)


def mutate_tree(tree: Any, random: Random) -> Any:
    """Change some values of a tree of lists and mappings."""
    tree = copy.deepcopy(tree)
    for _ in range(random.randint(1, 3)):
        spots = list(_list_spots(tree))
        if not spots:
            return copy.deepcopy(random.choice(VALUES))
        parent, key = random.choice(spots)
        kind = random.randrange(6)
        if kind <= 2:
            parent[key] = copy.deepcopy(random.choice(VALUES))
        elif kind == 3:
            del parent[key]
        elif kind == 4:
            holder, other = random.choice(spots)
            parent[key] = copy.deepcopy(holder[other])
        elif isinstance(parent, list):
            parent.insert(key, copy.deepcopy(parent[key]))
        else:
            parent[random.choice(("", "x", str(key).upper(), "\x1b[31m"))] = parent.pop(key)
    return tree


def _list_spots(tree: Any) -> Iterator[tuple[Any, Any]]:
    keys = range(len(tree)) if isinstance(tree, list) else list(tree) if isinstance(tree, dict) else ()
    for key in keys:
        yield tree, key
        yield from _list_spots(tree[key])


def dump_json(tree: Any) -> bytes:
    """Return a tree as JSON, with NaN and infinities."""
    return json.dumps(tree).encode()


def mutate_json(data: bytes, random: Random) -> bytes:
    """Change the tree of a JSON file, or its text."""
    if random.random() < 0.3:
        return mutate_text(data, random)
    return dump_json(mutate_tree(json.loads(data), random))


def mutate_lines(data: bytes, random: Random) -> bytes:
    """Change the tree of one line of JSON, or the text."""
    if random.random() < 0.3:
        return mutate_text(data, random)
    lines = data.splitlines()
    number = random.randrange(len(lines))
    lines[number] = dump_json(mutate_tree(json.loads(lines[number]), random))
    return b"\n".join(lines) + b"\n"


def mutate_yaml(data: bytes, random: Random) -> bytes:
    """Change the tree of a YAML file, or its text."""
    if random.random() < 0.4:
        return mutate_text(data, random)
    tree = mutate_tree(yaml.load(data, Loader=yaml.CSafeLoader), random)
    return yaml.dump(tree, Dumper=yaml.CSafeDumper).encode()


def mutate_glb(data: bytes, random: Random) -> bytes:
    """Change the tree or the numbers of a GLB file, whose lengths stay right, or any bytes."""
    if random.random() < 0.3:
        return mutate_bytes(data, random)
    (length,) = struct.unpack_from("<I", data, 12)
    document, binary = data[20 : 20 + length], data[28 + length :]
    if random.random() < 0.8:
        document = dump_json(mutate_tree(json.loads(document), random))
    else:
        binary = mutate_bytes(binary, random)
    document += b" " * (-len(document) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = (
        struct.pack("<II", len(document), 0x4E4F534A) + document + struct.pack("<II", len(binary), 0x004E4942) + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def mutate_npz(data: bytes, random: Random) -> bytes:
    """Change an array, its header, the description or the members of an archive, whose checksums stay right."""
    if random.random() < 0.15:
        return mutate_bytes(data, random)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = "about.npy" in members
    name = random.choice(list(members)) if random.random() < 0.5 or not about else "about.npy"
    members[name] = _mutate_member(name, members[name], random)
    if random.random() < 0.1:
        del members[random.choice(list(members))]
    out = io.BytesIO()
    packed = zipfile.ZIP_DEFLATED if random.random() < 0.05 else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", packed) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    damaged = bytearray(out.getvalue())
    if random.random() < 0.05:
        damaged = damaged.replace(b"PK\x01\x02\x14\x03\x14\0\0", b"PK\x01\x02\x14\x03\x14\0\x01")  # encrypted
    return bytes(damaged)


def _mutate_member(name: str, content: bytes, random: Random) -> bytes:
    array = np.load(io.BytesIO(content))
    if name == "about.npy":
        about = mutate_tree(json.loads(array.tobytes()), random)
        return _save(np.frombuffer(dump_json(about), dtype=np.uint8))
    kind = random.randrange(6)
    if kind == 0:
        return (
            content[:80].replace(b"(", random.choice((b"(9999999999,", b"(-1,", b"((", b"(" + b"9" * 30 + b",")), 1)
            + content[80:]
        )
    if kind == 1:
        return mutate_bytes(content, random)
    if kind == 2:
        return _save(array.astype(random.choice(("c16", "f4", "i8", "?", "U3", "M8[s]", "S2"))))
    if kind == 3:
        return _save(
            random.choice(
                (
                    array[:0],
                    array[..., None],
                    array.ravel(),
                    array[1:],
                    np.concatenate((array, array)) if array.ndim else array[None],
                )
            )
        )
    array = array.copy()
    if array.size and array.dtype.kind in "fiub":
        hostile = (
            (np.nan, np.inf, -1e308, 1e308, 1e99, 1e9, 1e-300, 0.0, -1.0) if array.dtype.kind == "f" else (0, 1, 127)
        )
        array.flat[random.randrange(array.size)] = random.choice(hostile)
    return _save(array)


def _save(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=False)
    return out.getvalue()
