"""Edit a clip without physics, for comparison: motion warping (Witkin and Popovic 1995).

Displacements are added to the curves of the recording. Between stages they follow cubic curves with zero slope at both
ends, where a draft is interpolated linearly. Flights are raised by a smooth bump, and changes of speed follow a smooth
function of time. Feet are then brought to their places.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.contacts.views import list_constraints
from gambol.geometry import quaternions as quat
from gambol.geometry.angles import angles_near
from gambol.geometry.arrays import Array
from gambol.geometry.filters import smoothstep
from gambol.geometry.vectors import UP
from gambol.poses.feet import restore_feet
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.edits.moves import body_moves, plan_moves
from gambol.spacetime.resampling import sample_curves


def warp_clip(draft: Draft) -> Array:
    """Return coordinates (frames, dofs) of the warped clip, with feet at their places."""
    feet = [hold for hold in list_constraints(draft.contacts) if hold.body.endswith("foot")]
    return restore_feet(draft.character, displace_clip(draft), feet)


def displace_clip(draft: Draft) -> Array:
    """Return coordinates (frames, dofs) of the warped clip before its feet are brought to their places."""
    from scipy.interpolate import PchipInterpolator

    clip, clock = draft.clip, draft.time_map
    recorded, times = clip.fitted.motion, np.minimum(draft.reference.times, clock.times[-1])
    back = np.asarray(PchipInterpolator(clock.times, clock.source_times)(times))
    q = sample_curves(recorded, recorded.q, back)
    placed = replace(recorded, q=q).placement
    at, moves = body_moves(clip, plan_moves(clip, draft.edit.changes))
    progress = np.interp(back / clip.frame_time, at, np.arange(len(at)))
    before = progress.astype(int)
    after, frames = np.minimum(before + 1, len(at) - 1), np.arange(len(times))
    part = smoothstep(progress - before)[:, None]
    goes = np.stack([move(placed.positions[:, 0]) for move in moves])
    places = (1.0 - part) * goes[before, frames] + part * goes[after, frames]
    places[:, 2] += _compute_rise(draft, times)
    angles = np.array([[move.turn] for move in moves])
    turned = ((1.0 - part) * angles[before] + part * angles[after])[:, 0]
    return _place_root(draft, q, places, quat.multiply(quat.from_axis_angle(UP, turned), placed.rotations[:, 0]))


def _compute_rise(draft: Draft, times: Array) -> Array:
    """Return the height (m) that flights are raised by, with zero slope where they begin and end."""
    clock, stage = draft.time_map, draft.time_map.stage_at(times)
    part = (times - clock.times[stage]) / (clock.times[stage + 1] - clock.times[stage])
    return np.asarray(clock.extra_rise[stage] * 16.0 * part**2 * (1.0 - part) ** 2)


def _place_root(draft: Draft, q: Array, places: Array, rotations: Array) -> Array:
    """Return coordinates (frames, dofs) with the root at other places, by the Euler angles nearest to the draft."""
    skeleton, out = draft.character.skeleton, q.copy()
    slides, turns = skeleton.columns(0, "slide"), skeleton.columns(0, "turn")
    out[:, slides] = (places - skeleton.offsets[0]) @ np.array([skeleton.dofs[c].axis for c in slides]).T
    axes = np.array([skeleton.dofs[c].axis for c in turns])
    local = quat.multiply(quat.conjugate(skeleton.rests[0]), rotations)
    out[:, turns] = angles_near(axes, local, draft.reference.q[:, turns])
    return out
