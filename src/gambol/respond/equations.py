"""One frame of the response as one CasADi function: YL08, equations 1 to 4 and 7, in a stable form.

The unknowns are the deviation d of root and upper body from the clip m, and its rate e. The joints apply the clip's own
torque, and stiffness K and damping D act on the deviation, both evaluated at the end of the frame:

    ID(q, w + e, a) + M(q) (e' - e) / h  =  ID(m, w, a) - K d' - D e' + J'f,      d' = d + h e'

ID is inverse dynamics (equation 1), w and a the clip's velocity and acceleration, f the push. K and D are large along
the actuated directions and small along the near-unactuated ones. With no push the two inverse dynamics are the same
numbers and nothing deviates. Multiplied by the new rate, the terms of inertia, stiffness and damping show that the
energy of the deviation, half of (e, M e) + (d, K d), never grows by them, for any length of frame.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import casadi as ca
import numpy as np

from gambol.body.character import Character
from gambol.body.expressions import Expressions, make_rotation
from gambol.body.lumped import lump_bodies
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io.packed import digest
from gambol.legs.character import LEG_PARTS, PelvisFrame, find_character_legs, keep_feet_in_place
from gambol.respond.actuation import upper_body_columns
from gambol.respond.arm_stops import stop_arms

_BRAKE = 8.0
"""Damping of a coordinate that approaches a bound, as a multiple of its inertia per frame."""
_FAST, _TOP = 10.0, 25.0
"""Angular rates (rad/s) at which drag begins, and the largest allowed."""
_DRAG = 5.0
_STOP = 1e5
"""Stiffness of a bound as a multiple of inertia."""
_POINT = 1e-9
"""Distance (m) below which a direction along the ground is undefined."""


@dataclass(frozen=True, eq=False)
class CoordinateBounds:
    """Bounds of the coordinates of root and upper body (n,), in metres and radians."""

    lower: Array
    upper: Array
    root_limits: Array
    """Largest deviation from the clip; along the ground the radius of a circle."""
    margin: Array
    """Width of the zone before a bound in which motion is braked."""


def upper_body(character: Character) -> Character:
    """Return the character without legs: their mass is lumped into the pelvis."""
    return lump_bodies(character, [name for name in character.bodies if name.endswith(LEG_PARTS)])


def step_function(character: Character, burdened: Character, bounds: CoordinateBounds) -> ca.Function:
    """Return the step of a character; `burdened` carries loads that the joint torques do not account for.

    Inputs: targets of this frame, the last and the next (dofs,); deviation and rate (n,); stiffness and damping (n, n);
    generalised force (n,) and wrenches on the upper bodies (6, bodies: force, moment about the joint); acceleration
    of the ground (3,); seconds of a frame. Outputs: deviation and rate (n,) and the pose (dofs,) of the next frame,
    and the part of the deviation (n,) that the bounds cut off, NaN where there is no solution.
    """
    content = digest(character, burdened, bounds.lower, bounds.upper, bounds.root_limits, bounds.margin)
    return _build_step(_Given(content, character, burdened, bounds))


@dataclass(frozen=True)
class _Given:
    """What a step is built from, the same if its content is."""

    content: str
    character: Character = field(compare=False)
    burdened: Character = field(compare=False)
    bounds: CoordinateBounds = field(compare=False)


@lru_cache(maxsize=8)
def _build_step(given: _Given) -> ca.Function:
    """Build the step: half a second, and other clips of the same body need the same."""
    character, burdened, bounds = given.character, given.burdened, given.bounds
    columns = upper_body_columns(character)
    size, dofs = len(columns), len(character.skeleton.dofs)
    plain, bearing = Expressions(upper_body(character)), Expressions(upper_body(burdened))
    now, before, goal = (ca.SX.sym(name, dofs) for name in ("now", "before", "goal"))
    off, rate, force = (ca.SX.sym(name, size) for name in ("off", "rate", "force"))
    stiffness, damping = ca.SX.sym("stiffness", size, size), ca.SX.sym("damping", size, size)
    wrenches = ca.SX.sym("wrenches", 6, len(plain.character.skeleton.names))
    ground, h = ca.SX.sym("ground", 3), ca.SX.sym("h")

    target = now[columns]
    velocity = (target - before[columns]) / h
    acceleration = (goal[columns] - 2.0 * target + before[columns]) / h**2
    q = target + off
    carried = acceleration + ca.vertcat(ground, ca.SX.zeros(size - 3))
    push = force + plain.generalised_forces(q, wrenches)
    pull = plain.torques(target, velocity, acceleration) - bearing.torques(q, velocity + rate, carried) + push
    mass = bearing.mass_matrix(q)

    ahead = off + h * rate
    matrix = mass + h * damping + h**2 * stiffness
    right = h * (pull - stiffness @ ahead - damping @ rate)
    high = ca.fmax(ca.fmin(bounds.upper - goal[columns], bounds.root_limits), 0.0)
    low = ca.fmin(ca.fmax(bounds.lower - goal[columns], -bounds.root_limits), 0.0)
    inertia = ca.diag(mass)
    brake = inertia * _braking(ahead, rate, low, high, bounds.margin, h)
    edge = ca.fmin(ca.fmax(ahead, low), high)
    stop = ca.if_else(edge == ahead, 0.0, _STOP * inertia)
    # Along the ground the root is held within a circle: limits along x and y would depend on where the clip faces.
    brake[:2], stop[:2] = 0.0, 0.0
    matrix += ca.diag(brake + stop)
    right += stop * ((edge - off) / h - rate) - brake * rate
    resistance, pushed_back = _circle(ahead[:2], off[:2], rate[:2], bounds, h)
    matrix[:2, :2] += inertia[0] * resistance
    right[:2] += inertia[0] * pushed_back
    arms = stop_arms(plain, character.leg_length, goal[columns], goal[columns] + ahead, rate, h)
    matrix += arms.resistance
    right += arms.impulse
    faster = rate + ca.ldl_solve(right, *ca.ldl(matrix))
    unbounded = off + h * faster
    faster[3:] = ca.fmin(ca.fmax(faster[3:], -_TOP), _TOP)
    new = ca.fmin(ca.fmax(off + h * faster, low), high)
    along = off[:2] + h * faster[:2]
    new[:2] = along * ca.fmin(bounds.root_limits[0] / ca.fmax(ca.norm_2(along), _POINT), 1.0)

    pose = _place_feet(character, goal, new[:6], float(bounds.root_limits[2]))
    pose[columns[6:]] = goal[columns[6:]] + new[6:]
    inputs = [now, before, goal, off, rate, stiffness, damping, force, wrenches, ground, h]
    return ca.Function("answer", inputs, [new, (new - off) / h, pose, unbounded - new], {"cse": True})


def feet_function(character: Character, max_drop: float) -> ca.Function:
    """Return a function from a clip's pose (dofs,) and a deviation of the root (6,) to the pose with the clip's feet.

    The pelvis is lowered by at most `max_drop` (m) where a leg would not reach.
    """
    clip, moved = ca.SX.sym("clip", len(character.skeleton.dofs)), ca.SX.sym("moved", 6)
    return ca.Function("feet", [clip, moved], [_place_feet(character, clip, moved, max_drop)])


def _place_feet(character: Character, clip: ca.SX, moved: ca.SX, max_drop: float) -> ca.SX:
    hips_of = _hips_function(character)
    legs = find_character_legs(character)
    return keep_feet_in_place(legs, clip, PelvisFrame(*hips_of(clip[:6])), moved, hips_of, max_drop)


def _braking(ahead: ca.SX, rate: ca.SX, low: ca.DM, high: ca.DM, margin: Array, h: ca.SX) -> ca.SX:
    """Return damping near bounds and at high rates, as multiples of inertia per frame."""
    rising = (ahead - ca.fmax(high - margin, 0.0)) / margin
    falling = (ca.fmin(low + margin, 0.0) - ahead) / margin
    into = ca.if_else(rate > 0.0, rising, ca.if_else(rate < 0.0, falling, 0.0))
    drag = _BRAKE * ca.fmin(ca.fmax(into, 0.0), 1.0) ** 2
    drag[3:] += h * _DRAG * ca.fmax(ca.fabs(rate[3:]) - _FAST, 0.0)
    return drag


def _circle(ahead: ca.SX, off: ca.SX, rate: ca.SX, bounds: CoordinateBounds, h: ca.SX) -> tuple[ca.SX, ca.SX]:
    """Return brake and stop at a circle on the ground per unit of mass: a matrix (2, 2) and an impulse (2,)."""
    root_limits, margin = float(bounds.root_limits[0]), float(bounds.margin[0])
    distance = ca.norm_2(ahead)
    outward = ahead / ca.fmax(distance, _POINT)
    into = ca.if_else(ca.dot(rate, ahead) > 0.0, (distance - (root_limits - margin)) / margin, 0.0)
    brake = _BRAKE * ca.fmin(ca.fmax(into, 0.0), 1.0) ** 2
    stop = ca.if_else(distance > root_limits, _STOP, 0.0)
    impulse = stop * ((root_limits * outward - off) / h - rate) - brake * rate
    return (brake + stop) * outward @ outward.T, outward * ca.dot(outward, impulse)


def _hips_function(character: Character) -> ca.Function:
    """Return a function from root coordinates (6,) to position and rotation of the pelvis."""
    skeleton = character.skeleton
    root = ca.SX.sym("root", 6)
    place, turn = ca.SX(ca.DM(skeleton.offsets[0])), ca.SX(ca.DM(quat.to_matrix(skeleton.rests[0])))
    for column in range(6):
        axis = np.array(skeleton.dofs[column].axis)
        if skeleton.dofs[column].kind == "slide":
            place += ca.DM(axis) * root[column]
        else:
            turn = turn @ make_rotation(axis, root[column])
    return ca.Function("hips", [root], [place, turn])
