"""Examples of what the judge finds: built-in motions, and the same with a fault made on purpose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass, smoothstep
from gambol.geometry.vectors import UP
from gambol.io import samples
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.judge.damages import (
    LocalDamage,
    flip_knee,
    freeze_arms,
    push_arm_into_trunk,
    shift_root,
    turn_parts,
)
from gambol_evidence.reproduce.judge.moments import Window, track_joint
from gambol_evidence.reproduce.judge.movements import stop_dead, swing_through_leg, turn_about
from gambol_evidence.reproduce.judge.pairs import mirror_at_hand

AHEAD, LEFT = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
"""The built-in motions go along x."""
RIGHT_SIDE, LEFT_SIDE, FRONT, OBLIQUE = (0.0, -1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.6, -0.8, 0.0)
"""Where a picture is taken from."""
FEET, LEGS, BODY = ("foot", "toes"), ("shank", "foot", "toes"), ("",)
ARM, TRUNK = ("right_forearm", "right_hand"), ("pelvis", "head", "hand")
LEG = 0.85
"""Length of a leg (m)."""


class Example(NamedTuple):
    """Sound motion, and motion with a fault, of one person or two."""

    kind: str
    sound: tuple[Motion, ...]
    damaged: tuple[Motion, ...]
    times: tuple[float, ...]
    """Seconds of the poses."""
    focus: tuple[str, ...] = BODY
    """Ends of the names of the parts that fill the picture."""
    side: tuple[float, float, float] = RIGHT_SIDE
    apart: float = 0.0
    """Metres between poses that are beside each other; 0: overlaid, where they are."""
    trail: str = ""
    """Part of which every frame is shown."""
    during: tuple[float, float] = (0.0, 0.0)
    """Seconds of the trail."""
    compared: bool = False
    """Whether the damaged motion should look like the sound one."""
    balance: bool = False
    """Whether the centre of mass is shown."""

    @property
    def note(self) -> str:
        """Words below the sound motion."""
        within = f", within {self.times[-1] - self.times[0]:.2g} s" if len(self.times) > 1 and not self.apart else ""
        dots = "; a dot per frame" if self.trail else ""
        return ("the clip before" if self.compared else "sound") + within + dots


def list_feet() -> list[Example]:
    walk, stand = samples.walk(), samples.stand()
    gliding = stand[:230]
    gliding = shift_root(gliding, np.outer(track_joint(walk, "pelvis")[:230, 0], AHEAD))
    lifted = lift_feet(walk, {"right": 0.12 * bump(walk, 1.65, 0.6)})
    right_foot, lower = ("right_shank", "right_foot", "right_toes"), ("spine", "foot", "toes")
    return [
        Example(
            "foot_slide", (walk,), (move(walk, 0.1 * AHEAD, rise(walk, 1.75, 0.25)),), (1.7, 2.05), right_foot,
            trail="right_foot", during=(1.7, 2.05),
        ),
        Example(
            "both_feet_slide", (stand,), (move(stand, 0.1 * AHEAD, rise(stand, 1.8, 0.3)),), (1.78, 2.12), LEGS,
            trail="right_foot", during=(1.78, 2.12),
        ),
        Example("foot_float", (walk,), (move(walk, 0.08 * UP, plateau(walk, 1.7, 2.15)),), (1.92,), LEGS),
        Example("foot_sinks", (walk,), (move(walk, -0.08 * UP, plateau(walk, 1.7, 2.15)),), (1.92,), LEGS),
        Example("unsupported", (walk,), (gliding,), (1.0, 1.5, 2.0)),
        Example("lost_stance", (walk,), (lifted,), (1.95,), LEGS, compared=True),
        Example("over_floor", (walk,), (move(walk, 0.15 * UP, 1.0),), (1.92,), lower, compared=True),
        Example("under_floor", (walk,), (move(walk, -0.15 * UP, 1.0),), (1.92,), lower, compared=True),
    ]  # fmt: skip


def list_pops() -> list[Example]:
    walk, run = samples.walk(), samples.run()
    frame = round(1.9 / walk.frame_time)
    once = np.where(np.arange(len(walk)) == frame, 1.0, 0.0)
    popped = turn(walk, {"right_upper_arm": (LEFT, -12.0 * once)})
    turned = turn(walk, {"head": (UP, 35.0 * once)})
    stopped, when = damage(walk, stop_dead, "right_leg")
    lost = replace(run, q=np.delete(run.q, [round(1.4 / run.frame_time)], axis=0))
    return [
        Example(
            "pop", (walk,), (popped,), (1.9,), ARM, trail="right_hand", during=(1.7, 2.1)
        ),
        Example(
            "turn_pop", (walk,), (turned,), (1.9 - walk.frame_time, 1.9, 1.9 + walk.frame_time), ("head", "neck"),
            OBLIQUE, apart=0.35,
        ),
        Example(
            "hard_landing", (walk,), (stopped,), (when,), ("right_foot", "right_toes", "right_shank"),
            trail="right_toes", during=(when - 0.2, when + 0.1),
        ),
        Example(
            "missing_frame", (run,), (lost,), (1.4,), ("pelvis",), trail="pelvis", during=(1.33, 1.45)
        ),
    ]  # fmt: skip


def list_limbs() -> list[Example]:
    walk, stand = samples.walk(), samples.stand()
    backward, when_backward = damage(walk, partial(flip_knee, backward=True), "right_leg")
    turned, when_turned = damage(walk, partial(flip_knee, backward=False), "right_leg")
    inside, when_inside = damage(walk, push_arm_into_trunk, "right_arm")
    crossing, when_crossing = damage(walk, swing_through_leg, "right_leg")
    sideways = turn(stand, {"right_shank": (AHEAD, -35.0 * bump(stand, 1.0, 2.0)), "right_foot": (AHEAD, 0.0)})
    beyond = turn(walk, {"right_forearm": (LEFT, 75.0 * bump(walk, 1.7, 0.6))})
    aside = turn(walk, {"right_forearm": (AHEAD, -50.0 * bump(walk, 1.7, 0.6))})
    legs = ("thigh", "foot", "toes")
    return [
        Example("knee_backward", (walk,), (backward,), (when_backward,), legs),
        Example("knee_turned", (walk,), (turned,), (when_turned,), legs),
        Example("knee_sideways", (stand,), (sideways,), (2.0,), legs, FRONT),
        Example("elbow_backward", (walk,), (beyond,), (2.0,), TRUNK),
        Example("elbow_sideways", (walk,), (aside,), (2.0,), TRUNK, FRONT),
        Example("limb_through_limb", (walk,), (inside,), (when_inside,), TRUNK, FRONT),
        Example("feet_crossing", (walk,), (crossing,), (when_crossing,), legs, FRONT),
    ]


def list_limits() -> list[Example]:
    walk, stand = samples.walk(), samples.stand()
    kicked = turn(stand, {"right_thigh": (LEFT, -70.0 * bump(stand, 2.0, 0.3))})
    swung = turn(stand, {"right_upper_arm": (LEFT, -70.0 * bump(stand, 2.0, 0.3))})
    snapped = turn(stand, {"right_shank": (LEFT, 130.0 * bump(stand, 2.0, 0.2))})
    spun = turn(stand, {"spine": (UP, 70.0 * rise(stand, 2.0, 0.2))})
    pushed = move(walk, 0.25 * LEFT, bump(walk, 1.8, 0.3))
    whipped = turn(stand, {"spine": (LEFT, 30.0 * bump(stand, 2.0, 0.4))})
    twisted = turn(stand, {"spine": (UP, 40.0 * bump(stand, 2.0, 0.4))})
    return [
        Example(
            "fast_limb", (swing_slowly(stand, "right_thigh", -70.0),), (kicked,), (2.0, 2.08, 2.15), BODY,
            trail="right_foot", during=(2.0, 2.15),
        ),
        Example(
            "hard_swing", (swing_slowly(stand, "right_upper_arm", -70.0),), (swung,), (2.0, 2.08, 2.15), BODY,
            trail="right_hand", during=(2.0, 2.15),
        ),
        Example(
            "fast_joint", (swing_slowly(stand, "right_shank", 130.0),), (snapped,), (2.0, 2.05, 2.1), LEGS,
            trail="right_foot", during=(2.0, 2.1),
        ),
        Example(
            "fast_turn", (turn(stand, {"spine": (UP, 50.0 * rise(stand, 2.0, 1.2))}),), (spun,), (2.0, 2.1, 2.2), TRUNK,
            OBLIQUE, apart=0.6,
        ),
        Example(
            "hard_push", (walk,), (pushed,), (1.8, 1.87, 1.95), BODY, FRONT, trail="pelvis", during=(1.8, 1.95)
        ),
        Example(
            "high_power", (stand_up(stand, 1.4),), (stand_up(stand, 0.65),), (2.0, 2.2, 2.4), BODY, apart=0.7
        ),
        Example(
            "trunk_whip", (turn(stand, {"spine": (LEFT, 30.0 * bump(stand, 1.5, 2.0))}),), (whipped,), (2.0, 2.2, 2.4),
            BODY, apart=0.7,
        ),
        Example(
            "trunk_twist", (turn(stand, {"spine": (UP, 40.0 * bump(stand, 1.5, 2.0))}),), (twisted,), (2.0, 2.2, 2.4),
            TRUNK, OBLIQUE, apart=0.6,
        ),
    ]  # fmt: skip


def list_balance() -> list[Example]:
    stand = samples.stand()
    return [
        Example("leans_too_far", (stand,), (lean(stand, AHEAD, 18.0),), (2.0,), BODY, FRONT, balance=True),
        Example(
            "would_fall", (lean(stand, LEFT, 4.0 * bump(stand, 1.6, 0.8)),),
            (lean(stand, LEFT, 18.0 * bump(stand, 1.6, 0.8)),), (1.6, 2.0, 2.4), BODY, apart=0.7, balance=True,
        ),
    ]  # fmt: skip


def list_likeness() -> list[Example]:
    walk, run = samples.walk(), samples.run()
    local = quat.make_continuous(local_frames(run.skeleton, run.q).rotations)
    smoothed = replace_rotations(run, quat.normalise(low_pass(local, run.frame_time, 2.0)))
    frozen = freeze_arms(walk, np.random.default_rng(3))
    assert frozen is not None
    hand = track_joint(walk, "left_hand") - track_joint(walk, "left_upper_arm")
    swing = np.degrees(np.arctan2(hand[:, 0], -hand[:, 2]))
    uneven = turn(walk, {"left_upper_arm": (LEFT, -1.0 * (swing - swing.mean()))})
    aside = turn(walk, {"left_upper_arm": (AHEAD, 25.0)})
    leaning = turn(walk, {"spine": (AHEAD, 12.0)})
    strides = (0.55, 1.08)
    return [
        Example("tempo", (walk,), (replace(walk, frame_time=1.08 * walk.frame_time),), (2.5,), compared=True),
        Example(
            "over_smoothed", (run,), (smoothed,), (1.35,), ("pelvis", "foot", "toes"), trail="right_foot",
            during=(1.0, 1.7), compared=True,
        ),
        Example("lifeless_arms", (walk,), (frozen.motion,), strides, apart=0.8, compared=True),
        Example("asymmetry", (walk,), (aside,), (1.9,), BODY, FRONT, compared=True),
        Example("uneven_swing", (walk,), (uneven,), strides, BODY, LEFT_SIDE, apart=0.9, compared=True),
        Example("sideways_lean", (walk,), (leaning,), (1.9,), BODY, FRONT, compared=True),
    ]  # fmt: skip


def list_scenes() -> list[Example]:
    walk, stand = samples.walk(), samples.stand()
    one, other = replace(walk, name="one"), replace(walk, name="other")
    beside, inside = (move(other, gap * LEFT, 1.0) for gap in (0.7, 0.2))
    partner = replace(mirror_at_hand(walk, "left"), name="other")
    behind = move(partner, -0.4 * AHEAD, rise(walk, 1.5, 0.5))
    way = 5.0 * np.sin(3.0 * np.pi * (np.arange(len(stand)) * stand.frame_time - 1.0))
    during = plateau(stand, 1.2, 2.6)
    shuffling = turn(stand, {"right_thigh": (LEFT, way * during), "right_foot": (LEFT, 0.0)})
    around = turn(stand, {"spine": (UP, 60.0 * rise(stand, 1.5, 1.0))})
    spinning = turn_whole(stand, UP, 80.0 * rise(stand, 1.5, 1.0), track_joint(stand, "pelvis"))
    return [
        Example("people_inside_each_other", (one, beside), (one, inside), (1.9,), BODY, FRONT),
        Example("hands_apart", (one, partner), (one, behind), (1.9,), BODY, (-0.6, -0.8, 0.0)),
        Example("shuffles", (stand,), (shuffling,), (1.5, 1.83), LEGS, trail="right_toes", during=(1.3, 2.3)),
        Example("turns_on_spot", (around,), (spinning,), (1.5, 2.0, 2.5), BODY, OBLIQUE, apart=0.7),
    ]


SHEETS: Mapping[str, Callable[[], Sequence[Example]]] = {
    "feet": list_feet,
    "pops": list_pops,
    "limbs": list_limbs,
    "limits": list_limits,
    "balance": list_balance,
    "likeness": list_likeness,
    "scenes": list_scenes,
}
"""Groups of findings, by the names of their sheets."""


def move(motion: Motion, way: Array, share: Array | float) -> Motion:
    """Move the body by shares (frames,) of a way (3,) in metres."""
    return shift_root(motion, np.outer(np.broadcast_to(share, len(motion)), way))


def turn(motion: Motion, turns: Mapping[str, tuple[Array, Array | float]]) -> Motion:
    """Turn joints of parts about axes of the world by angles (frames,) in degrees; what hangs on them follows."""
    made = {part: quat.from_axis_angle(axis, _spread(motion, degrees)) for part, (axis, degrees) in turns.items()}
    return turn_parts(motion, Window(0, len(motion) - 1), made)


def turn_whole(motion: Motion, axis: Array, degrees: Array | float, about: Array, level: bool = False) -> Motion:
    """Turn the body about places (frames, 3); with level feet, if asked."""
    turns = quat.from_axis_angle(axis, _spread(motion, degrees))
    upright = np.broadcast_to(quat.IDENTITY, turns.shape)
    feet = {f"{side}_foot": upright for side in SIDES} if level else {}
    return turn_about(motion, Window(0, len(motion) - 1), turns, about, feet)


def lean(motion: Motion, axis: Array, degrees: Array | float) -> Motion:
    """Lean the body about the middle of the ankles."""
    middle = 0.5 * (track_joint(motion, "left_foot") + track_joint(motion, "right_foot"))
    return turn_whole(motion, axis, degrees, middle, level=True)


def lift_feet(motion: Motion, heights: Mapping[str, Array]) -> Motion:
    """Bend hips and knees, so that feet of straight legs rise by heights (frames,) in metres."""
    turns: dict[str, tuple[Array, Array | float]] = {}
    for side, height in heights.items():
        bend = np.degrees(np.arccos(1.0 - height / LEG))
        turns |= {f"{side}_thigh": (LEFT, -bend), f"{side}_shank": (LEFT, bend), f"{side}_foot": (LEFT, 0.0)}
    return turn(motion, turns)


def stand_up(motion: Motion, seconds: float) -> Motion:
    """Rise from a crouch of 45 cm, fast at first; feet stay where they are."""
    t = np.clip((motion.times - 2.0) / seconds, 0.0, 1.0)
    risen = np.where(t < 0.25, 4.0 * t**2, 1.0 - (1.0 - t) ** 2 / 0.75)
    crouched = lift_feet(motion, dict.fromkeys(SIDES, 0.45 * (rise(motion, 0.2, 1.5) - risen)))
    return shift_root(crouched, track_joint(motion, "left_foot") - track_joint(crouched, "left_foot"))


def swing_slowly(motion: Motion, part: str, degrees: float) -> Motion:
    """Turn a part slowly, there and back."""
    return turn(motion, {part: (LEFT, degrees * bump(motion, 1.5, 2.0))})


def damage(motion: Motion, make: LocalDamage, limb: str) -> tuple[Motion, float]:
    """Return the first random damage of a limb, and the time (s) of its middle."""
    made = (make(motion, np.random.default_rng(seed)) for seed in range(50))
    first = next(one for one in made if one is not None and limb in one.limbs and one.start > 0.5)
    return first.motion, 0.5 * (first.start + first.end)


def bump(motion: Motion, start: float, seconds: float) -> Array:
    """Return a curve (frames,) from 0 to 1 and back."""
    return np.asarray(np.sin(np.pi * np.clip((motion.times - start) / seconds, 0.0, 1.0)) ** 2)


def rise(motion: Motion, start: float, seconds: float) -> Array:
    """Return a curve (frames,) from 0 to 1."""
    return smoothstep(np.clip((motion.times - start) / seconds, 0.0, 1.0))


def plateau(motion: Motion, start: float, end: float) -> Array:
    """Return a curve (frames,) that is 1 between two times, and rises and falls beside them."""
    return rise(motion, start - 0.15, 0.15) - rise(motion, end, 0.15)


def _spread(motion: Motion, degrees: Array | float) -> Array:
    return np.radians(np.broadcast_to(degrees, len(motion)))
