"""Saved models give the same numbers, and files of other content are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.interaction.hierarchy import generate_rows
from gambol.interaction.hierarchy_store import load_hierarchy, save_hierarchy
from gambol.interaction.reaction import HierarchyPartner
from gambol.io.archive import read_archive, write_archive
from tests.interaction.handshakes import learn_handshakes, make_handshake


@pytest.mark.parametrize("printed", [False, True])
def test_round_trip(tmp_path: Path, printed: bool) -> None:
    model = learn_handshakes(printed=printed)
    save_hierarchy(model, tmp_path / "model.npz")
    loaded = load_hierarchy(tmp_path / "model.npz")
    style = {"sad": 0.4}
    for one, other in zip(generate_rows(model, [style] * 5), generate_rows(loaded, [style] * 5), strict=True):
        np.testing.assert_array_equal(one, other)
    hand = make_handshake().paths[1][10]
    for exact in (False, True):
        one, other = (HierarchyPartner(each, exact) for each in (model, loaded))
        np.testing.assert_array_equal(
            one.step(one.start(), hand, style)[1].local.rotations,
            other.step(other.start(), hand, style)[1].local.rotations,
        )


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    with pytest.raises(InputError, match="no such file"):
        load_hierarchy(path)
    write_archive(path, "walker", 1, {"a": 1})
    with pytest.raises(InputError, match="not a hierarchy"):
        load_hierarchy(path)
    write_archive(path, "hierarchy of latents", 1, {"a": 1})
    with pytest.raises(InputError, match="inconsistent"):
        load_hierarchy(path)


def test_layers_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    from gambol.interaction import hierarchy_store

    one, two = tmp_path / "one.npz", tmp_path / "two.npz"
    save_hierarchy(learn_handshakes(), one)
    save_hierarchy(learn_handshakes(printed=True), two)
    kinds = hierarchy_store._KINDS
    values = read_archive(one, "hierarchy of latents", 1, kinds)
    values["interaction"] = read_archive(two, "hierarchy of latents", 1, kinds)["interaction"]
    write_archive(one, "hierarchy of latents", 1, values)
    with pytest.raises(InputError, match="mean_ of ScaledGplvm must be finite and of shape"):
        load_hierarchy(one)
