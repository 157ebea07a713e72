"""Transition poses: the poses of a body at take-off and landing (L05 section 3.5).

A pose is reduced to three mass points (lower body, upper body, arms) relative to the centre of support, in axes aligned
with the heading: they do not depend on position and heading. A flight is reduced to the eleven parameters of L05's
figure 3.5. An example is one flight with its take-off and landing poses; each example also serves mirrored.

Joints are matched by name, and their frames are those of `body.human`: in the standing pose each has x forward, y left,
z up. The orientation of a joint in its parent's frame thus means the same on all bodies, whatever axes it turns about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from gambol.body.character import Character
from gambol.contacts.contact import Contact
from gambol.contacts.stage import Stage
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.fit.rig import fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.kinematics import Placement, local_frames, place
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.poses.guess import guess_poses
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import drop_supported_flights, find_stages
from gambol.stages.speed import compute_speed

GROUPS = ("lower", "upper", "arms")
MassPoints = Mapping[str, Array]
"""Mass points (3,) by group, in metres from the centre of support: x forward, y left, z up."""
_LOWER = ("pelvis", "thigh", "shank", "foot", "feet", "toe", "leg", "hip", "knee", "ankle", "heel", "ball")
_ARMS = ("collar", "arm", "hand", "shoulder", "elbow", "wrist", "finger")
_TOGETHER = 0.05
"""Seconds within which feet are taken to leave, or land, together."""
SHORTEST = 0.05
"""Duration (s) of a runner's shortest flights; shorter ones may be contacts that were not detected."""

BOUNDS = {
    "distance": 3.0,  # metres: the best standing broad jumps; a runner's flight is half of it
    "height": 0.6,  # metres: rise of the centre of mass of the best vertical jumpers
    "before": 3.0,  # metres, as the distance
    "takeoff_angle": np.pi / 2.0,  # radians: from along the ground to straight up
    "landing_angle": np.pi / 2.0,
    "spin": np.pi,  # radians: half a turn
    "takeoff_left": 6.0,  # metres per second: the swinging foot of a fast runner
    "takeoff_right": 6.0,
    "landing_left": 6.0,
    "landing_right": 6.0,
    "speed": 6.0,  # metres per second: a fast run
}
"""Bounds by which L05 scales the parameters before distances are computed; the values are ours, L05 prints none."""


@dataclass(frozen=True)
class FlightParameters:
    """Parameters of a flight: the input of the estimator (L05 figure 3.5), in m, rad and m/s."""

    distance: float
    """D: horizontal travel of the centre of mass."""
    height: float
    """H: rise of the centre of mass above take-off."""
    before: float
    """D': distance of the previous flight, 0 for the first."""
    takeoff_angle: float
    """Angle from the facing direction up to the velocity of the centre of mass; above pi/2 it moves backward."""
    landing_angle: float
    """Angle from the facing direction down to the velocity of the centre of mass."""
    spin: float
    """Turn of the body about the vertical, positive to the left."""
    takeoff_left: float
    """Speed of the left foot at take-off."""
    takeoff_right: float
    landing_left: float
    landing_right: float
    speed: float
    """Mean horizontal speed of the centre of mass."""

    def __post_init__(self) -> None:
        if not np.isfinite(self.array).all():
            raise InputError(f"the parameters of a flight must be finite numbers, got {astuple(self)}")

    @property
    def array(self) -> Array:
        """(11,) parameters in the order of the fields."""
        return np.array(astuple(self), dtype=float)

    @property
    def scaled(self) -> Array:
        """(11,) parameters relative to `BOUNDS`."""
        return self.array / np.array([BOUNDS[field.name] for field in fields(self)])

    @property
    def mirrored(self) -> FlightParameters:
        """The mirror image, with left and right swapped."""
        return replace(
            self,
            spin=-self.spin,
            takeoff_left=self.takeoff_right,
            takeoff_right=self.takeoff_left,
            landing_left=self.landing_right,
            landing_right=self.landing_left,
        )


@dataclass(frozen=True, eq=False)
class Transition:
    """A body at take-off or at landing."""

    points: MassPoints
    standing: MassPoints
    """Mass points of the same body standing straight on the same feet: the default pose of L05 eq. 3.7."""
    pose: Mapping[str, Array]
    """Quaternion (4,) of every joint in its parent's frame; for the root in the world, without heading."""
    feet: tuple[str, ...]
    """The supporting bodies, sorted."""

    def __post_init__(self) -> None:
        for what, size in (("points", 3), ("standing", 3), ("pose", 4)):
            object.__setattr__(self, what, {k: _vector(v, size, k) for k, v in getattr(self, what).items()})
        if not self.points or set(self.points) != set(self.standing) or not set(self.points) <= set(GROUPS):
            raise InputError(
                f"the mass points are {', '.join(self.points)}", fix=f"{', '.join(GROUPS)}, the same in both poses"
            )
        flat = next((name for name, point in self.standing.items() if np.linalg.norm(point) < 1e-3), None)
        if flat is not None:
            raise InputError(f"the {flat} mass point of the standing body is at its feet: it cannot be scaled")
        unit = next((name for name, turn in self.pose.items() if abs(np.linalg.norm(turn) - 1.0) > 1e-3), None)
        if unit is not None or not self.pose:
            raise InputError(f"the pose of '{unit}' is not a unit quaternion")
        object.__setattr__(self, "pose", {name: turn / np.linalg.norm(turn) for name, turn in self.pose.items()})
        if not self.feet:
            raise InputError("a transition pose has no feet", fix="name at least one supporting foot")
        object.__setattr__(self, "feet", tuple(sorted(self.feet)))

    @property
    def mirrored(self) -> Transition:
        """The mirror image, with left and right swapped: y and turns about x and z change sign."""
        across, turned = np.array([1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0, -1.0])
        return Transition(
            {name: point * across for name, point in self.points.items()},
            {name: point * across for name, point in self.standing.items()},
            {_swapped(name): turn * turned for name, turn in self.pose.items()},
            tuple(map(_swapped, self.feet)),
        )


@dataclass(frozen=True, eq=False)
class Example:
    """A flight with its take-off and landing poses."""

    name: str
    flight: FlightParameters
    takeoff: Transition
    landing: Transition

    @property
    def mirrored(self) -> Example:
        """The mirror image, with left and right swapped."""
        return Example(self.name, self.flight.mirrored, self.takeoff.mirrored, self.landing.mirrored)


def mass_groups(skeleton: Skeleton) -> dict[str, tuple[int, ...]]:
    """Group joints by mass point: legs and pelvis, arms from the collars on, and the rest; empty groups are left out.

    A joint with an unknown name is in its parent's group; children of the root are in the upper body.
    """
    found: list[str] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        low = name.lower()
        if parent < 0 or any(word in low for word in _LOWER):
            found.append("lower")
        elif any(word in low for word in _ARMS):
            found.append("arms")
        else:
            found.append("upper" if skeleton.parents[parent] < 0 and parent == 0 else found[parent])
    return {group: joints for group in GROUPS if (joints := tuple(j for j, g in enumerate(found) if g == group))}


def mass_shares(character: Character) -> dict[str, Array]:
    """Return by group the share (joints,) of each joint in the group's mass; groups without mass are left out."""
    out = {}
    for group, joints in mass_groups(character.skeleton).items():
        share = np.zeros(len(character.masses))
        share[list(joints)] = character.masses[list(joints)]
        if share.sum() > 0.0:
            out[group] = share / share.sum()
    return out


def segment_centers(character: Character, placed: Placement) -> Array:
    """Return the centre of mass of every segment, (frames, joints, 3), in the world."""
    return placed.positions + quat.rotate(placed.rotations, character.centers)


def heading(rotations: Array) -> Array:
    """Return headings (frames,) in radians from x to y, from the left axis of root orientations (frames, 4).

    The left axis stays level in forward and backward flips; the forward axis does not.
    """
    left = quat.rotate(rotations, (0.0, 1.0, 0.0))
    return np.arctan2(-left[..., 0], left[..., 1])


def support_center(skeleton: Skeleton, placed: Placement, feet: Sequence[str]) -> Array:
    """Return the centre of support (frames, 3): the mean of the balls of the feet, at the lowest height."""
    balls = [_ball(skeleton, skeleton.index(foot)) for foot in feet]
    soles = sorted({j for foot in feet for j in _below(skeleton, skeleton.index(foot))})
    middle = placed.positions[:, balls].mean(axis=1)
    middle[:, 2] = placed.positions[:, soles, 2].min(axis=1)
    return middle


def mass_points(character: Character, q: Array, feet: Sequence[str]) -> dict[str, Array]:
    """Return the mass points of a pose (dofs,) relative to its centre of support, without heading."""
    placed = place(character.skeleton, q[None])
    back = quat.from_axis_angle((0.0, 0.0, 1.0), -heading(placed.rotations[:, 0])[0])
    centre, masses = support_center(character.skeleton, placed, feet)[0], segment_centers(character, placed)[0]
    return {group: quat.rotate(back, share @ masses - centre) for group, share in mass_shares(character).items()}


def standing_pose(character: Character) -> Array:
    """Return coordinates (dofs,) of the default pose: standing straight, arms hanging, facing x."""
    return pose_coordinates(character, dict.fromkeys(character.skeleton.names, quat.IDENTITY))


def pose_coordinates(character: Character, pose: Mapping[str, Array]) -> Array:
    """Return coordinates (dofs,) of a pose given by joint, within joint limits; other joints are as in standing."""
    skeleton = character.skeleton
    world: list[Array] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        base = world[parent] if parent >= 0 else quat.IDENTITY
        world.append(quat.multiply(base, pose.get(name, quat.IDENTITY)))
    moving = sorted({dof.joint for dof in skeleton.dofs if dof.kind == "turn"})
    q = guess_poses(skeleton, np.zeros((1, 3)), {joint: world[joint][None] for joint in moving})[0]
    return np.clip(q, skeleton.lower, skeleton.upper)


def make_transition(character: Character, q: Array, feet: Sequence[str]) -> Transition:
    """Make a transition from a pose (dofs,) that stands on these feet."""
    local = local_frames(character.skeleton, q[None]).rotations[0]
    back = quat.from_axis_angle((0.0, 0.0, 1.0), -heading(local[:1])[0])
    local[0] = quat.multiply(back, local[0])
    turning = sorted({dof.joint for dof in character.skeleton.dofs if dof.kind == "turn"})
    pose = {character.skeleton.names[joint]: local[joint] for joint in turning}
    default = mass_points(character, standing_pose(character), feet)
    return Transition(mass_points(character, q, feet), default, pose, tuple(feet))


def measure_flight(character: Character, motion: Motion, stages: Sequence[Stage], flight: Stage) -> FlightParameters:
    """Measure the parameters of a flight stage; it needs a frame on the ground on either side."""
    first, last = _ends(motion, flight)
    placed = Placement(*(part[first : last + 1] for part in motion.placement))
    centre = segment_centers(character, placed).transpose(0, 2, 1) @ (character.masses / character.mass)
    times = motion.frame_time * np.arange(len(centre))
    faced = np.unwrap(heading(placed.rotations[:, 0]))
    along = (centre[-1, :2] - centre[0, :2]) / times[-1]
    # Rough motions do not fall at g: fit the parabola.
    bend, rise = (float(x) for x in np.polyfit(times, centre[:, 2], 2)[:2])
    forward = [float(along @ (np.cos(a), np.sin(a))) for a in (faced[0], faced[-1])]
    feet = {side: _foot_speed(motion, side, first, last) for side in ("left", "right")}
    return FlightParameters(
        distance=float(np.linalg.norm(along)) * float(times[-1]),
        height=max(0.0, float(centre[:, 2].max() - centre[0, 2])),
        before=_distance_before(character, motion, stages, flight),
        takeoff_angle=float(np.arctan2(rise, forward[0])),
        landing_angle=float(np.arctan2(-rise - 2.0 * bend * times[-1], forward[1])),
        spin=float(faced[-1] - faced[0]),
        takeoff_left=feet["left"][0],
        takeoff_right=feet["right"][0],
        landing_left=feet["left"][1],
        landing_right=feet["right"][1],
        speed=float(np.linalg.norm(along)),
    )


def find_carrying_feet(
    skeleton: Skeleton, contacts: Contacts, flight: Stage, frame_time: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the feet in contact just before a flight, and just after it."""
    reach = round(_TOGETHER / frame_time)
    spans = ((flight.first - 1 - reach, flight.first - 1), (flight.last + 1, flight.last + 1 + reach))
    before, after = (
        tuple(sorted({foot for c in contacts.items if c.first <= b and c.last >= a and (foot := _foot(skeleton, c))}))
        for a, b in spans
    )
    return before, after


def find_examples(
    character: Character, motion: Motion, contacts: Contacts, stages: Sequence[Stage], name: str = ""
) -> list[Example]:
    """Return one example for every flight between two stances; flights that the clip cuts are left out."""
    out = []
    for stage in stages:
        whole = stage.first > 0 and stage.last < len(motion) - 1 and len(stage) * motion.frame_time >= SHORTEST
        if stage.kind != "flight" or not whole:
            continue
        before, after = find_carrying_feet(character.skeleton, contacts, stage, motion.frame_time)
        if before and after:
            takeoff = make_transition(character, motion.q[stage.first - 1], before)
            landing = make_transition(character, motion.q[stage.last + 1], after)
            flight = measure_flight(character, motion, stages, stage)
            out.append(Example(f"{name or motion.name} {stage.name}", flight, takeoff, landing))
    return out


def find_clip_examples(motion: Motion) -> list[Example]:
    """Return the examples of a clip on any rig, with the character, contacts and stages found in it."""
    contacts = find_foot_contacts(motion)
    fitted = fit(Character.from_motion(motion), motion)
    stages = drop_supported_flights(motion, find_stages(contacts))
    return find_examples(fitted.character, fitted.motion, contacts, stages, motion.name)


def _ends(motion: Motion, flight: Stage) -> tuple[int, int]:
    """Return the last frame on the ground before a flight, and the first after it."""
    if flight.first < 1 or flight.last > len(motion) - 2:
        raise InputError(f"{flight.name} is cut by the clip", fix="a flight needs a ground frame on either side")
    return flight.first - 1, flight.last + 1


def _distance_before(character: Character, motion: Motion, stages: Sequence[Stage], flight: Stage) -> float:
    earlier = [stage for stage in stages if stage.kind == "flight" and stage.last < flight.first]
    if not earlier:
        return 0.0
    ends = [max(earlier[-1].first - 1, 0), earlier[-1].last + 1]
    placed = Placement(*(part[ends] for part in motion.placement))
    centre = segment_centers(character, placed).transpose(0, 2, 1) @ (character.masses / character.mass)
    return float(np.linalg.norm(centre[1, :2] - centre[0, :2]))


def _foot_speed(motion: Motion, side: str, first: int, last: int) -> tuple[float, float]:
    if f"{side}_foot" not in motion.skeleton.names:
        return 0.0, 0.0
    pace = compute_speed(motion.placement.positions[:, motion.skeleton.index(f"{side}_foot")], motion.frame_time)
    return float(pace[first]), float(pace[last])


def _foot(skeleton: Skeleton, contact: Contact) -> str | None:
    """Return the character's body for a contact, which may have been found on a rig."""
    side, _, point = contact.part.partition("_")
    if point in ("heel", "ball", "toe", "toes", "foot") and f"{side}_foot" in skeleton.names:
        return f"{side}_foot"
    tip = f"{contact.part}_tip"
    if tip in skeleton.names:
        return skeleton.names[skeleton.parents[skeleton.index(tip)]]
    return contact.body if contact.body in skeleton.names else None


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    return [j for j in range(len(skeleton.names)) if joint in skeleton.path_to_root(j)]


def _ball(skeleton: Skeleton, foot: int) -> int:
    """Return the joint of the ball of a foot by name, else the last joint below the foot, or the foot itself."""
    below = _below(skeleton, foot)
    named = [j for word in ("ball", "toe") for j in below if word in skeleton.names[j].lower()]
    return named[0] if named else below[-1]


def _swapped(name: str) -> str:
    if "left" in name:
        return name.replace("left", "right")
    return name.replace("right", "left")


def _vector(value: Array, size: int, name: str) -> Array:
    array = np.array(value, dtype=float)
    if array.shape != (size,) or not np.isfinite(array).all():
        raise InputError(f"'{name}' must be {size} finite numbers, got {array.tolist()}")
    array.flags.writeable = False
    return array
