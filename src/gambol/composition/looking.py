"""Draft how heads turn to whom people meet, pass, hold or hit: before they are there, and back after.

Likeness is to these drafts, so that nothing is added to the problem. A head turns from the chest to the nearest of
those in sight whom a condition is about, as far as heads do, and eyes do the rest; angles are smoothed over the time
that a head takes, which bounds its speed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import convolve1d

from gambol.composition.blocks import Block, Cast, Take, track_part
from gambol.composition.conditions import BodyPart, Condition
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import follow_minimum_jerk
from gambol.motion.kinematics import place

_LOOK = 1.0
"""Seconds for which people look at each other before and after they are near: who walk hand in hand glance once."""
_NEAR = 0.2
"""Metres by which they are then farther apart than at the nearest, at most."""
_SIGHT = 100.0
"""Degrees to each side of the chest's front within which somebody is seen: half of what people see of the horizon."""
_CLOSE = 0.4
"""Metres between heads below which nobody looks: whoever tackles somebody is beside their head."""
_LIMITS = np.radians([60.0, 30.0])
"""How far heads turn from the chest (rad), to the side, and up or down; both at once by less, on an ellipse."""
_TURN = 1.0
"""Seconds that a turn of the head takes: at most 113 degrees per second, for one of 60 degrees."""


def turn_heads(cast: Cast, take: Take, block: Block) -> Take:
    """Return the state with references in which people of a block look at others whom conditions are about."""
    references = dict(take.references)
    for name in block.people:
        known = [one for one in cast.conditions if _knows(one, block, name)]
        drafted = references.get(name, cast.roles[name].draft.motion.q)
        references[name] = drafted + _find_turns(cast, take, known, name)
    return replace(take, references=references)


def _knows(condition: Condition, block: Block, name: str) -> bool:
    """Return whether a condition is about a person, and no goal of somebody else, who may come unseen."""
    mine = condition.goal_of is None or (block.goals and condition.goal_of == name)
    return mine and name in condition.people


def _find_turns(cast: Cast, take: Take, conditions: list[Condition], name: str) -> Array:
    """Return how a person's draft changes (frames, dofs)."""
    skeleton, draft = cast.roles[name].draft.character.skeleton, cast.roles[name].draft.motion.q
    columns = skeleton.columns(skeleton.index("head"), "turn")[:2]  # about z, then about y
    chest = place(skeleton, take.tracks[name].q).rotations[:, skeleton.index("chest")]
    nearest, angles = np.full(cast.frames, np.inf), np.zeros((cast.frames, 2))
    for condition, other in ((one, other) for one in conditions for other in one.people if other != name):
        away = track_part(cast, take, BodyPart(other, "head")) - track_part(cast, take, BodyPart(name, "head"))
        distance = np.linalg.norm(away, axis=1)
        x, y, z = quat.rotate(quat.conjugate(chest), away).T
        aim = np.stack((np.arctan2(y, x), -np.arctan2(z, np.hypot(x, y))), axis=1)
        seen = (np.abs(aim[:, 0]) < np.radians(_SIGHT)) & (distance > _CLOSE) & (distance < nearest)
        looks = seen & _find_looks(cast, condition, distance)
        far = np.linalg.norm(aim / _LIMITS, axis=1, keepdims=True)
        angles[looks] = (aim / np.maximum(far, 1.0) - draft[:, columns])[looks]
        nearest[looks] = distance[looks]
    change = np.zeros_like(draft)
    shares = np.diff(follow_minimum_jerk(np.linspace(0.0, 1.0, round(_TURN / cast.frame_time) + 1)))
    change[:, columns] = convolve1d(angles, shares, axis=0, mode="nearest")
    return change


def _find_looks(cast: Cast, condition: Condition, distance: Array) -> NDArray[np.bool_]:
    """Return in which frames (frames,) people look at each other, whose heads are at a distance (frames,)."""
    first, last = (round(min(time / cast.frame_time, cast.frames - 1)) for time in condition.span)
    lasts = distance[first : last + 1]
    near = first + int(np.argmax(lasts <= lasts.min() + _NEAR))
    return cast.frame_time * np.abs(np.arange(cast.frames) - near) <= _LOOK
