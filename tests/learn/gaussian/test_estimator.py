"""Inducing inputs are spread over the data; a damaged file is an InputError."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.io.archive import write_archive
from gambol.io.models import as_model
from gambol.learn.gaussian import GaussianProcess
from gambol.learn.gaussian.estimator import choose_inducing


def test_inducing_inputs_are_spread() -> None:
    inputs = np.concatenate([np.linspace(0.0, 1.0, 101), np.full(50, 0.5)])[:, None]
    chosen = inputs[choose_inducing(inputs, 9)]
    np.testing.assert_allclose(np.diff(np.sort(chosen[:, 0])), 0.125, atol=0.011)
    assert choose_inducing(inputs, None) is None
    assert choose_inducing(inputs, 151) is None
    assert len(choose_inducing(np.zeros((10, 2)), 4)) == 1


def test_content_of_another_estimator(tmp_path) -> None:
    write_archive(tmp_path / "a.npz", "Gaussian process", 1, {"parameters": {"wrong": 1}})
    with pytest.raises(InputError, match="inconsistent"):
        as_model(tmp_path / "a.npz", GaussianProcess)
