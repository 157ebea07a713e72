"""Every kind of model is saved and loaded through one door, which names what a file holds when it is another kind."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.io.archive import write_archive
from gambol.io.models import _HOMES, _KINDS, as_model, save_model
from gambol.learn.anechoic import AnechoicMixture
from gambol.learn.gaussian import GaussianProcess, LatentDynamics
from gambol.styles.style import STYLE_UNITS, PhysicalStyle


@pytest.fixture
def process(tmp_path: Path) -> Path:
    inputs = np.linspace(0.0, 1.0, 12)[:, None]
    return save_model(GaussianProcess().fit(inputs, np.sin(3 * inputs)), tmp_path / "process.npz")


@pytest.fixture
def style(tmp_path: Path) -> Path:
    values = np.ones((2, len(STYLE_UNITS)))
    return save_model(PhysicalStyle("walk", ("a", "b"), values, values, "walk"), tmp_path / "style.json")


@pytest.mark.parametrize("name", sorted(_HOMES))
def test_each_kind_is_registered_where_it_is_looked_for(name: str) -> None:
    import_module(_HOMES[name])
    assert _KINDS[name].name == name
    assert _KINDS[name].model.__module__ == _HOMES[name]


@pytest.mark.parametrize("name", sorted(_HOMES))
def test_a_file_of_another_kind_is_named(name: str, process: Path, style: Path) -> None:
    """Whatever is expected, the error names it and what the file holds, in one line with the fix."""
    import_module(_HOMES[name])
    for file, kind in ((process, "Gaussian process"), (style, "style")):
        if kind != name:
            with pytest.raises(InputError, match=f"a {kind}, not an? {name}") as error:
                as_model(file, _KINDS[name].model)
            assert _KINDS[name].fix in str(error.value)
            assert "\n" not in str(error.value)


def test_a_file_is_loaded_by_the_kind_that_it_states(process: Path, style: Path) -> None:
    assert isinstance(gb.load_model(process), GaussianProcess)
    found = gb.load_model(str(style))
    assert isinstance(found, PhysicalStyle)
    assert found.clip == "walk", "built-in clips keep their names"


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK", b"[1]", b'{"a": 1}', b'{"gambol_thing": 1}'])
def test_what_is_no_model_is_refused(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(InputError, match="not a model"):
        gb.load_model(tmp_path / "a.npz")


def test_archives_that_hold_no_model_are_named(tmp_path: Path) -> None:
    write_archive(tmp_path / "run.npz", "recorded run", 1, {})
    with pytest.raises(InputError, match="a recorded run, which is not a model"):
        gb.load_model(tmp_path / "run.npz")
    with pytest.raises(InputError, match="no such file"):
        gb.load_model(tmp_path / "none.npz")


def test_a_model_or_its_file_will_do(process: Path) -> None:
    model = gb.load_model(process)
    assert as_model(model, GaussianProcess) is model
    np.testing.assert_array_equal(as_model(process, GaussianProcess).posterior_.weights, model.posterior_.weights)
    with pytest.raises(InputError, match="a Gaussian process, not a latent dynamics"):
        as_model(model, LatentDynamics)
    with pytest.raises(InputError, match="a float, not an anechoic mixture"):
        as_model(1.5, AnechoicMixture)  # type: ignore[arg-type]


def test_a_file_that_must_not_be_replaced_is_kept(process: Path) -> None:
    before = process.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        save_model(gb.load_model(process), process, overwrite=False)
    assert process.read_bytes() == before
