"""Kernels have the right derivatives, and are loaded from the cache folder by key."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from gambol.progress import Progress, silent
from gambol.solve.compiled import _BUILDS, build_library, find_library, generate_c, wait_for_builds
from gambol.solve.kernel import (
    Kernel,
    KernelFunctions,
    KernelSpec,
    kernel_functions,
    load_kernels,
    make_kernel,
)

PATH = os.environ.get("PATH", "")
X, P = np.array([0.3, -1.2]), np.array([2.0])


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "gambol"


def make(factor: float = 1.0, name: str = "tiny") -> KernelFunctions:
    x, p, sigma, lam = (ca.SX.sym(n, size) for n, size in (("x", 2), ("p", 1), ("sigma", 1), ("lam", 1)))
    curvature = ca.SX(2, 2)
    curvature[0, 0], curvature[0, 1], curvature[1, 1] = 2 * sigma * factor, lam * p, 12 * sigma * factor * x[1] ** 2
    slopes = (ca.horzcat(p * x[1], p * x[0]), factor * ca.vertcat(2 * x[0], 4 * x[1] ** 3))
    values = (p * x[0] * x[1], factor * (x[0] ** 2 + x[1] ** 4))
    return kernel_functions(name, (x, p, sigma, lam), values, slopes, curvature)


def never() -> KernelFunctions:
    raise AssertionError("made although it was kept")


def load_kernel(
    name: str, key: str, build: Callable[[], KernelFunctions], has_cost: bool, progress: Progress = silent
) -> Kernel:
    return load_kernels([KernelSpec(name, key, build, has_cost)], progress)[0]


def load_compiled(key: str, build: Callable[[], KernelFunctions], name: str = "tiny") -> Kernel:
    """Load a kernel as soon as it is compiled."""
    load_kernel(name, key, build, True)
    wait_for_builds()
    return load_kernel(name, key, never, True)


def numbers(one: Kernel) -> np.ndarray:
    outputs = [*one.value(X, P), *one.first(X, P), one.second(X, P, 0.5, 3.0)]
    return np.concatenate([np.array(out).ravel() for out in outputs])


def expected(factor: float = 1.0) -> np.ndarray:
    a, b = X
    row, cost = 2 * a * b, factor * (a**2 + b**4)
    slopes = [2 * b, 2 * a, factor * 2 * a, factor * 4 * b**3]
    return np.array([row, cost, row, cost, *slopes, factor, 6.0, 0.0, 6.0 * factor * b**2])


def test_a_kernel_by_casadis_derivatives() -> None:
    x, p = ca.SX.sym("x", 2), ca.SX.sym("p", 1)
    made = make_kernel("tiny", x, p, p * x[0] * x[1], x[0] ** 2 + x[1] ** 4)
    np.testing.assert_allclose(numbers(made), expected(), rtol=1e-14)
    assert (made.inputs, made.outputs, made.parameters, made.has_cost, made.compiled) == (2, 1, 1, True, False)


def test_a_kernel_without_cost_has_a_gradient_of_zeros() -> None:
    x = ca.SX.sym("x", 3)
    made = make_kernel("rows", x, ca.SX(0, 1), ca.vertcat(x[0] * x[2], ca.sin(x[0])))
    _, cost, jacobian, gradient = made.first([0.5, 1.0, 2.0], [])
    assert (made.inputs, made.outputs, made.parameters, made.has_cost) == (3, 2, 0, False)
    assert float(cost) == 0.0
    assert (gradient.shape, gradient.nnz()) == ((3, 1), 3)
    assert (jacobian.shape, jacobian.nnz()) == ((2, 3), 3)
    np.testing.assert_array_equal(np.array(gradient), 0.0)


def test_a_kernel_is_interpreted_until_it_is_compiled_with_the_same_numbers(cache: Path) -> None:
    lines: list[str] = []
    fresh = load_kernel("tiny", "key", make, True, lambda text, *_: lines.append(text))
    meanwhile = load_kernel("tiny", "key", never, True, lambda text, *_: lines.append(text))
    assert len(lines) == 1
    assert "while compiling tiny, once" in lines[0]
    assert wait_for_builds()
    compiled = load_kernel("tiny", "key", never, True, lambda text, *_: lines.append(text))
    assert len(lines) == 1
    assert [one.compiled for one in (fresh, compiled)] == [False, True]
    for one in (fresh, meanwhile, compiled):
        assert (one.inputs, one.outputs, one.parameters) == (2, 1, 1)
        assert one.second.sparsity_out(0).is_triu()
        assert one.first.nnz_out(2) == 2
        np.testing.assert_allclose(numbers(one), expected(), rtol=1e-14)
        np.testing.assert_array_equal(numbers(one), numbers(fresh))  # whenever the compiler was done
    np.testing.assert_allclose(numbers(load_compiled("other key", lambda: make(2.0))), expected(2.0), rtol=1e-14)
    assert len([*cache.iterdir()]) == 2
    assert not wait_for_builds()


def test_several_at_once_and_only_what_is_missing() -> None:
    load_compiled("key", make)
    lines: list[str] = []
    plans = [KernelSpec("tiny", "key", never, True), KernelSpec("big", "key", lambda: make(3.0, "big"), True)]
    for done in (False, True):
        small, big = load_kernels(plans, lambda text, *_: lines.append(text))
        assert (small.compiled, big.compiled) == (True, done)
        np.testing.assert_allclose(numbers(small), expected(), rtol=1e-14)
        np.testing.assert_allclose(numbers(big), expected(3.0), rtol=1e-14)
        wait_for_builds()
    assert ["tiny" in line for line in lines] == [False]


@pytest.mark.parametrize("damage", ["empty", "half", "one bit", "zeros at the end"])
def test_a_damaged_library_is_noticed_and_built_again(
    damage: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_compiled("key", make)
    (library,) = cache.iterdir()
    sound = library.read_bytes()
    middle = len(sound) // 2
    flipped = sound[:middle] + bytes([sound[middle] ^ 1]) + sound[middle + 1 :]
    harm = {
        "empty": b"",
        "half": sound[:middle],
        "one bit": flipped,
        "zeros at the end": sound[:middle].ljust(len(sound), b"\0"),
    }
    library.unlink()  # in place it would change the code that this process has loaded
    library.write_bytes(harm[damage])
    assert find_library("tiny", "key") is None
    monkeypatch.setenv("PATH", "")
    interpreted = load_kernel("tiny", "key", make, True)
    monkeypatch.setenv("PATH", PATH)
    rebuilt = load_compiled("key", make)
    assert (interpreted.compiled, rebuilt.compiled) == (False, True)
    assert load_kernel("tiny", "key", never, True).compiled
    for one in (interpreted, rebuilt):
        np.testing.assert_allclose(numbers(one), expected(), rtol=1e-14)
    assert [*cache.iterdir()] == [library]  # the same name: the damaged file was replaced


def test_processes_that_build_the_same_at_once_leave_one_sound_library(cache: Path) -> None:
    code = generate_c(*make())
    with ThreadPoolExecutor() as pool:
        built = list(pool.map(lambda _: build_library("tiny", "key", code), range(4)))
    assert set(built) == {find_library("tiny", "key")} == {*cache.iterdir()}


def test_what_an_interrupted_build_leaves_is_not_loaded(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gambol.solve.building.subprocess.run", die)
    with pytest.raises(KeyboardInterrupt):
        build_library("tiny", "key", generate_c(*make()))
    assert [*cache.iterdir()] == []


@pytest.mark.parametrize("trouble", ["no compiler", "compiler fails", "nowhere to write", "no home"])
def test_without_machine_code_a_kernel_is_interpreted_and_says_so(
    trouble: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if trouble == "nowhere to write":
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    elif trouble == "no home":
        monkeypatch.delenv("XDG_CACHE_HOME")
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)  # raises KeyError, as for a user without an entry
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    if trouble == "compiler fails":
        (tmp_path / "cc").write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "cc").chmod(0o755)
    lines: list[str] = []
    made = load_kernel("tiny", "key", make, True, lambda text, *_: lines.append(text))
    for build in _BUILDS.values():
        build.wait()
    made = load_kernel("tiny", "key", make, True, lambda text, *_: lines.append(text))
    assert not made.compiled
    assert "not compiled" in lines[-1]
    assert "\n" not in lines[-1]
    assert sum("compiling" in line for line in lines) == (trouble == "compiler fails")
    wait_for_builds()
    np.testing.assert_allclose(numbers(made), expected(), rtol=1e-14)


def test_interpreted_functions_are_built_once_per_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    for builder, factor in ((make, 1.0), (lambda: make(2.0), 2.0)):
        key = f"interpreted {factor}"
        for build in (builder, never):
            made = load_kernel("tiny", key, build, True)
            assert not made.compiled
            np.testing.assert_allclose(numbers(made), expected(factor), rtol=1e-14)
