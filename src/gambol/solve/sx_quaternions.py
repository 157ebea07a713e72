"""Quaternions (w, x, y, z) as CasADi expressions."""

from __future__ import annotations

import casadi as ca


def sx_multiply(left: ca.SX, right: ca.SX) -> ca.SX:
    """Return the product: the rotation `right`, then `left`."""
    w, v, u, x = left[0], left[1:], right[0], right[1:]
    return ca.vertcat(w * u - ca.dot(v, x), w * x + u * v + ca.cross(v, x))


def sx_conjugate(quaternion: ca.SX) -> ca.SX:
    """Return the inverse rotation."""
    return ca.vertcat(quaternion[0], -quaternion[1:])


def sx_rotate(quaternion: ca.SX, vector: ca.SX) -> ca.SX:
    """Return a vector (3,) rotated."""
    twice = 2.0 * ca.cross(quaternion[1:], vector)
    return vector + quaternion[0] * twice + ca.cross(quaternion[1:], twice)


def sx_exp(vector: ca.SX) -> ca.SX:
    """Return the rotation about a vector (3,) by its length (rad)."""
    angle = ca.sqrt(ca.dot(vector, vector) + 1e-24)
    return ca.vertcat(ca.cos(0.5 * angle), ca.sin(0.5 * angle) / angle * vector)
