"""Merge bodies of a character into their parents, and add point masses to its bodies."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from gambol.body.character import Character
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import place
from gambol.motion.pushes import Load
from gambol.motion.skeleton import Skeleton


def lump_bodies(character: Character, frozen: Collection[str]) -> Character:
    """Return the character with the frozen bodies rigidly attached to their parents in the rest pose.

    Frozen bodies must be at the ends of limbs.
    """
    skeleton = character.skeleton
    kept = [j for j, name in enumerate(skeleton.names) if name not in frozen and j not in skeleton.ends]
    number = {joint: n for n, joint in enumerate(kept)}
    at = place(skeleton, np.zeros((1, len(skeleton.dofs))))
    turned = quat.to_matrix(at.rotations[0])
    owner = list(range(len(skeleton.names)))
    for joint, parent in enumerate(skeleton.parents):
        if joint not in number:
            owner[joint] = owner[parent]
    lumps = [_sum(character, turned, at.positions[0], [b for b in _massive(character) if owner[b] == j]) for j in kept]
    dofs = tuple(replace(d, joint=number[d.joint]) for d in skeleton.dofs if d.joint in number)
    parents = tuple(number.get(skeleton.parents[j], -1) for j in kept)
    names = tuple(skeleton.names[j] for j in kept)
    smaller = Skeleton(names, parents, skeleton.offsets[kept], dofs, rests=skeleton.rests[kept])
    masses = np.array([mass for mass, _, _ in lumps])
    centers = np.array([turned[j].T @ (c - at.positions[0, j]) for j, (_, c, _) in zip(kept, lumps, strict=True)])
    inertias = np.array([turned[j].T @ i @ turned[j] for j, (_, _, i) in zip(kept, lumps, strict=True)])
    return Character(smaller, masses, centers, inertias, character.name)


def add_loads(character: Character, loads: Iterable[Load]) -> Character:
    """Return the character with point masses added to its bodies."""
    masses, centers, inertias = character.masses.copy(), character.centers.copy(), character.inertias.copy()
    for load in loads:
        body = character.body(load.body)
        total = masses[body] + load.mass
        center = (masses[body] * centers[body] + load.mass * np.array(load.point)) / total
        inertias[body] += masses[body] * _spread(centers[body] - center)
        inertias[body] += load.mass * _spread(np.array(load.point) - center)
        masses[body], centers[body] = total, center
    return replace(character, masses=masses, centers=centers, inertias=inertias)


def _massive(character: Character) -> list[int]:
    return [int(body) for body in np.flatnonzero(character.masses)]


def _sum(character: Character, turned: Array, places: Array, bodies: list[int]) -> tuple[float, Array, Array]:
    """Return mass, centre and inertia about it of several bodies, world axes."""
    masses = character.masses[bodies]
    centers = places[bodies] + np.einsum("bij,bj->bi", turned[bodies], character.centers[bodies])
    center = masses @ centers / masses.sum()
    inertia = np.einsum("bij,bjk,blk->il", turned[bodies], character.inertias[bodies], turned[bodies])
    return (
        float(masses.sum()),
        center,
        inertia + sum(m * _spread(c - center) for m, c in zip(masses, centers, strict=True)),
    )


def _spread(arm: Array) -> Array:
    """Return the inertia (3, 3) of a point mass of 1 kg at the end of an arm (3,)."""
    return arm @ arm * np.eye(3) - np.outer(arm, arm)
