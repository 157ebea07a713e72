"""Recorded runs of robots: read as they were written, refused where they are inconsistent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gambol as gb
from gambol.errors import InputError
from gambol.io.runs import RecordedRun, read_run, write_run
from gambol.motion.motion import Motion
from gambol.motion.shapes import Mesh
from gambol.motion.skeleton import Dof, Skeleton


def make_run() -> RecordedRun:
    """A box on a foot that turns, for three frames."""
    random = np.random.default_rng(0)
    skeleton = Skeleton(
        ("box", "foot"), (-1, 0), np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), (Dof(1, "turn", (0.0, 1.0, 0.0)),)
    )
    faces, joints = np.array([[0, 1, 2]], np.uint32), np.array([0, 1, 1])
    skin = Mesh.fixed(random.normal(size=(3, 3)), np.eye(3), faces, joints, np.eye(3))
    motion = Motion(skeleton, random.normal(size=(3, 1)), 0.02, name="toy", made={"robot": "toy"}, skin=skin)
    motion = replace(motion, props=(replace(motion, q=motion.q + 1.0, name="other"),))
    inertias = np.tile(np.eye(3), (2, 1, 1))
    return RecordedRun(
        motion, np.ones(2), np.zeros((2, 3)), inertias, ("foot",), np.zeros((1, 3)), random.normal(size=(3, 1, 3))
    )


def test_runs_are_read_as_they_were_written(tmp_path: Path) -> None:
    run, file = make_run(), tmp_path / "run.npz"
    write_run(run, file, {"times": np.arange(3.0)})
    again = read_run(file)
    assert again.bodies == run.bodies
    np.testing.assert_array_equal(again.forces, run.forces)
    motion = gb.load(file)
    np.testing.assert_array_equal(motion.q, run.motion.q)
    assert motion.skeleton.dofs == run.motion.skeleton.dofs
    assert (motion.name, motion.made, motion.frame_time) == ("toy", {"robot": "toy"}, 0.02)
    assert motion.skin is not None
    assert run.motion.skin is not None
    np.testing.assert_array_equal(motion.skin.vertices, run.motion.skin.vertices)
    np.testing.assert_array_equal(motion.props[0].q, run.motion.q + 1.0)
    np.testing.assert_array_equal(np.load(file)["times"], np.arange(3.0))
    assert gb.load(file, fps=100.0).frame_time == 0.01
    with pytest.raises(InputError, match="leave out scale, up"):
        gb.load(file, scale=0.01, up="y")


def test_inconsistent_runs_are_refused(tmp_path: Path) -> None:
    run, file = make_run(), tmp_path / "run.npz"
    with pytest.raises(ValueError, match="forces must be of shape"):
        replace(run, forces=run.forces[1:])
    object.__setattr__(run, "forces", run.forces[1:])
    write_run(run, file, {})
    with pytest.raises(InputError, match="inconsistent"):
        read_run(file)
