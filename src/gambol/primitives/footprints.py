"""Lay the footprints of a stride along another path, and place hips and legs over them.

Footprints are mapped from the straight path to an arc, so that feet in contact stay fixed. The hips follow the longer
or shorter steps in height, so that legs in contact are as straight as in the stride, and nearly straight where the
walker stands. Knees follow in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.features.layout import HEIGHT, LEFT, Layout
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import cover, smoothstep
from gambol.geometry.vectors import lengths
from gambol.legs.expressions import CONTACT_THRESHOLD
from gambol.legs.rig import LegFrames, RigLegs, measure_legs, place_rig_legs, reach_ankles
from gambol.legs.two_bone import hip_drop
from gambol.motion.kinematics import Placement, place_local
from gambol.primitives.bodies import integrate_periodic
from gambol.primitives.variation import Variation

_STANDING = np.radians(5.0)
"""Flexion (rad) of the knees of standing people."""
_MOST_ROLL = np.radians(8.0)
"""Largest roll of the pelvis by which both legs of a standing walker are equally straight: recorded legs and soles
differ by up to 3 cm."""
_HARMONICS = 4
"""Harmonics of the height of the hips over a stride."""
_BACK_PER_CROUCH = 0.9
"""Metres by which the hips of a crouch are behind their usual place above the feet, per metre that they are lower: the
trunk bends forward."""


class _Footprints(NamedTuple):
    """Feet on their new path, relative to the root's path; left side first."""

    ankles: Array
    """(phases, 2, 3) metres."""
    feet: Array
    """(phases, 2, 4) orientations."""


def lay_footprints(layout: Layout, was: Array, contacts: Array, channels: Array, variation: Variation) -> Array:
    """Return channels (phases, C) with feet on the varied path and hips in reach of both legs.

    `was` are the channels of the stride, `channels` those of its variant with legs that do not fit yet.
    """
    legs = measure_legs(layout)
    before = place_rig_legs(legs, layout.rotations(was), find_root_positions(layout, was))
    touch = np.maximum(contacts, 1e-3).reshape(-1, 2, 2)
    sways = [layout.leg * integrate_periodic(stride[:, LEFT]) for stride in (was, channels)]
    prints = _map_footprints(layout, legs, before, touch, sways, variation)
    standing = touch.max(axis=2) > CONTACT_THRESHOLD
    stood = legs.find_reach(_STANDING)
    usual = np.minimum(
        stood + min(variation.steps, 1.0) * (lengths(before.ankles - before.hips) - stood), legs.straight
    )
    channels = _level_hips(layout, legs, channels, prints, usual, 1.0 - min(variation.steps, 1.0))
    rotations, roots = layout.rotations(channels), find_root_positions(layout, channels)
    to_ankles = prints.ankles - place_rig_legs(legs, rotations, roots).hips
    drop = _lower_hips(to_ankles, usual, standing) + variation.crouch * layout.leg
    roots[:, 2] -= drop
    out = layout.with_rotations(channels, reach_ankles(legs, rotations, roots, prints.ankles, prints.feet))
    out[:, HEIGHT] -= drop / layout.leg
    return out


def find_root_positions(layout: Layout, channels: Array) -> Array:
    """Return root positions (phases, 3) above the origin of the path."""
    roots = np.zeros((len(channels), 3))
    roots[:, 2] = layout.leg * channels[:, HEIGHT] + layout.floor
    return roots


def find_local_frames(layout: Layout, channels: Array) -> Placement:
    """Return the local frames in every phase relative to the path: the root above the origin."""
    rotations = layout.rotations(channels)
    offsets = np.broadcast_to(layout.skeleton.offsets, (*rotations.shape[:2], 3)).copy()
    offsets[:, 0] = find_root_positions(layout, channels)
    return Placement(offsets, rotations)


def rotate_joint(layout: Layout, channels: Array, joint: int, axis: tuple[float, float, float], angle: float) -> Array:
    """Rotate a joint and its descendants about an axis given relative to the path; return channels."""
    if joint not in layout.joints:
        return channels
    local = find_local_frames(layout, channels)
    parent = layout.skeleton.parents[joint]
    base = place_local(layout.skeleton, local).rotations[:, parent] if parent >= 0 else quat.IDENTITY
    seen = quat.rotate(quat.conjugate(base), np.broadcast_to(axis, (len(channels), 3)))
    local.rotations[:, joint] = quat.multiply(
        quat.from_axis_angle(seen, np.full(len(seen), angle)), local.rotations[:, joint]
    )
    return layout.with_rotations(channels, local.rotations)


def _map_footprints(
    layout: Layout, legs: RigLegs, before: LegFrames, touch: Array, sways: Sequence[Array], variation: Variation
) -> _Footprints:
    """Map the footprints of a stride; `sways` (phases,) are metres of its root to the left of the path, and those of
    its variant."""
    amplitude = variation.foot_amplitude
    feet = quat.slerp(_mean_flat_feet(before, touch), before.feet, np.full((1, 1, 1), amplitude))
    shares = 0.5 + amplitude * (touch / touch.sum(axis=2, keepdims=True) - 0.5)
    points = before.ankles[:, :, None] + quat.rotate(before.feet[:, :, None], legs.soles)
    contact = np.einsum("nsp,nspi->nsi", shares, points)
    middle = contact[..., 0].mean(axis=0)
    ahead, across = contact[..., 0] - middle, contact[..., 1] + sways[0][:, None]
    across = across.mean(axis=0) + amplitude * (across - across.mean(axis=0))
    along = middle + _BACK_PER_CROUCH * variation.crouch * layout.leg + variation.steps * ahead
    turns = variation.turn * ahead
    x = along * np.sinc(turns / np.pi) - across * np.sin(turns)
    y = across * np.cos(turns) + 0.5 * turns * along * np.sinc(0.5 * turns / np.pi) ** 2
    y = y - sways[1][:, None]
    feet = quat.multiply(quat.from_axis_angle((0.0, 0.0, 1.0), turns), feet)
    arms = quat.rotate(feet[:, :, None], legs.soles)
    arm = np.einsum("nsp,nspi->nsi", shares, arms)
    lift = np.maximum(points[..., 2].min(axis=2) - layout.floor, 0.0) * amplitude
    lift += variation.lift * layout.leg * smoothstep(np.maximum(1.0 - touch.max(axis=2) / CONTACT_THRESHOLD, 0.0))
    z = layout.floor + lift - arms[..., 2].min(axis=2)
    return _Footprints(np.stack((x - arm[..., 0], y - arm[..., 1], z), axis=2), feet)


def _mean_flat_feet(limbs: LegFrames, touch: Array) -> Array:
    """Return mean rotations (2, 4) of the feet while both heel and ball touch."""
    weights = touch.min(axis=2)
    return np.stack([quat.mean(limbs.feet[:, side], weights[:, side] + 1e-6) for side in range(2)])


def _level_hips(
    layout: Layout, legs: RigLegs, channels: Array, prints: _Footprints, usual: Array, share: float
) -> Array:
    """Roll the pelvis by a share of the angle at which both legs need the hips at the same height; the trunk stays."""
    if share <= 0.0:
        return channels
    hips = place_rig_legs(legs, layout.rotations(channels), find_root_positions(layout, channels)).hips
    needed = hip_drop(np.moveaxis(prints.ankles - hips, -1, 0), usual).mean(axis=0)
    apart = float((hips[:, 0, 1] - hips[:, 1, 1]).mean())
    roll = share * float(np.clip((needed[1] - needed[0]) / apart, -_MOST_ROLL, _MOST_ROLL))
    channels = rotate_joint(layout, channels, 0, (1.0, 0.0, 0.0), roll)
    spine = layout.rig.parts.get("spine")
    return channels if spine is None else rotate_joint(layout, channels, spine, (1.0, 0.0, 0.0), -roll)


def _lower_hips(to_ankles: Array, usual: Array, standing: NDArray[np.bool_]) -> Array:
    """Return by how much (phases,) in metres to lower the hips: as legs in contact need it, smoothly over the stride.

    `to_ankles` (phases, 2, 3) are from hips to ankles, `usual` (phases, 2) lengths of these lines. No leg in contact is
    extended beyond its largest usual length in contact, and no other beyond its largest.
    """
    longest = np.where(standing, np.where(standing, usual, 0.0).max(axis=0), usual.max(axis=0))
    wanted, needed = (hip_drop(np.moveaxis(to_ankles, -1, 0), reach) for reach in (usual, longest))
    phases, grounded = np.arange(len(usual)), standing.any(axis=1)
    wanted = np.where(standing, wanted, -np.inf).max(axis=1)
    wanted = np.interp(phases, phases[grounded], wanted[grounded], period=len(phases))
    spectrum = np.fft.rfft(wanted)
    spectrum[_HARMONICS + 1 :] = 0.0
    smooth = np.fft.irfft(spectrum, len(phases))
    beyond, wide = np.maximum(needed.max(axis=1) - smooth, 0.0), len(phases) // _HARMONICS // 2 + 1
    return smooth + cover(beyond, wide, "wrap")
