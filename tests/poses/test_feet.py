"""Feet in contact return to their places by the angles of their legs; nothing else moves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gambol.body.build import make_average_build
from gambol.body.human import make_human
from gambol.contacts.contact import Contact
from gambol.errors import InputError
from gambol.geometry import quaternions as quat
from gambol.motion.kinematics import place
from gambol.poses.feet import FOOT_TOLERANCE, restore_feet

BODY = make_human(make_average_build(1.75), 70.0)
SKELETON = BODY.skeleton
FRAMES = 40


def _columns(part):
    return SKELETON.columns(SKELETON.index(part))


LEGS = {
    side: [c for part in ("thigh", "shank", "foot") for c in _columns(f"{side}_{part}")] for side in ("left", "right")
}


def _standing():
    """Knees bent, turned and leaning, somewhere in the world."""
    q = np.zeros((FRAMES, len(SKELETON.dofs)))
    q[:, :6] = (1.2, -0.7, 0.85, 0.6, 0.1, -0.05)
    for side in ("left", "right"):
        q[:, LEGS[side]] = (0.45, 0.12, 0.05, 0.75, 0.25, 0.03)
    return q


def _places(q, body, points):
    placed, joint = place(SKELETON, q), SKELETON.index(body)
    return placed.positions[:, joint, None] + quat.rotate(placed.rotations[:, joint, None], points)


def _points(side, *tips):
    return np.array([SKELETON.offsets[SKELETON.index(f"{side}_{tip}_tip")] for tip in tips])


def _contact(q, side, tips, first, last):
    points = _points(side, *tips)
    return Contact(f"{side}_foot", points, _places(q[:1], f"{side}_foot", points)[0], first, last)


def _errors(q, contact):
    """Return the distances (frames, points) in metres of contact points from their places."""
    return np.linalg.norm(
        _places(q, contact.body, contact.points)[contact.first : contact.last + 1] - contact.places, axis=2
    )


def _disturbed(q, seed=3):
    random = np.random.default_rng(seed)
    out = q + np.where(np.isin(np.arange(q.shape[1]), LEGS["left"] + LEGS["right"]), 1.0, 0.0) * random.uniform(
        -np.radians(5.0), np.radians(5.0), q.shape
    )
    out[:, :3] += random.uniform(-0.02, 0.02, (len(q), 3)) / np.sqrt(3.0)
    return out


def test_disturbed_feet_return():
    q = _standing()
    contacts = [_contact(q, "left", ("ball", "heel"), 0, FRAMES - 1), _contact(q, "right", ("ball",), 5, 20)]
    moved = _disturbed(q)
    assert all(_errors(moved, contact).max() > 0.02 for contact in contacts)
    planted = restore_feet(BODY, moved, contacts)
    assert all(_errors(planted, contact).max() <= FOOT_TOLERANCE for contact in contacts)


def test_only_legs_in_contact_change_and_only_in_those_frames():
    q = _disturbed(_standing())
    contact = _contact(_standing(), "right", ("ball", "heel"), 5, 20)
    planted = restore_feet(BODY, q, [contact])
    changed = planted != q
    assert set(np.flatnonzero(changed.any(axis=0))) <= set(LEGS["right"])
    assert set(np.flatnonzero(changed.any(axis=1))) == set(range(5, 21))


def test_frames_in_place_stay_as_they_are():
    q = _standing()
    q[10:, 2] += 0.01
    contact = _contact(q, "left", ("ball", "heel"), 0, FRAMES - 1)
    planted = restore_feet(BODY, q, [contact])
    assert np.array_equal(planted[:10], q[:10])
    assert (planted[10:, LEGS["left"]] != q[10:, LEGS["left"]]).any(axis=1).all()


def test_consecutive_and_overlapping_contacts_of_one_foot():
    """Two contacts of one foot after each other, and two that overlap."""
    q = _standing()
    moved = _disturbed(q)
    line, ball = _contact(q, "left", ("ball", "heel"), 0, 15), _contact(q, "left", ("ball",), 16, FRAMES - 1)
    both = [_contact(q, "right", (tip,), 0, 30) for tip in ("ball", "heel")]
    planted = restore_feet(BODY, moved, [line, ball, *both])
    assert all(_errors(planted, contact).max() <= FOOT_TOLERANCE for contact in (line, ball, *both))


@pytest.mark.parametrize(("away", "knee"), [(-0.5, (-0.1, 0.1)), (0.75, (1.9, np.radians(165.0)))])
def test_out_of_reach_is_approached_within_limits(away, knee):
    """Far below, the leg stretches towards the place; up at the hip the knee folds as far as it can and no farther."""
    q = _standing()[:3]
    contact = _contact(q, "left", ("ball",), 0, 2)
    far = replace(contact, places=contact.places + [0.0, 0.0, away])
    planted = restore_feet(BODY, q, [far])
    limits = np.array([(SKELETON.dofs[c].lower, SKELETON.dofs[c].upper) for c in LEGS["left"]])
    legs = planted[:, LEGS["left"]]
    assert np.isfinite(planted).all()
    assert (legs >= limits[:, 0]).all()
    assert (legs <= limits[:, 1]).all()
    assert knee[0] <= legs[0, 3] <= knee[1] + 1e-12
    hip = place(SKELETON, planted).positions[0, SKELETON.index("left_thigh")]
    if away < 0.0:
        now, reach = (np.linalg.norm(_places(x, far.body, far.points)[0, 0] - hip) for x in (planted, q))
        assert now > reach
        # Nothing is nearer: a straight line from the hip through the ball to the place.
        ball = _places(planted, far.body, far.points)[0, 0]
        cosine = (
            (ball - hip) @ (far.places[0] - ball) / np.linalg.norm(ball - hip) / np.linalg.norm(far.places[0] - ball)
        )
        assert cosine > 0.999
    assert _errors(planted, far).max() < _errors(q, far).max()


def test_what_is_not_a_foot_is_refused():
    hand = Contact("left_hand", np.zeros((1, 3)), np.zeros((1, 3)), 0, 0)
    with pytest.raises(InputError, match="not part of a leg"):
        restore_feet(BODY, _standing(), [hand])
    with pytest.raises(InputError, match="ends at frame 99, but the motion has 40 frames"):
        restore_feet(BODY, _standing(), [_contact(_standing(), "left", ("ball",), 0, 99)])
