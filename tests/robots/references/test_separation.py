"""Links that stay apart: slopes of depths by finite differences, and the term of physical motions."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.poses.links import SkeletonLinks
from gambol.robots.biped import Biped
from gambol.robots.capsules import find_self_contacts
from gambol.robots.references.separation import LinkPairs, separate_links
from tests.robots.test_whole_body import jvrc

FRAMES = 4


@pytest.fixture(scope="module")
def biped() -> Biped:
    return jvrc()


@pytest.fixture(scope="module")
def poses(biped: Biped) -> Array:
    return biped.bent + np.random.default_rng(2).normal(0.0, 0.15, (FRAMES, len(biped.bent)))


def find_depths(biped: Biped, q: Array) -> Array:
    return find_self_contacts(biped).find_nearest(place(biped.skeleton, q)).depth


def test_slopes_are_derivatives_of_depths(biped: Biped, poses: Array) -> None:
    contacts, dofs = find_self_contacts(biped), poses.shape[1]
    pairs, placed = LinkPairs(biped.skeleton, contacts, np.ones(dofs)), SkeletonLinks(biped.skeleton, contacts.joints)
    frame, pair = (each.ravel() for each in np.indices((FRAMES, len(contacts.pairs))))
    at = placed.place(poses)
    slopes = pairs.find_slopes(at, pairs.find_nearest(at), frame, pair).reshape(FRAMES, -1, dofs)
    step = 1e-6
    for column in range(dofs):
        ahead, behind = (find_depths(biped, poses + sign * step * np.eye(dofs)[column]) for sign in (1.0, -1.0))
        np.testing.assert_allclose(slopes[..., column], (ahead - behind) / (2.0 * step), atol=1e-6)


def test_what_moves_both_links_does_not_change_their_distance(biped: Biped, poses: Array) -> None:
    term = separate_links(biped, [poses])
    assert len(term.frames) > 0
    assert not term.slopes[:, :6].any(), "the base"


def test_pairs_that_any_motion_seen_brings_near_are_kept_apart(biped: Biped, poses: Array) -> None:
    """Arms that swing into the trunk in an earlier attempt count in the next, at the distances of the last motion."""
    apart = np.repeat(biped.bent[None], FRAMES, axis=0)
    before, after = separate_links(biped, [apart]), separate_links(biped, [poses, apart])
    near = (find_depths(biped, poses) > -0.05) | (find_depths(biped, apart) > -0.05)
    assert len(before.frames) < len(after.frames) == near.sum()
    np.testing.assert_allclose(np.sort(after.distances), np.sort(-find_depths(biped, apart)[near]))
    np.testing.assert_array_equal(after.poses, apart[after.frames])


def test_distances_of_the_term_are_linear_about_the_poses(biped: Biped, poses: Array) -> None:
    term = separate_links(biped, [poses])
    near = find_depths(biped, poses) > -0.05
    moved = poses + 1e-5 * np.random.default_rng(3).normal(size=poses.shape)
    np.testing.assert_allclose(term.distances, -find_depths(biped, poses)[near])
    expected = term.distances + np.sum(term.slopes * (moved[term.frames] - term.poses), axis=1)
    np.testing.assert_allclose(-find_depths(biped, moved)[near], expected, atol=1e-8)
