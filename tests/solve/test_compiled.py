"""Compiled and interpreted functions agree."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

from gambol.solve.compiled import Runner, compile_function


@pytest.fixture
def function() -> ca.Function:
    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 2, 2)
    return ca.Function("mixed", [x, y], [ca.sin(x) * ca.det(y), ca.inv(y)])


def test_machine_code_gives_the_interpreters_numbers_and_is_kept(function, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(5, 3)), rng.normal(size=(5, 4))
    ours = [out.copy() for out in Runner(function, 5).run(*inputs)]
    fast = [out.copy() for out in Runner(compile_function(function), 5).run(*inputs)]
    for one, other in zip(ours, fast, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)
    kept = list((tmp_path / "gambol").iterdir())
    assert [path.suffix for path in kept] == [".so"]
    stamp = kept[0].stat().st_mtime_ns
    compile_function(function)
    assert kept[0].stat().st_mtime_ns == stamp


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_a_batch_gives_each_its_own_numbers_and_all_the_shared_ones(function, batch) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(batch, 3)), rng.normal(size=(batch, 2, 2))
    turned, inverse = Runner(function, batch).run(x, y.swapaxes(1, 2).reshape(batch, 4))
    np.testing.assert_allclose(turned, np.sin(x) * np.linalg.det(y)[:, None])
    np.testing.assert_allclose(inverse.reshape(batch, 2, 2).swapaxes(1, 2), np.linalg.inv(y))
    turned, _ = Runner(function, batch, shared=[1]).run(x, y[0].T.ravel())
    np.testing.assert_allclose(turned, np.sin(x) * np.linalg.det(y[0]))


def test_without_a_compiler_the_function_is_itself(function, monkeypatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert compile_function(function) is function


def test_with_nowhere_to_keep_code_the_function_is_itself(function, tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert compile_function(function) is function


def test_with_a_compiler_that_fails_the_function_is_itself(function, tmp_path, monkeypatch) -> None:
    (tmp_path / "cc").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert compile_function(function) is function


def test_a_damaged_library_is_built_again_and_one_that_cannot_be_loaded_is_not_used(
    function, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    compile_function(function)
    (library,) = (tmp_path / "gambol").iterdir()
    sound = library.read_bytes()
    library.unlink()
    library.write_bytes(sound[: len(sound) // 2])
    assert compile_function(function) is not function
    assert library.read_bytes() == sound

    def refuse(*_: object) -> None:
        raise RuntimeError("failed to map segment from shared object")  # as on a disk mounted with noexec

    monkeypatch.setattr(ca, "external", refuse)
    assert compile_function(function) is function


def test_compilation_is_announced_and_only_once(function, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lines: list[str] = []
    for _ in range(2):
        compile_function(function, lambda text, *_: lines.append(text))
    assert lines == ["compiling mixed, once for this body: about 1 s"]
