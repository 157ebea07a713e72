"""Knees of crowds: every built-in scene with the walks of twelve people is searched for knees that bend backward, legs
that jump between two frames, knees that are straight, standing with bent legs and ducking on the knees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gambol.body.measure import require_rig
from gambol.legs.knees import MAX_TURN, measure_knees
from gambol.metrics.figures import Band
from gambol.metrics.leg_faults import POP_ANGLE, count_leg_pops
from gambol.motion.motion import Motion
from gambol.primitives.crowd import library
from gambol.primitives.crowd.dance_steps import make_dance_steps, place_stride
from gambol.primitives.crowd.performance import perform_scene
from gambol.primitives.crowd.scene import MarchAct, Scene, read_scene
from gambol.primitives.crowd.verb import make_step_prototypes
from gambol.primitives.prototypes import Prototypes
from gambol.stages.feet import SIDES
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.recordings import load_cmu_clip

KNEE_WALKS = (
    *("02_01", "05_01", "07_01", "12_01", "16_15", "35_01"),
    *("37_01", "77_30", "82_12", "91_29", "104_35", "136_27"),
)
"""One walk of each of twelve people."""
_SECONDS, _MARCHED = 10.0, 3.0
"""Seconds of a scene: marchers change their steps most while they form up."""


class KneeFaults(NamedTuple):
    """What is wrong with the legs of walkers."""

    backward: int
    """Legs and frames with a knee that bends backward or points to the back."""
    pops: int
    """Legs and frames in which a leg jumps."""
    least: float
    """Least flexion (rad)."""


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims about all scenes and walks, and about standing and ducking."""
    steps = {name: make_step_prototypes(load_cmu_clip(data, name), None) for name in KNEE_WALKS}
    scenes = [_shorten(read_scene(library.find(name))) for name in library.names()]
    found = [find_faults(perform_scene(scene, made).motions) for made in steps.values() for scene in scenes]
    about = f"{len(scenes)} scenes of up to {_SECONDS:g} s, walks {', '.join(KNEE_WALKS)}"
    text = "knees that bend backward, however little, or point to the back"
    backward = float(sum(one.backward for one in found))
    yield Claim("knees-backward", OUR_BAR, text, backward, "frames, summed over legs", about, Band(high=0.0))
    text = f"legs that rotate by {np.degrees(POP_ANGLE):.0f} degrees in a frame, unlike in the frames around it"
    pops = float(sum(one.pops for one in found))
    yield Claim("knees-pops", OUR_BAR, text, pops, "frames, summed over legs", about, Band(high=0.0))
    least = float(np.degrees(min(one.least for one in found)))
    yield Claim("knees-least", OUR_BAR, "smallest flexion of a knee", least, "deg", about, Band(low=2.0))
    yield from _styles(steps)


def find_faults(motions: Sequence[Motion]) -> KneeFaults:
    """Search the legs of walkers."""
    knees = [measure_knees(motion) for motion in motions]
    backward = sum(int(((one.flexion < 0.0) | (np.abs(one.turn) > MAX_TURN)).sum()) for one in knees)
    return KneeFaults(backward, sum(map(count_leg_pops, motions)), min(float(one.flexion.min()) for one in knees))


def _shorten(scene: Scene) -> Scene:
    return replace(scene, seconds=_MARCHED if isinstance(scene.act, MarchAct) else _SECONDS)


def _styles(steps: dict[str, Prototypes]) -> Iterator[Claim]:
    about = f"steps made of the walks {', '.join(KNEE_WALKS)}"
    stood = [np.degrees(measure_knees(place_stride(made, "stand")).flexion).mean() for made in steps.values()]
    text = f"standing with nearly straight legs: mean flexion of the knees; most of one person {max(stood):.3g}"
    yield Claim("knees-standing", OUR_BAR, text, float(np.mean(stood)), "deg", about, Band(high=10.0))
    heights = [_lowest_knee(place_stride(make_dance_steps(made).prototypes, "crouch")) for made in steps.values()]
    text = "ducking on the feet: smallest height of a knee above the floor, of the length of the shank"
    yield Claim("knees-ducking", OUR_BAR, text, float(np.min(heights)), "", about, Band(low=0.5))


def _lowest_knee(motion: Motion) -> float:
    """Return the smallest height of a knee above the lowest toe, as a share of the length of its shank."""
    parts, positions = require_rig(motion).parts, motion.placement.positions
    floor = positions[..., 2].min()
    knees = np.stack([positions[:, parts[f"{side}_shank"]] for side in SIDES], axis=1)
    shanks = knees - np.stack([positions[:, parts[f"{side}_foot"]] for side in SIDES], axis=1)
    return float(((knees[..., 2] - floor) / np.linalg.norm(shanks, axis=2)).min())
