"""Slabs below the feet of a robot: tops where soles rest, none on a level floor, and files that keep them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.robots.references.files import read_reference
from gambol.robots.references.slabs import add_slabs
from gambol.robots.references.variation import ReferenceVariation
from gambol.robots.references.verb import ReferenceResult, make_reference
from gambol.robots.sole_shapes import locate_soles


@pytest.fixture(scope="module")
def uphill() -> ReferenceResult:
    return make_reference(gb.load("walk")[:60], "jvrc1", fast=True, variation=ReferenceVariation(slope=10.0))


def test_soles_rest_on_their_slabs(uphill: ReferenceResult) -> None:
    reference = uphill.reference
    slabs = [prop.skin for prop in reference.motion.props]
    assert len(slabs) >= 2
    corners = locate_soles(reference.biped, reference.motion.placement)[reference.flat].reshape(-1, 3)
    tops = np.concatenate([mesh.vertices[mesh.normals[:, 2] > 0.9] for mesh in slabs if mesh is not None])
    plane, *_ = np.linalg.lstsq(np.column_stack((tops[:, :2], np.ones(len(tops)))), tops[:, 2], rcond=None)
    np.testing.assert_allclose(corners @ [*plane[:2], -1.0] + plane[2], 0.0, atol=2e-3)
    assert np.degrees(np.arctan(np.linalg.norm(plane[:2]))) == pytest.approx(10.0, abs=0.1)


def test_a_level_floor_has_none_and_a_file_keeps_them(uphill: ReferenceResult, tmp_path: Path) -> None:
    bare = replace(uphill.reference, motion=replace(uphill.motion, props=()))
    assert add_slabs(replace(bare, ground=np.zeros_like(bare.ground))).motion.props == ()
    uphill.save(tmp_path / "uphill.npz")
    read = read_reference(tmp_path / "uphill.npz", bare.biped).motion
    for motion in (add_slabs(bare).motion, gb.load(tmp_path / "uphill.npz"), read):
        assert len(motion.props) == len(uphill.motion.props) >= 2
