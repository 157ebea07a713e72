"""What else people do to damaged clips, for comparison: lock feet by inverse kinematics, or filter all joints."""

from __future__ import annotations

import numpy as np

from gambol.contacts.contact import Contact
from gambol.fit.contacts import detect_contacts, find_contact_points
from gambol.fit.rig import Fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import fade_out, low_pass
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.poses.solve import solve_poses
from gambol.poses.targets import aim_point
from gambol.stages.feet import track_point

_BLEND = 0.1
"""Seconds over which a foot is blended to its place and away from it."""
_CUTOFF = 6.0
"""Hz, usual for markers of people who walk (Winter 2009, section 3.4.4)."""
_FIRM = 3.0
"""Weight of a foot against any other joint."""


def lock_feet_only(fitted: Fit) -> Motion:
    """Return the clip with heels and balls held at the places of their contacts."""
    motion = fitted.motion
    places = motion.placement.positions
    ends = fitted.character.skeleton.ends
    feet = {motion.skeleton.index(f"{side}_foot") for side in ("left", "right")}
    kept = [j for j in range(places.shape[1]) if j not in ends and j not in feet]
    targets = [aim_point(joint, np.zeros(3), places[:, joint]) for joint in kept]
    rests = detect_contacts(fitted).items
    for point in find_contact_points(fitted):
        if point.name.endswith("hand"):
            continue
        mine = [rest for rest in rests if rest.fixed and rest.part == point.name]
        goal = _blend_to_places(track_point(motion, point), mine, max(1, round(_BLEND / motion.frame_time)))
        targets.append(aim_point(motion.skeleton.index(point.body), point.point, goal, _FIRM))
    return map_to_rig(fitted, solve_poses(motion.skeleton, targets, motion.q, motion.frame_time))


def filter_clip(motion: Motion) -> Motion:
    """Return the clip with joints and root low-passed, as laboratories of gait do: Butterworth, zero phase lag."""
    local = quat.make_continuous(local_frames(motion.skeleton, motion.q).rotations)
    smooth = quat.normalise(low_pass(local, motion.frame_time, _CUTOFF))
    return replace_rotations(motion, smooth, low_pass(motion.placement.positions[:, 0], motion.frame_time, _CUTOFF))


def _blend_to_places(track: Array, rests: list[Contact], reach: int) -> Array:
    """Return a track (frames, 3) that stays at the places of its contacts and is blended to them and away."""
    shift, resting = np.zeros_like(track), np.zeros(len(track), dtype=bool)
    for rest in rests:
        shift[rest.frames], resting[rest.frames] = rest.place - track[rest.frames], True
    return track + fade_out(shift, resting, reach)
