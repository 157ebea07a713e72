"""`gambol reproduce fix`: repairs of clean and of damaged recordings, compared with what else people do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.fit.load import load
from gambol.fit.rig import fit
from gambol.metrics.check import check
from gambol.metrics.figures import Band, Check
from gambol.motion.motion import Motion
from gambol.spacetime.windows import Repair
from gambol_evidence.peers import filter_clip, lock_feet_only
from gambol_evidence.reproduce.claims import OUR_BAR, THIS_MACHINE, Claim, measure
from gambol_evidence.reproduce.fix.damages import DAMAGES, PLACED, take_video_frames
from gambol_evidence.reproduce.fix.found_stances import measure_found_stances
from gambol_evidence.reproduce.fix.repairing import repair_clip
from gambol_evidence.reproduce.fix.stances import measure_stairs, measure_stances

CLEAN = (
    "walk/35_01",
    "walk/07_01",
    "turn/16_18",
    "run/09_01",
    "run/16_35",
    "jump_hop_leap/13_11",
    "jump_hop_leap/118_03",
    "dance/05_16",
    "acrobatics/49_06",
)
"""Recordings of CMU: walking, running, jumping, dancing, acrobatics."""
DAMAGED = {
    "walk/35_01": slice(0, 240),
    "run/09_01": slice(None),
    "jump_hop_leap/13_11": slice(160, 360),
    "acrobatics/49_06": slice(150, 390),
}
"""Recordings that are damaged, and their frames, with little of the standing before and after."""
SPEED_CLIP = CLEAN[0]
_REMOVED = 0.9
"""Most that may be left of a damage: returning the damaged clip leaves 1."""
_PEERS = {"none": "no repair", "lock": "foot locking", "filter": "a Butterworth filter", "repair": "the repair"}
"""What is done to a damaged clip, in words."""
LOST_TEXT = "figures of check that were inside their bands before and are not after"


@dataclass(frozen=True, eq=False)
class RepairTrial:
    """A clip before the damage, after it, repaired, with locked feet only, and filtered only."""

    clean: Check
    damaged: Check
    fixed: Check
    locked: Check
    filtered: Check
    result: Repair
    seconds: float


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    clean = [partial(measure_clean, data, name) for name in CLEAN]
    damaged = [partial(measure_damages, data, name) for name in DAMAGED]
    stances = [partial(measure_stances, data, damage) for damage in DAMAGES]
    yield from measure(
        [*clean, *damaged, *stances, partial(measure_stairs, data), partial(measure_found_stances, data)]
    )


def measure_clean(data: Path, name: str) -> Iterator[Claim]:
    """Repair a recording as it is."""
    motion = load(data / "cmu_bvh" / f"{name}.bvh")
    yield from clean_claims(name, repair_trial(check(motion), motion))


def measure_damages(data: Path, name: str) -> Iterator[Claim]:
    """Damage a recording by every kind of damage, and repair it."""
    recorded = load(data / "cmu_bvh" / f"{name}.bvh")[DAMAGED[name]]
    sound: dict[int, tuple[Check, Motion]] = {}
    for seed, (damage, apply) in enumerate(DAMAGES.items()):
        motion = take_video_frames(recorded, damage)
        if len(motion) not in sound:
            sound[len(motion)] = check(motion), repair_clip(motion).motion
        clean, undamaged = sound[len(motion)]
        damaged = apply(motion, np.random.default_rng(seed))
        if damaged is motion:  # so short that nothing in it can be damaged in this way
            continue
        trial = repair_trial(clean, damaged, damage == "faster")
        yield from damage_claims(name, damage, trial, undamaged)


def repair_trial(clean: Check, motion: Motion, retime: bool = False) -> RepairTrial:
    """Repair a motion, and lock its feet for comparison; `clean` is the check of the clip before the damage."""
    begun = time.perf_counter()
    result = repair_clip(motion, retime)
    seconds = time.perf_counter() - begun
    damaged = clean if motion is clean.motion else check(motion)
    locked = lock_feet_only(fit(Character.from_motion(motion), motion))
    peers = check(locked), check(filter_clip(motion))
    return RepairTrial(clean, damaged, check(result.motion), *peers, result, seconds)


def find_lost_bands(before: Check, after: Check) -> list[str]:
    """List the figures that were inside their bands and are not any more, or cannot be measured any more."""
    pairs = zip(before.measures, after.measures, strict=True)
    return [
        f"{new.name} {old.formatted} > {new.formatted}"
        for old, new in pairs
        if old.passes and (not new.passes or (old.measured and not new.measured))
    ]


def measure_distance(one: Motion, other: Motion) -> float:
    """Return the root mean square distance (mm) of the joints of two motions on one rig."""
    assert one.rig is not None
    joints = sorted(set(one.rig.parts.values()))
    apart = one.placement.positions[:, joints] - other.placement.positions[:, joints]
    return 1000.0 * float(np.sqrt(np.mean(np.sum(apart**2, axis=2))))


def clean_claims(name: str, trial: RepairTrial) -> Iterator[Claim]:
    """Yield claims about the repair of a recording that was not damaged."""
    clip, repaired = name.rpartition("/")[2], trial.fixed.motion
    text, change = "recording without damage: root mean square change of joint angles", trial.result.change
    yield Claim(f"{clip}-change", OUR_BAR, text, change, "deg", f"CMU {name}", Band(high=2.0), motion=repaired)
    lost = find_lost_bands(trial.damaged, trial.fixed)
    about = "; ".join((f"CMU {name}", *lost, *trial.result.notes))
    text = f"recording without damage: {LOST_TEXT}"
    yield Claim(f"{clip}-kept", OUR_BAR, text, float(len(lost)), "figures", about, Band(high=0.0))
    if name == SPEED_CLIP:
        rate = len(trial.result.q) / trial.seconds
        text = "frames repaired per second, fit included, one core of this machine"
        yield Claim("frames-a-second", OUR_BAR, text, rate, "frames/s", f"CMU {name}", Band(low=30.0), THIS_MACHINE)


def damage_claims(name: str, damage: str, trial: RepairTrial, undamaged: Motion) -> Iterator[Claim]:
    """Yield claims about the repair of a damaged recording; `undamaged` is the recording repaired without damage."""
    row, repaired = f"{name.rpartition('/')[2]}-{damage}", trial.fixed.motion
    after = {
        kind: find_lost_bands(trial.clean, one)
        for kind, one in (
            ("none", trial.damaged),
            ("lock", trial.locked),
            ("filter", trial.filtered),
            ("repair", trial.fixed),
        )
    }
    about = f"CMU {name}, damage: {damage}; outside " + "; ".join(
        f"after {_PEERS[kind]}: {', '.join(figures) or 'none'}" for kind, figures in after.items()
    )
    text, lost = "figures of check inside their bands before the damage and not after the repair", len(after["repair"])
    yield Claim(f"{row}-out", OUR_BAR, text, float(lost), "figures", about, Band(high=0.0), motion=repaired)
    for kind in ("none", "lock", "filter"):
        text = f"figures of check that leave their bands: number after {_PEERS[kind]} minus number after the repair"
        fewer = float(len(after[kind]) - lost)
        yield Claim(f"{row}-against-{kind}", OUR_BAR, text, fewer, "figures", about, Band(low=0.0))
    clean, damaged = trial.clean.motion, trial.damaged.motion
    if damage in PLACED:
        far, near, lock = (measure_distance(clean, one) for one in (damaged, repaired, trial.locked.motion))
        about = f"CMU {name}, damage: {damage}; distance {far:.1f} mm, repaired {near:.1f}, foot locking {lock:.1f}"
        text = "distance of joints to the recording before the damage, repaired relative to damaged"
        yield Claim(f"{row}-nearer", OUR_BAR, text, near / far, "times", about, Band(high=_REMOVED))
        left = measure_distance(undamaged, repaired) / far
        text = "distance of joints to the repair of the undamaged recording, relative to the damage"
        yield Claim(f"{row}-left", OUR_BAR, text, left, "times", about, Band(high=_REMOVED))
    elif damage == "faster" and any(stage.kind == "flight" for stage in trial.clean.stages):
        ratio = repaired.frame_time / clean.frame_time
        text = "frame time that --retime finds, relative to the true one (0.75 without)"
        yield Claim(f"{row}-retimed", "CMU recordings", text, ratio, "times", f"CMU {name}", Band(0.93, 1.07))
