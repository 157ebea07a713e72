"""A family as a file: it comes back to the last bit, and what is no family is refused in a line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gambol.contacts.views import add_ground
from gambol.errors import InputError
from gambol.io import archive
from gambol.io.models import as_model, save_model
from gambol.io.packed import digest
from gambol.spacetime.edits.parts import divide_clip
from gambol.spacetime.families.family import Family
from gambol.spacetime.families.member import FamilySetup
from tests.spacetime.families.short_jump import four, short_jump

CLIP, PLAN = short_jump(), four(changes=[{"stage": "flight 1", "higher": 0.05}], gravity=9.0)
FRAMES = 18


@pytest.fixture(scope="module")
def family() -> Family:
    """Made up: numbers that any rounding would change."""
    draw = np.random.default_rng(1)
    character = CLIP.fitted.character
    q = draw.normal(size=(2, 2, FRAMES, len(character.skeleton.dofs)))
    times = np.sort(draw.uniform(size=(2, 2, FRAMES)))
    source_times = np.sort(draw.uniform(size=FRAMES))
    return Family(PLAN, CLIP, character, source_times, times, q, np.array([[True, False], [True, True]]))


@pytest.fixture
def file(family: Family, tmp_path: Path) -> Path:
    save_model(family, tmp_path / "family.npz")
    return tmp_path / "family.npz"


def test_it_comes_back_to_the_last_bit(family: Family, file: Path) -> None:
    back = as_model(file, Family)
    for name in ("source_times", "times", "q", "solved"):
        assert np.array_equal(getattr(back, name), getattr(family, name)), name
    assert back.plan == family.plan
    fitted, source, was = back.clip.fitted, back.clip.fitted.source, family.clip.fitted.source
    assert digest(replace(fitted, source=replace(source, origin=was.origin)), back.character) == digest(
        family.clip.fitted, family.character
    )
    assert (source.notes, source.rig, source.origin.file) == (was.notes, was.rig, Path(was.origin.file).name)
    assert [(part.name, part.first, part.last) for part in back.clip.parts] == [
        (part.name, part.first, part.last) for part in family.clip.parts
    ]
    values = [0.03, -0.07]
    for one, other in zip(back.motion(values)[1].q, family.motion(values)[1].q, strict=True):
        assert np.array_equal(one, other)


def test_contacts_that_were_given_come_back(family: Family, tmp_path: Path) -> None:
    given = CLIP.contacts.change(lambda one: replace(one, places=one.places + [0.01, 0.0, 0.0], given=True))
    corrected = divide_clip(CLIP.fitted, contacts=given)
    save_model(replace(family, clip=corrected), tmp_path / "corrected.npz")
    back = as_model(tmp_path / "corrected.npz", Family).clip.contacts
    assert digest(back.items, back.flight, back.floor, back.points) == digest(
        given.items, given.flight, given.floor, given.points
    )
    np.testing.assert_array_equal(back.ground, add_ground(given, CLIP.fitted.motion).ground)
    keys = [FamilySetup(clip, PLAN, family.character, family.source_times).key for clip in (CLIP, corrected)]
    assert keys[0] != keys[1], "members of other contacts are not theirs"


def test_names_in_the_file_are_those_of_its_format(file: Path) -> None:
    values = json.loads(content(file)["about"].tobytes())["values"]
    assert set(values) == {"plan", "clip", "character", "shown", "times", "q", "solved"}
    assert set(values["plan"]["Plan"]) == {"name", "axes", "always", "fps"}
    assert set(values["plan"]["Plan"]["axes"]["tuple"][0]["Axis"]) == {"stage", "ranges", "count", "words"}


def test_a_digest_sees_the_last_bit(family: Family) -> None:
    fitted = family.clip.fitted
    q = fitted.motion.q.copy()
    q[3, 4] = np.nextafter(q[3, 4], 9.0)
    assert digest(replace(fitted, motion=replace(fitted.motion, q=q))) != digest(fitted)


def content(file: Path) -> dict[str, Any]:
    with np.load(file) as held:
        return {name: held[name] for name in held.files}


def rewrite(file: Path, arrays: dict[str, Any], about: dict[str, Any] | None = None) -> None:
    if about is not None:
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    with file.open("wb") as out:
        np.savez(out, **arrays)


@pytest.mark.parametrize("size", [0, 10, 1000, 100_000])
def test_a_file_that_is_cut_off_is_refused(file: Path, size: int) -> None:
    whole = file.read_bytes()
    assert size < len(whole)
    file.write_bytes(whole[:size])
    with pytest.raises(InputError, match=r"family\.npz: not a family, or truncated"):
        as_model(file, Family)


def test_damage_inside_is_noticed(file: Path) -> None:
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 0xFF
    file.write_bytes(whole)
    with pytest.raises(InputError, match="not a family"):
        as_model(file, Family)


def test_another_npz_and_no_file_are_refused(file: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    with pytest.raises(InputError, match="not a family"):
        as_model(tmp_path / "other.npz", Family)
    with pytest.raises(InputError, match="no such file"):
        as_model(tmp_path / "none.npz", Family)


def test_another_format_is_told(file: Path) -> None:
    arrays = content(file)
    about = json.loads(arrays["about"].tobytes())
    rewrite(file, arrays, {**about, "gambol family": 3, "version": "9.9"})
    with pytest.raises(InputError, match=r"format 3 \(gambol 9\.9\)"):
        as_model(file, Family)


class _Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("evil"),))


def test_nothing_in_it_is_run(file: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rewrite(file, content(file) | {"array 0": np.array([_Evil()], dtype=object)})
    with pytest.raises(InputError, match="not a family"):
        as_model(file, Family)
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("q", lambda array: array[:1]),
        ("q", lambda array: array.astype(np.float32)),
        ("times", lambda array: np.full_like(array, np.nan)),
        ("solved", lambda array: array.astype(float)),
        ("shown", lambda array: np.float64(1.0)),
    ],
)
def test_numbers_that_do_not_fit_are_refused(file: Path, name: str, spoil) -> None:
    arrays = content(file)
    where = f"array {json.loads(arrays['about'].tobytes())['values'][name]['array']}"
    rewrite(file, {**arrays, where: spoil(arrays[where])})
    with pytest.raises(InputError, match="is inconsistent"):
        as_model(file, Family)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: values.pop("q"),
        lambda values: values.pop("clip"),
        lambda values: values.update(clip=3),
        lambda values: values.update(clip=values["plan"]),
        lambda values: values.update(plan={"os.system": {"command": "true"}}),
        lambda values: values.update(plan={"Plan": {"name": "x"}}),
        lambda values: values.update(plan={"Plan": [], "Axis": []}),
        lambda values: values.update(character={"array": 0}),
        lambda values: values.update(character={"array": 10**9}),
    ],
)
def test_parts_that_do_not_fit_are_refused(file: Path, spoil) -> None:
    arrays = content(file)
    about = json.loads(arrays["about"].tobytes())
    spoil(about["values"])
    rewrite(file, arrays, about)
    with pytest.raises(InputError, match="is inconsistent"):
        as_model(file, Family)


def test_a_missing_array_is_noticed(file: Path) -> None:
    arrays = content(file)
    arrays.pop("array 0")
    rewrite(file, arrays)
    with pytest.raises(InputError, match="is inconsistent"):
        as_model(file, Family)


def test_a_file_larger_than_memory_is_refused(file: Path, monkeypatch) -> None:
    monkeypatch.setattr(archive, "available_memory", lambda: 1000)
    with pytest.raises(InputError, match="of memory"):
        as_model(file, Family)


def test_a_write_that_fails_leaves_the_old_file(family: Family, file: Path, monkeypatch) -> None:
    whole = file.read_bytes()

    def fails(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez", fails)
    with pytest.raises(OSError, match="disk full"):
        save_model(family, file)
    assert file.read_bytes() == whole
    assert list(file.parent.iterdir()) == [file]
