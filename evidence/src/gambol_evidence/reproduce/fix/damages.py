"""Damage clips: noise, smoothing, feet that slide and float, drift, gravity, frames, swaps, pops, arms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.measure import require_rig
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.geometry.filters import low_pass
from gambol.legs.character import LEG_PARTS
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames, place
from gambol.motion.motion import Motion
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.feet import SIDES
from gambol.stages.flight import drop_supported_flights, find_stages
from gambol_evidence.reproduce.judge.damages import pop_limb, push_arm_into_trunk

Damage = Callable[[Motion, np.random.Generator], Motion]
_GRAVITY = 0.3
"""Share of gravity that is removed from flights."""
_EARLY = 0.36
"""Frames by which the body is shown early or late: 12 ms at 30 frames per second."""
_FPS = 30.0
FASTER = 0.75
"""Frame time that a clip is given, relative to its true one."""


def add_noise(motion: Motion, random: np.random.Generator) -> Motion:
    """Add white noise: standard deviation 0.02 radians at every joint and 5 mm at the root."""
    turns = np.array([0.02 if dof.kind == "turn" else 0.005 for dof in motion.skeleton.dofs])
    return replace(motion, q=motion.q + turns * random.standard_normal(motion.q.shape))


def smooth(motion: Motion, random: np.random.Generator) -> Motion:
    """Remove everything above 2 Hz."""
    return replace(motion, q=low_pass(np.unwrap(motion.q, axis=0), motion.frame_time, 2.0))


def add_slide(motion: Motion, random: np.random.Generator) -> Motion:
    """Move the whole body to and fro by 3 cm in a random horizontal direction, feet included."""
    direction = random.uniform(0.0, 2.0 * np.pi)
    sway = 0.03 * np.sin(2.0 * np.pi * motion.times / 0.7 + random.uniform(0.0, 6.0))
    return _shift_root(
        motion, np.stack((np.cos(direction) * sway, np.sin(direction) * sway, np.zeros_like(sway)), axis=1)
    )


def add_drift(motion: Motion, random: np.random.Generator) -> Motion:
    """Let the body drift sideways at 8 cm per second and rise at 5 mm per second."""
    return _shift_root(motion, motion.times[:, None] * (0.0, 0.08, 0.005))


def add_noise_and_drift(motion: Motion, random: np.random.Generator) -> Motion:
    """Add both at once: what moves slowly is then not slow from frame to frame."""
    return add_noise(add_drift(motion, random), random)


def add_skate(motion: Motion, random: np.random.Generator) -> Motion:
    """Carry the body along, feet included, with a smooth velocity of up to 0.5 m/s."""
    velocity = _make_smooth(motion, random, 0.5, 2)
    velocity *= 0.5 / np.linalg.norm(velocity, axis=1).max()
    return _shift_root(motion, np.pad(motion.frame_time * np.cumsum(velocity, axis=0), ((0, 0), (0, 1))))


def add_float(motion: Motion, random: np.random.Generator) -> Motion:
    """Let the body, feet included, sink and rise slowly, from 1 cm below its height to 7 cm above."""
    height = _make_smooth(motion, random, 0.3, 1)
    height = -0.01 + 0.08 * (height - height.min()) / np.ptp(height)
    return _shift_root(motion, height * (0.0, 0.0, 1.0))


def _make_smooth(motion: Motion, random: np.random.Generator, cutoff: float, curves: int) -> Array:
    """Make random curves (frames, curves) without frequencies above a cutoff (Hz)."""
    beside = round(2.0 / (cutoff * motion.frame_time))
    noise = random.standard_normal((len(motion) + 2 * beside, curves))
    return low_pass(noise, motion.frame_time, cutoff)[beside:-beside]


def change_gravity(motion: Motion, random: np.random.Generator) -> Motion:
    """Let flights fall with 70 % of gravity; without flights, reduce the rise and fall of the root as much."""
    lift = np.zeros(len(motion))
    flights = [s for s in drop_supported_flights(motion, find_stages(find_foot_contacts(motion))) if s.kind == "flight"]
    for stage in flights:
        time = motion.frame_time * np.arange(len(stage))
        lift[stage.first : stage.last + 1] = -0.5 * _GRAVITY * GRAVITY * time * (time[-1] - time)
    if not flights:
        height = motion.placement.positions[:, 0, 2]
        lift = -_GRAVITY * (height - height.mean())
    return _shift_root(motion, np.stack((0.0 * lift, 0.0 * lift, lift), axis=1))


def speed_up(motion: Motion, random: np.random.Generator) -> Motion:
    """Play the clip a third too fast."""
    return replace(motion, frame_time=FASTER * motion.frame_time)


def lose_frames(motion: Motion, random: np.random.Generator) -> Motion:
    """Lose about one frame in twelve, in runs of up to four: the frame before is repeated."""
    q = motion.q.copy()
    for _ in range(len(q) // 30):
        first = int(random.integers(2, len(q) - 6))
        q[first : first + int(random.integers(1, 5))] = q[first - 1]
    return replace(motion, q=q)


def show_unevenly(motion: Motion, random: np.random.Generator) -> Motion:
    """Show the body up to a third of a frame early or late in every frame."""
    from scipy.interpolate import CubicSpline

    frames = np.arange(float(len(motion)))
    shown = np.clip(frames + random.uniform(-_EARLY, _EARLY, len(motion)), 0.0, frames[-1])
    return replace(motion, q=CubicSpline(frames, np.unwrap(motion.q, axis=0))(shown))


def swap_legs(motion: Motion, random: np.random.Generator, longest: float = 0.1) -> Motion:
    """Take each leg for the other for some time, every second: bones point, and are twisted, as on the other side."""
    skeleton, parts = motion.skeleton, require_rig(motion).parts
    rest = place(skeleton, np.zeros((1, len(skeleton.dofs))))
    chains = np.array([[parts[f"{side}_{part}"] for part in LEG_PARTS[:3]] for side in SIDES])
    bones = np.diff(rest.positions[0][chains], axis=1)
    local, world = local_frames(skeleton, motion.q).rotations, motion.placement.rotations
    for _ in range(round(motion.duration)):
        first = int(random.integers(2, len(motion) - 2))
        frames = np.arange(
            first, min(first + int(random.integers(1, 2 + round(longest / motion.frame_time))), len(motion))
        )
        swapped = world[frames].copy()
        for side, chain in enumerate(chains):
            for number, (joint, other) in enumerate(zip(chain, chains[1 - side], strict=True)):
                turned = quat.multiply(world[frames, other], quat.conjugate(rest.rotations[0, other]))
                if number < 2:
                    turned = quat.multiply(turned, quat.shortest_arc(bones[side, number], bones[1 - side, number]))
                swapped[:, joint] = quat.multiply(turned, rest.rotations[0, joint])
        for joint in chains.flat:
            parent = swapped[:, skeleton.parents[joint]]
            local[frames, joint] = quat.multiply(quat.conjugate(parent), swapped[:, joint])
    return replace_rotations(motion, local)


def pop_limbs(motion: Motion, random: np.random.Generator) -> Motion:
    """Put a hand or a foot 5 cm beside its place in one frame, every second."""
    for _ in range(round(motion.duration)):
        damaged = pop_limb(motion, random)
        motion = motion if damaged is None else damaged.motion
    return motion


def put_arm_inside(motion: Motion, random: np.random.Generator) -> Motion:
    """Move an arm into the trunk for a moment."""
    damaged = push_arm_into_trunk(motion, random)
    return motion if damaged is None else damaged.motion


DAMAGES: dict[str, Damage] = {
    "noise": add_noise,
    "smoothed": smooth,
    "slide": add_slide,
    "drift": add_drift,
    "gravity": change_gravity,
    "faster": speed_up,
    "lost": lose_frames,
    "skate": add_skate,
    "float": add_float,
    "uneven": show_unevenly,
    "swapped": swap_legs,
    "popped": pop_limbs,
    "inside": put_arm_inside,
    "unsteady": add_noise_and_drift,
}
VIDEO = ("uneven", "swapped", "popped", "inside")
"""Damages of video: of clips at its frame rate."""
PLACED = ("noise", "smoothed", "slide", "gravity", "lost", *VIDEO)
"""Damages that leave the clip in its place, so that the distance to the original can be measured.

The true path cannot be known from a clip that drifts, skates or floats, and a clip that is played too fast is in the
right places.
"""


def take_video_frames(motion: Motion, damage: str) -> Motion:
    """Return the frames of a clip that are damaged: about 30 per second of those that video does."""
    return motion[:: max(1, round(1.0 / (_FPS * motion.frame_time)))] if damage in VIDEO else motion


def _shift_root(motion: Motion, offset: Array) -> Motion:
    """Move the root by offsets (frames, 3) in metres."""
    q = motion.q.copy()
    for column in motion.skeleton.columns(0, "slide"):
        q[:, column] += offset @ np.array(motion.skeleton.dofs[column].axis)
    return replace(motion, q=q)
