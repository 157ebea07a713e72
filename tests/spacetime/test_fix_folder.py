"""A folder of clips is repaired clip by clip; a stopped run goes on, and nothing is replaced unasked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import samples, save
from gambol.io.manifest import MANIFEST
from gambol.motion.motion import Motion
from gambol.spacetime import fix_folder as module
from gambol.spacetime.fix import FixResult, fix
from gambol.spacetime.fix_folder import fix_folder
from tests.spacetime.test_artefacts import shake


@pytest.fixture
def clips(tmp_path: Path) -> Path:
    """Two clips that shake, one in a folder of its own, and a file that is no clip."""
    folder = tmp_path / "clips"
    (folder / "far").mkdir(parents=True)
    save(shake(samples.walk()[:40], 1.5, 0.004), folder / "walk.bvh")
    save(shake(samples.stand()[:40], 1.5, 0.004), folder / "far" / "stand.glb")
    (folder / "broken.bvh").write_text("HIERARCHY\nROOT")
    return folder


def _read_rows(folder: Path) -> dict[str, dict[str, object]]:
    return {row["member"]: row for row in map(json.loads, (folder / MANIFEST).read_text().splitlines())}


def test_every_clip_is_repaired_as_by_itself(clips: Path, tmp_path: Path) -> None:
    made = fix_folder(clips, tmp_path / "out", only=["jitter"])
    assert set(made.files) == {"walk.bvh", "far/stand.glb"}
    assert set(made.refused) == {"broken.bvh"}
    alone = fix(clips / "walk.bvh", only=["jitter"])
    alone.save(tmp_path / "alone.bvh")
    assert made.files["walk.bvh"].read_bytes() == (tmp_path / "alone.bvh").read_bytes()
    assert np.isfinite(load(made.files["far/stand.glb"]).q).all()
    row = _read_rows(tmp_path / "out")["walk.bvh"]
    assert row["file"] == "walk.bvh"
    assert row["change_deg"] == pytest.approx(alone.figures["change_deg"])
    assert any("noise removed" in str(note) for note in row["notes"])  # type: ignore[attr-defined]
    assert made.figures["clips_count"] == 3.0
    assert made.figures["repaired_count"] == 2.0


def test_a_stopped_run_goes_on(clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[str] = []
    own = module._fix_clip

    def stop_at_the_last(settings: module._Settings, clip: module._Clip) -> object:
        if len(solved) == 2:
            raise KeyboardInterrupt
        solved.append(clip.name)
        return own(settings, clip)

    monkeypatch.setattr(module, "_fix_clip", stop_at_the_last)
    with pytest.raises(KeyboardInterrupt):
        fix_folder(clips, tmp_path / "out", only=["jitter"])
    assert len(_read_rows(tmp_path / "out")) == 2
    monkeypatch.setattr(module, "_fix_clip", own)
    said: list[str] = []
    fix_folder(clips, tmp_path / "out", only=["jitter"], progress=lambda text, *_: said.append(text))
    assert said[0] == "2 of 3 clips were repaired before"
    assert said.count("repairing clips") == 1
    assert list(_read_rows(tmp_path / "out")) == sorted(["broken.bvh", "far/stand.glb", "walk.bvh"])


def test_a_run_that_is_killed_while_it_writes_goes_on(
    clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    for owner, name in ((module.Manifest, "add"), (module.Result, "save")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, stop)
            with pytest.raises(KeyboardInterrupt):
                fix_folder(clips, tmp_path / "out", only=["jitter"])
    assert not list((tmp_path / "out").rglob("*.glb"))
    assert set(fix_folder(clips, tmp_path / "out", only=["jitter"]).files) == {"walk.bvh", "far/stand.glb"}
    # Nor is the file of the old clip taken for that of the new one.
    save(samples.run()[:40], clips / "walk.bvh")
    with monkeypatch.context() as patch:
        patch.setattr(module.Result, "save", stop)
        with pytest.raises(KeyboardInterrupt):
            fix_folder(clips, tmp_path / "out", only=["jitter"], overwrite=True)
    made = fix_folder(clips, tmp_path / "out", only=["jitter"])
    assert len(load(made.files["walk.bvh"])) == 40
    np.testing.assert_allclose(load(made.files["walk.bvh"]).q, load(clips / "walk.bvh").q, atol=1e-3)


def test_nothing_is_replaced_unasked(clips: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    fix_folder(clips, out, only=["jitter"])
    with pytest.raises(InputError, match="repaired in another way"):
        fix_folder(clips, out, only=["rate"])
    save(samples.run()[:40], clips / "walk.bvh")
    with pytest.raises(InputError, match="of another clip"):
        fix_folder(clips, out, only=["jitter"])
    before = (out / "walk.bvh").read_bytes()
    fix_folder(clips, out, only=["jitter"], overwrite=True)
    assert (out / "walk.bvh").read_bytes() != before
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "walk.bvh").write_text("mine")
    with pytest.raises(InputError, match="exists already"):
        fix_folder(clips, tmp_path / "other", only=["jitter"])


def test_folders_that_cannot_be(clips: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="among the clips"):
        fix_folder(clips, clips / "fixed")
    with pytest.raises(InputError, match="unknown repair"):
        fix_folder(clips, tmp_path / "out", only=["legs"])
    save(samples.stand()[:10], clips / "walk.glb")
    (clips / "walk.amc").write_text("")
    with pytest.raises(InputError, match="two clips would become this file"):
        fix_folder(clips, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_processes_make_the_same(clips: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'gambol[cluster]'")
    one = fix_folder(clips, tmp_path / "one", only=["jitter"])
    two = fix_folder(clips, tmp_path / "two", only=["jitter"], workers=2)
    for name, file in one.files.items():
        assert file.read_bytes() == two.files[name].read_bytes()
    assert dict(one.refused) == dict(two.refused)


def test_a_folder_without_a_clip_that_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / "broken.bvh").write_text("HIERARCHY\nROOT")
    with pytest.raises(InputError, match=r"no clip could be repaired; broken\.bvh"):
        fix_folder(tmp_path / "clips", tmp_path / "out")


def test_an_error_that_nobody_expected_costs_one_clip(
    clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(motion: Motion, **options: object) -> FixResult:
        if motion.name == "stand":
            raise ZeroDivisionError("division by zero")
        return fix(motion, only=["jitter"])

    monkeypatch.setattr(module, "fix", fail)
    made = fix_folder(clips, tmp_path / "out")
    assert set(made.files) == {"walk.bvh"}
    assert made.refused["far/stand.glb"] == "ZeroDivisionError: division by zero"
