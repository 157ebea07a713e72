"""Damaged files and files that mean harm: each is read as something finite or refused in one line, and that ends."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.errors import GambolError
from gambol.io.archive import read_arrays
from gambol.learn.gaussian import LatentDynamics, ScaledGplvm
from gambol.respond.latent.response import load_walker_of
from gambol.spacetime.poses import FORMAT
from gambol.styles.style import STYLE_UNITS, PhysicalStyle, find_style_rows
from tests.conftest import REPOSITORY
from tests.hostile.mutate import mutate_json, mutate_npz
from tests.hostile.readers import AMC, ASF, list_readers
from tests.hostile.trial import Reader, make_input, try_file, try_inputs
from tests.interaction.meetings import make_model as make_meeting
from tests.io.test_opensim import TRC
from tests.motion.bodies import person, standing
from tests.primitives.learned import moving
from tests.respond.latent.walkers import make_test_walker
from tests.robots.actions.made import make_model as make_actions
from tests.robots.mjcf import HUMANOID
from tests.terms.bodies import monopod
from tests.waiting import LIMIT, must_end

READERS = list_readers()
FAST = [name for name, reader in READERS.items() if not reader.slow]
# References of robots are archives of other programs, too.
ARCHIVES = [name for name, reader in READERS.items() if reader.mutate is mutate_npz and name != "reference"]
INPUTS = 60
FEWER = {"mjcf": 20, "biped": 20, "robot mapping": 20}
"""Inputs of readers that build a model of a robot, which takes a tenth of a second."""


@pytest.mark.parametrize("name", FAST)
def test_damaged_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    inputs = FEWER.get(name, INPUTS)
    tally = try_inputs(name, READERS[name], tmp_path, range(inputs), LIMIT)
    assert tally.inputs == inputs
    assert not tally.failures
    assert 0 < tally.read < inputs, "the mutations are too weak or too strong to test anything"


def test_the_same_number_is_the_same_input(tmp_path: Path) -> None:
    seeds = {"a": json.dumps({"a": [1, {"b": 2.5}], "c": "text"}).encode()}
    inputs = [make_input(seeds, mutate_json, f"1 json {n}") for n in range(50)]
    assert inputs == [make_input(seeds, mutate_json, f"1 json {n}") for n in range(50)]
    assert len(set(inputs)) > 40


def _grow(_: Path) -> None:
    np.ones(10**9)


def _hang(_: Path) -> None:
    while True:
        pass


def _crash(_: Path) -> None:
    import ctypes

    ctypes.string_at(0)


@pytest.mark.parametrize(
    ("read", "outcome", "seconds"),
    [
        (lambda _: np.array([1.0, np.nan]), "ndarray is not finite", LIMIT),
        (lambda path: path.read_text(encoding="ascii") + 1, "Error at", LIMIT),
        (_grow, "MemoryError", LIMIT),
        (_hang, "more than 0.2 s", 0.2),
        (_crash, "ended with code -11", LIMIT),
    ],
)
def test_what_must_not_happen_is_noticed(
    read: Any, outcome: str, seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.hostile.trial.check_seeds", lambda *_: None)
    (tmp_path / "seed.x").write_bytes(b"a")
    reader = Reader(read, ".x", lambda folder: [folder / "seed.x"], lambda data, _: data)
    tally = try_inputs("bad", reader, tmp_path, range(2), seconds)
    assert tally.inputs == len(tally.failures) == 2
    assert all(outcome in reason for _, reason in tally.failures)


def _npz(header: str, data: bytes = bytes(80), compression: int = zipfile.ZIP_STORED) -> bytes:
    """An archive of a recorded run whose only array has a header of our own."""
    text = header.encode() + b" " * (-(len(header) + 11) % 64) + b"\n"
    about = io.BytesIO()
    np.save(about, np.frombuffer(b'{"gambol recorded run": 1, "values": {}}', dtype=np.uint8))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        archive.writestr("about.npy", about.getvalue())
        archive.writestr("array 0.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data)
    return out.getvalue()


def _savez(**arrays: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


def _header(shape: str = "(10,)", kind: str = "<f8") -> str:
    return f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"


def _encrypt(data: bytes) -> bytes:
    local, central = data.find(b"PK\x03\x04"), data.find(b"PK\x01\x02")
    out = bytearray(data)
    out[local + 6] |= 1
    out[central + 8] |= 1
    return bytes(out)


def _overlap(data: bytes) -> bytes:
    """Every member of an archive is the same, long one."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("about.npy", data)
        archive.filelist *= 50
    return out.getvalue()


# Found by damaging files, each as short as we could write it: the reader, the content, and words of the refusal.
FINDS: dict[str, tuple[str, str | bytes, str]] = {
    "asf without length": ("asf", ASF.replace("length 0.45", "length 0"), "line 5: 'length 0' is not understood"),
    "amc without frames": ("amc", AMC[:30], "no frames"),
    "encrypted archive": ("run", _encrypt(_npz(_header())), "not a recorded run"),
    "compressed archive": ("run", _npz(_header("(10000000,)"), bytes(80_000_000), zipfile.ZIP_DEFLATED), "not a rec"),
    "overlapping members": ("run", _overlap(bytes(10_000)), "not a recorded run"),
    "bad tokens": ("run", _npz(_header() + "("), "not a recorded run"),
    "a string that does not end": ("run", _npz(_header().replace(":", '"""', 1)), "not a recorded run"),
    "shape beyond memory": ("run", _npz(_header("(99999999999,)")), "not a recorded run"),
    "shape beyond 64 bits": ("run", _npz(_header(f"({'9' * 25},)")), "not a recorded run"),
    "shapes whose product overflows": ("run", _npz(_header(f"({2**32}, {2**32})"), b""), "not a recorded run"),
    "negative shape": ("run", _npz(_header("(-10,)")), "not a recorded run"),
    "complex numbers": ("run", _npz(_header("(5,)", "<c16")), "not a recorded run"),
    "objects": ("run", _npz(_header("(10,)", "|O")), "not a recorded run"),
    "not a number": ("run", _npz(_header("(1,)"), struct.pack("<d", np.nan)), "not finite"),
    "many digits": ("edit", "gravity: " + 6000 * "9", "line 1: '9999.* too long for a number"),
    "many hexadecimal digits": ("edit", "gravity: 0x" + 6000 * "f", "too long for a number"),
    "base 60": ("edit", "gravity: 1" + 100_000 * ":00", "too long for a number"),
    "date": ("edit", "gravity: 2001-99-99", "not YAML: month must be in 1..12"),
    "alias bomb": ("composition", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", "line 2: the alias 'a' is not followed"),
    "alias of itself": ("composition", "a: &a [*a]", "alias"),
    "100,000 brackets": ("composition", 100_000 * "[", "nested more than 30 deep"),
    "40,000 keys": ("crowd", "".join(f"k{n}: 1\n" for n in range(40_000)), "no key 'k0'"),
    "key twice": ("crowd", "walk: poles\nseed: 1\nwalk: poles\n", "line 3: 'walk' is given twice"),
    "style of many digits": ("style", '{"gambol_style": ' + 5000 * "9" + "}", "not JSON"),
    "poses of another version": ("poses", json.dumps({"format": FORMAT, "version": 99}), "version 99 instead of 1"),
    "style of another format": ("style", '{"gambol_style": 2, "joints": {"a": {}}}', "style format 2"),
    "uneven times": ("mot", "walk\nendheader\ntime\tpelvis_angle\n0\t1\n0.01\t1\n0.02\t1\n1e9\t1\n", "too uneven"),
    "times that overflow": ("mot", "walk\nendheader\ntime\tpelvis_angle\n0\t1\n1e-320\t1\n2e-320\t1\n9\t1\n", "uneven"),
    "half a marker": ("trc", TRC.replace("100\t\t3\t\t2", "100\t\t3\t\t0.5"), "NumMarkers is 0"),
    "endless rate": (
        "trc",
        re.sub("100(?=\t\t100)|0.0[12]", lambda m: "0" if "." in m[0] else "1e308", TRC),
        "frame time",
    ),
    "glTF with integers of many digits": (
        "gltf",
        '{"asset": {"extras": {"frames": ' + 400 * "9" + "}}}",
        "not valid JSON",
    ),
    "control characters": ("crowd", "\x07bell: 1", "not allowed"),
    "control characters in quotes": ("crowd", '"\\e[31mred\\n\\u202e": 1', r"no key '\\x1b\[31mred"),
    "a colour that is infinite": ("mjcf", HUMANOID.replace("1 0 0 1", "1 0 -inf 1"), "'geom_rgba' is not finite"),
    "an axis that is no number": ("biped", HUMANOID.replace('axis="0 1 0"', 'axis="0 nan 0"'), "Nan|nan|not finite"),
    "a joint without a list of names": ("reference", _savez(joint_names=np.array("hip"), fps=np.array(30.0)), "a list"),
    "a marker beyond the sun": ("trc", TRC.replace("1000", "1e308", 1), "marker 'L.ASIS' is up to .* from the origin"),
    "long names": ("crowd", f"{1000 * 'k'}: 1", "no key 'kkk"),
}


@pytest.mark.parametrize("name", FINDS)
def test_finds_are_refused(name: str, tmp_path: Path) -> None:
    reader, content, words = FINDS[name]
    list(READERS[reader].seeds(tmp_path))
    path = tmp_path / f"find{READERS[reader].suffix}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with must_end():
        assert try_file(READERS[reader].read, path) == "refused"
    with pytest.raises(GambolError, match=words):
        READERS[reader].read(path)


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives_of_an_unknown_version_are_refused(name: str, tmp_path: Path) -> None:
    """The file is one of the reader's own, in a version to come."""
    content = read_arrays(next(iter(READERS[name].seeds(tmp_path))))
    about = json.loads(content["about"].tobytes())
    later = {key: 99 if key.startswith("gambol ") else value for key, value in about.items()} | {"version": "9.9"}
    content["about"] = np.frombuffer(json.dumps(later).encode(), dtype=np.uint8)
    np.savez(tmp_path / "next.npz", **content)
    with pytest.raises(GambolError, match=r"format 99 \(gambol 9\.9\), but this gambol reads format \d"):
        READERS[name].read(tmp_path / "next.npz")


def _damage_layout() -> Any:
    layout = moving().layout
    return replace(layout, joints=(*layout.joints, 99))


def _damage_reference() -> Any:
    layout = moving().layout
    return replace(layout, reference=0.0 * layout.reference)


def _damage_course() -> Any:
    course = make_meeting().course
    return replace(course, stretched=course.stretched[:-1])


def _damage_rates() -> Any:
    model = make_meeting()
    return replace(model, log_rates=1e9 + model.log_rates)


def _damage_walk() -> Any:
    model = make_test_walker().models[0]
    return replace(model, phases=model.phases[1:])


def _damage_decoder() -> Any:
    decoder = make_test_walker().decoder
    return replace(decoder, regression=decoder.regression.T)


def _damage_dynamics() -> Any:
    dynamics = make_test_walker().models[0].dynamics
    return LatentDynamics.from_values(dynamics.to_values() | {"step_": 0.0})


def _damage_latents() -> Any:
    gplvm = make_test_walker().models[0].gplvm
    return ScaledGplvm.from_values(gplvm.to_values() | {"scales_": gplvm.scales_[1:]})


def _damage_actions() -> Any:
    model = make_actions(6)
    return replace(model, imaginary=model.imaginary[:, 1:])


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        _damage_layout, _damage_reference, _damage_course, _damage_rates, _damage_walk, _damage_decoder,
        _damage_dynamics, _damage_latents, _damage_actions,
    ],
)  # fmt: skip
def test_models_whose_parts_do_not_belong_together_are_refused(damage: Callable[[], Any]) -> None:
    with pytest.raises(GambolError):
        damage()


def _use_walker() -> None:
    load_walker_of(make_test_walker(), standing(person()))


def _use_style() -> None:
    ones = np.ones((1, len(STYLE_UNITS)))
    find_style_rows(PhysicalStyle("made", ("head tilt",), ones, ones), monopod().skeleton)


@pytest.mark.parametrize(
    ("use", "words"), [(_use_walker, "the rig has other joints"), (_use_style, "the style 'made' has no joint")]
)
def test_models_are_not_used_on_another_rig(use: Callable[[], None], words: str) -> None:
    """Models of every other kind contain the rig that they move."""
    with pytest.raises(GambolError, match=words):
        use()


def test_nothing_that_is_read_can_be_code() -> None:
    """No module that reads pickled objects, no np.load, no eval, no YAML that makes objects."""
    forbidden = re.compile(
        r"^ *(?:import|from) +(?:\w*pickle|dill|joblib|shelve|marshal)\b|\b(?:np|numpy)\.load\("
        r"|(?<!def )(?<![\w.])(?:eval|exec)\(|yaml\.(?:unsafe_|full_)?load\(|allow_pickle(?!=False)",
        re.MULTILINE,
    )
    assert all(forbidden.search(line) for line in ("import pickle", "    from joblib import load", "np.load(path)"))
    files = [path for folder in ("src", "evidence") for path in (REPOSITORY / folder).rglob("*.py")]
    assert len(files) > 200
    assert [path.name for path in files if forbidden.search(path.read_text())] == []
