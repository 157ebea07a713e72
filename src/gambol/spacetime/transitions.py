"""Transition poses: how a body looks when it leaves the ground and when it comes down again (L05 section 3.5).

A pose is reduced to three mass points (lower body, upper body, arms) seen from the centre of support, in axes that face
where the body faces: neither place nor heading of the motion is in them. A flight is reduced to the eleven numbers of
L05's figure 3.5. One flight with its take-off and its landing is an example; what is left is right in its mirror image.

Joints are told apart by name, and their frames are those of `body.human`: standing, every one has x forward, y left, z
up. So the orientation of a joint in its parent's frame means the same on all bodies, whatever axes it turns about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError
from gambol.fit.pose import guess_poses
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.contacts import Contact, Contacts, Stage
from gambol.motion.kinematics import Placement, local_frames, place
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Skeleton
from gambol.stages.speed import compute_speed

GROUPS = ("lower", "upper", "arms")
MassPoints = Mapping[str, Array]
"""Mass points (3,) by group, metres from the centre of support: x where the body faces, y left, z up."""
_LOWER = ("pelvis", "thigh", "shank", "foot", "feet", "toe", "leg", "hip", "knee", "ankle", "heel", "ball")
_ARMS = ("collar", "arm", "hand", "shoulder", "elbow", "wrist", "finger")
_TOGETHER = 0.05
"""Seconds: feet that leave, or land, within this are taken to do so together."""
SHORTEST = 0.05
"""Seconds: a runner's shortest flights. What is shorter may be a foot whose contact was not seen."""

BOUNDS = {
    "distance": 3.0,  # metres: a standing broad jump of the best; a runner's flight is half of it
    "height": 0.6,  # metres: the centre of mass of the best vertical jumpers rises that far
    "before": 3.0,  # metres, as the distance
    "takeoff_angle": np.pi / 2.0,  # radians: from along the ground to straight up
    "landing_angle": np.pi / 2.0,
    "spin": np.pi,  # radians: half a turn makes a take-off as unlike as can be
    "takeoff_left": 6.0,  # metres a second: the swinging foot of a fast runner
    "takeoff_right": 6.0,
    "landing_left": 6.0,
    "landing_right": 6.0,
    "speed": 6.0,  # metres a second: a fast run
}
"""Natural bounds by which L05 scales every parameter before distances are taken; ours, as it prints none."""


@dataclass(frozen=True)
class FlightParameters:
    """What a flight is like: the input of the estimator (L05 figure 3.5), in metres, radians and metres a second."""

    distance: float
    """D: how far the centre of mass travels over the ground."""
    height: float
    """H: how far it rises above where it was at take-off."""
    before: float
    """D': the distance of the flight before, 0 for the first."""
    takeoff_angle: float
    """From where the body faces up to where the centre of mass goes, seen from the side; beyond a quarter: backward."""
    landing_angle: float
    """From where the body faces down to where the centre of mass goes."""
    spin: float
    """How far the body turns about the vertical, to the left."""
    takeoff_left: float
    """Speed of the left foot at take-off."""
    takeoff_right: float
    landing_left: float
    landing_right: float
    speed: float
    """Mean over the ground."""

    def __post_init__(self) -> None:
        if not np.isfinite(self.array).all():
            raise InputError(f"the parameters of a flight must be finite numbers, got {astuple(self)}")

    @property
    def array(self) -> Array:
        """(11,) in the order of the fields, in their units."""
        return np.array(astuple(self), dtype=float)

    @property
    def scaled(self) -> Array:
        """(11,) in shares of the natural bounds."""
        return self.array / np.array([BOUNDS[field.name] for field in fields(self)])

    @property
    def mirrored(self) -> FlightParameters:
        """Seen in a mirror that swaps left and right."""
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
    """The same body's mass points when it stands straight, from the same feet: the default pose of L05 eq. 3.7."""
    pose: Mapping[str, Array]
    """Quaternion (4,) of every joint in its parent's frame; of the root in the world, less its heading."""
    feet: tuple[str, ...]
    """The bodies that carry, sorted."""

    def __post_init__(self) -> None:
        for what, size in (("points", 3), ("standing", 3), ("pose", 4)):
            object.__setattr__(self, what, {k: _vector(v, size, k) for k, v in getattr(self, what).items()})
        if not self.points or set(self.points) != set(self.standing) or not set(self.points) <= set(GROUPS):
            raise InputError(f"mass points are of {', '.join(GROUPS)}, in both poses, not {', '.join(self.points)}")
        flat = next((name for name, point in self.standing.items() if np.linalg.norm(point) < 1e-3), None)
        if flat is not None:
            raise InputError(f"the {flat} mass point of a standing body is at its feet: nothing to scale by")
        unit = next((name for name, turn in self.pose.items() if abs(np.linalg.norm(turn) - 1.0) > 1e-3), None)
        if unit is not None or not self.pose:
            raise InputError(f"the pose of '{unit}' is no turn: its four numbers must have length 1")
        object.__setattr__(self, "pose", {name: turn / np.linalg.norm(turn) for name, turn in self.pose.items()})
        if not self.feet:
            raise InputError("a transition pose stands on at least one foot")
        object.__setattr__(self, "feet", tuple(sorted(self.feet)))

    @property
    def mirrored(self) -> Transition:
        """Seen in a mirror that swaps left and right: y changes its sign, and so do turns about x and z."""
        across, turned = np.array([1.0, -1.0, 1.0]), np.array([1.0, -1.0, 1.0, -1.0])
        return Transition(
            {name: point * across for name, point in self.points.items()},
            {name: point * across for name, point in self.standing.items()},
            {_swapped(name): turn * turned for name, turn in self.pose.items()},
            tuple(map(_swapped, self.feet)),
        )


@dataclass(frozen=True, eq=False)
class Example:
    """A flight, and the poses it began and ended with."""

    name: str
    flight: FlightParameters
    takeoff: Transition
    landing: Transition

    @property
    def mirrored(self) -> Example:
        """Seen in a mirror that swaps left and right."""
        return Example(self.name, self.flight.mirrored, self.takeoff.mirrored, self.landing.mirrored)


def mass_groups(skeleton: Skeleton) -> dict[str, tuple[int, ...]]:
    """Joints by mass point: legs and pelvis, arms from the collars on, and the rest; no group without joints.

    A joint whose name says nothing goes with its parent; those that hang on the root are of the upper body.
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
    """(joints,) by group: what share of the group's mass each joint carries; groups without mass are left out."""
    out = {}
    for group, joints in mass_groups(character.skeleton).items():
        share = np.zeros(len(character.masses))
        share[list(joints)] = character.masses[list(joints)]
        if share.sum() > 0.0:
            out[group] = share / share.sum()
    return out


def segment_centers(character: Character, placed: Placement) -> Array:
    """(frames, joints, 3) world centre of mass of every segment."""
    return placed.positions + quat.rotate(placed.rotations, character.centers)


def heading(rotations: Array) -> Array:
    """Angle (frames,) about the vertical that a body faces, from x to y, by what is left of its root (frames, 4).

    The axis to the left stays level in flips forward and backward, where the one ahead does not.
    """
    left = quat.rotate(rotations, (0.0, 1.0, 0.0))
    return np.arctan2(-left[..., 0], left[..., 1])


def support_center(skeleton: Skeleton, placed: Placement, feet: Sequence[str]) -> Array:
    """(frames, 3) centre of support: the middle of the balls of the feet, at the height of their lowest point."""
    balls = [_ball(skeleton, skeleton.index(foot)) for foot in feet]
    soles = sorted({j for foot in feet for j in _below(skeleton, skeleton.index(foot))})
    middle = placed.positions[:, balls].mean(axis=1)
    middle[:, 2] = placed.positions[:, soles, 2].min(axis=1)
    return middle


def mass_points(character: Character, q: Array, feet: Sequence[str]) -> dict[str, Array]:
    """The mass points of a pose (dofs,) seen from its centre of support, heading taken out."""
    placed = place(character.skeleton, q[None])
    back = quat.from_axis_angle((0.0, 0.0, 1.0), -heading(placed.rotations[:, 0])[0])
    centre, masses = support_center(character.skeleton, placed, feet)[0], segment_centers(character, placed)[0]
    return {group: quat.rotate(back, share @ masses - centre) for group, share in mass_shares(character).items()}


def standing_pose(character: Character) -> Array:
    """Coordinates (dofs,) of the default pose: standing straight, arms hanging, facing x."""
    return pose_coordinates(character, dict.fromkeys(character.skeleton.names, quat.IDENTITY))


def pose_coordinates(character: Character, pose: Mapping[str, Array]) -> Array:
    """Coordinates (dofs,) of a pose by joints' names, within the joints' limits; joints it does not name stand."""
    skeleton = character.skeleton
    world: list[Array] = []
    for name, parent in zip(skeleton.names, skeleton.parents, strict=True):
        base = world[parent] if parent >= 0 else quat.IDENTITY
        world.append(quat.multiply(base, pose.get(name, quat.IDENTITY)))
    moving = sorted({dof.joint for dof in skeleton.dofs if dof.kind == "turn"})
    q = guess_poses(skeleton, np.zeros((1, 3)), {joint: world[joint][None] for joint in moving})[0]
    return np.clip(q, [d.lower for d in skeleton.dofs], [d.upper for d in skeleton.dofs])


def make_transition(character: Character, q: Array, feet: Sequence[str]) -> Transition:
    """What an example stores of a pose (dofs,) that stands on these feet."""
    local = local_frames(character.skeleton, q[None]).rotations[0]
    back = quat.from_axis_angle((0.0, 0.0, 1.0), -heading(local[:1])[0])
    local[0] = quat.multiply(back, local[0])
    turning = sorted({dof.joint for dof in character.skeleton.dofs if dof.kind == "turn"})
    pose = {character.skeleton.names[joint]: local[joint] for joint in turning}
    default = mass_points(character, standing_pose(character), feet)
    return Transition(mass_points(character, q, feet), default, pose, tuple(feet))


def measure_flight(character: Character, motion: Motion, stages: Sequence[Stage], flight: Stage) -> FlightParameters:
    """The parameters of a flight stage of a character's motion; it needs a frame of ground on either side."""
    first, last = _ends(motion, flight)
    placed = Placement(*(part[first : last + 1] for part in motion.placement))
    centre = segment_centers(character, placed).transpose(0, 2, 1) @ (character.masses / character.mass)
    times = motion.frame_time * np.arange(len(centre))
    faced = np.unwrap(heading(placed.rotations[:, 0]))
    along = (centre[-1, :2] - centre[0, :2]) / times[-1]
    # The bodies of sketches do not fall as they should: the parabola is fitted, not taken from gravity.
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
    """The feet that carry just before a flight, and just after it."""
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
    """One example of every flight between two stands on feet; those that the clip cuts are left out."""
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
    """Every flight of a clip on any rig, by the body, contacts and stages that `physics_of` finds."""
    from gambol.fit.physics import estimate_physics

    physics = estimate_physics(motion)
    return find_examples(physics.fitted.character, physics.fitted.motion, physics.contacts, physics.stages, motion.name)


def _ends(motion: Motion, flight: Stage) -> tuple[int, int]:
    """The last frame on the ground before a flight, and the first after it."""
    if flight.first < 1 or flight.last > len(motion) - 2:
        raise InputError(f"{flight.name} is cut by the clip", fix="a flight needs a frame of ground on either side")
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
    """The body of a character that a contact, perhaps found on a rig, is of."""
    side, _, point = contact.name.partition("_")
    if point in ("heel", "ball", "toe", "toes", "foot") and f"{side}_foot" in skeleton.names:
        return f"{side}_foot"
    tip = f"{contact.name}_tip"
    if tip in skeleton.names:
        return skeleton.names[skeleton.parents[skeleton.index(tip)]]
    return contact.body if contact.body in skeleton.names else None


def _below(skeleton: Skeleton, joint: int) -> list[int]:
    return [j for j in range(len(skeleton.names)) if joint in skeleton.path_to_root(j)]


def _ball(skeleton: Skeleton, foot: int) -> int:
    """The joint that marks the ball of a foot; the farthest tip where none is named so, or the foot itself."""
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
