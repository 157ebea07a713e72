"""Long scenes are solved in windows, whose seams nobody sees; a cycle, and what terms of users ask, is one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gambol.contacts.timeline import Contacts
from gambol.geometry.arrays import Array
from gambol.styles.learning import find_start
from gambol.styles.scene import StyleScene, fit_scene, generate_motion
from gambol.styles.windows import StyledMotion, generate_long_motion
from gambol.terms.speed import JointSpeedLimit
from tests.styles.scenes import crouch

pytestmark = [pytest.mark.usefixtures("interpreted"), pytest.mark.slow]

TIMES = 7


@cache
def repeated() -> tuple[StyleScene, Array]:
    """A crouch seven times over, 168 frames, and uniform preferences."""
    one = crouch()
    parameters = find_start(fit_scene(one)).make_uniform()
    (contact,) = one.contacts.items
    frames = TIMES * len(one.reference)
    contacts = Contacts((replace(contact, last=frames - 1),), frames, one.frame_time)
    reference = np.tile(one.reference, (TIMES, 1))
    return replace(one, contacts=contacts, reference=reference, exact=(False, False)), parameters


@cache
def solved() -> StyledMotion:
    return generate_long_motion(*repeated())


def test_windows_overlap_and_the_motion_is_that_of_one_problem() -> None:
    scene, parameters = repeated()
    assert solved().failed is None
    assert len(solved().windows) == 3
    whole = generate_motion(scene, parameters)
    away = np.degrees(solved().q[:, 6:] - whole.q[:, 6:])
    assert np.sqrt(np.mean(away**2)) < 1.0
    assert np.abs(away).max() < 3.0
    assert solved().figures["muscle_cost"] > whole.solution.costs["muscle"]  # frames of the overlap count twice


def test_velocities_have_no_jump_at_a_seam() -> None:
    """Joints change their velocities there no more than they do elsewhere."""
    bends = np.abs(np.diff(solved().q[:, 6:], 2, axis=0)).max(axis=1)
    seam = len(repeated()[0].reference) - len(solved().windows[-1].q)
    assert bends[seam - 2 : seam + 16].max() < 1.5 * np.delete(bends, np.s_[seam - 2 : seam + 16]).max()


def test_terms_of_users_know_all_frames() -> None:
    scene, parameters = repeated()
    short = scene.cut(0, 139)
    assert len(generate_long_motion(short, parameters).windows) == 2
    limit = JointSpeedLimit(np.full(len(scene.character.skeleton.dofs), 50.0))
    assert len(generate_long_motion(short, parameters, (limit,)).windows) == 1


def test_poses_at_the_ends_change_as_a_stride_beside_them_does() -> None:
    """The reference stands in half of the frames on a straighter leg: given poses are kept, others follow physics."""
    scene, parameters = repeated()
    period = len(crouch().reference)
    scene = scene.cut(0, 3 * period - 1)
    given = generate_motion(scene, parameters)
    free = generate_motion(replace(scene, strides=(period, period)), parameters)
    assert given.solution.converged
    assert free.solution.converged
    change = {name: one.q - scene.reference for name, one in (("given", given), ("free", free))}
    apart = {name: np.abs(one[0, 6:] - one[period, 6:]).max() for name, one in change.items()}
    assert apart["free"] < 0.5 * apart["given"]
