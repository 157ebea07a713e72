"""`gambol reproduce fix`: what a repair mends, what it breaks, and how near it comes to the clip before the damage."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.fit.load import load
from gambol.fit.rig import fit
from gambol.metrics.check import Check, check
from gambol.metrics.figures import Band
from gambol.metrics.pace import estimate_frame_rate
from gambol.motion.motion import Motion
from gambol.reproduce.claims import Claim
from gambol.reproduce.fix.damages import DAMAGES, PLACED
from gambol.reproduce.fix.foot_lock import lock_feet_only
from gambol.spacetime.artefacts import likely_frame_time, remove_artefacts
from gambol.spacetime.windows import Repair, make_physical

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
"""Walking, running, jumping, dancing, acrobatics."""
DAMAGED = {
    "walk/35_01": slice(0, 240),
    "run/09_01": slice(None),
    "jump_hop_leap/13_11": slice(160, 360),
    "acrobatics/49_06": slice(150, 390),
}
"""The frames of them that are damaged: all that happens, and little of standing before and after."""
DAMAGED_WALK = CLEAN[0]


@dataclass(frozen=True, eq=False)
class RepairTrial:
    """A clip, what was done to it, and what became of that."""

    clean: Check
    damaged: Check
    fixed: Check
    locked: Check
    result: Repair
    seconds: float


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    for name in CLEAN:
        motion = load(data / "cmu_bvh" / f"{name}.bvh")
        yield from _clean(name, repair_trial(check(motion), motion))
    for name, frames in DAMAGED.items():
        motion = load(data / "cmu_bvh" / f"{name}.bvh")[frames]
        clean = check(motion)
        whole = repair_trial(clean, motion).result.motion
        for seed, (damage, harm) in enumerate(DAMAGES.items()):
            harmed = harm(motion, np.random.default_rng(seed))
            yield from _damaged(name, damage, repair_trial(clean, harmed, damage == "faster"), whole)


def repair_trial(clean: Check, motion: Motion, retime: bool = False) -> RepairTrial:
    """Repair a motion, and lock its feet for comparison."""
    source = remove_artefacts(motion).motion
    if retime:
        source = replace(source, frame_time=_frame_time(source))
    begun = time.perf_counter()
    fitted = fit(Character.from_motion(source), source)
    result = make_physical(fitted)
    seconds = time.perf_counter() - begun
    found = (clean if motion is clean.physics.motion else check(motion), check(result.motion), check(_locked(motion)))
    return RepairTrial(clean, *found, result, seconds)


def _locked(motion: Motion) -> Motion:
    return lock_feet_only(fit(Character.from_motion(motion), motion))


def _frame_time(motion: Motion) -> float:
    rate = estimate_frame_rate(motion)
    return likely_frame_time(motion) or (motion.frame_time if rate is None else 1.0 / rate)


def find_lost_bands(before: Check, after: Check) -> list[str]:
    """Figures that were in their bands and are not any more."""
    pairs = zip(before.measures, after.measures, strict=True)
    return [f"{new.name} {old.formatted} > {new.formatted}" for old, new in pairs if old.passes and not new.passes]


def measure_distance(one: Motion, other: Motion) -> float:
    """Millimetres between the joints of two motions of a rig, root mean square."""
    assert one.rig is not None
    joints = sorted(set(one.rig.parts.values()))
    apart = one.placement.positions[:, joints] - other.placement.positions[:, joints]
    return 1000.0 * float(np.sqrt(np.mean(np.sum(apart**2, axis=2))))


def _clean(name: str, trial: RepairTrial) -> Iterator[Claim]:
    clip = name.rpartition("/")[2]
    text = "a clip as it was recorded: joints turned, root mean square"
    yield Claim(f"{clip}-change", "gambol", text, trial.result.change, "deg", name, Band(high=2.0))
    left = find_lost_bands(trial.damaged, trial.fixed)
    told = "; ".join((name, *left, *trial.result.notes))
    text = "figures of check that were in their bands and are not after the repair"
    yield Claim(f"{clip}-kept", "gambol", text, float(len(left)), "figures", told, Band(high=0.0))
    if name == DAMAGED_WALK:
        rate = len(trial.result.q) / trial.seconds
        yield Claim("frames-a-second", "gambol", "speed on a walk, fit included, one core", rate, "frames/s", name,
                    Band(low=30.0))  # fmt: skip


def _damaged(name: str, damage: str, trial: RepairTrial, whole: Motion) -> Iterator[Claim]:
    """Of a clip, what was done to it, and what came out; and of the clip repaired without damage."""
    row = f"{name.rpartition('/')[2]}-{damage}"
    out = find_lost_bands(trial.clean, trial.fixed)
    broken, locked = find_lost_bands(trial.clean, trial.damaged), find_lost_bands(trial.clean, trial.locked)
    told = (
        f"{name}; broken by the damage: {', '.join(broken) or 'none'}; by foot-locking: {', '.join(locked) or 'none'}"
    )
    text = f"figures in their bands before the damage and not after the repair: {', '.join(out) or 'none'}"
    yield Claim(f"{row}-out", "gambol", text, float(len(out)), "figures", told, Band(high=0.0))
    text = "figures that foot-locking leaves out of their bands and the repair does not"
    yield Claim(f"{row}-against-lock", "gambol", text, float(len(locked) - len(out)), "figures", told, Band(low=0.0))
    clean, harmed, fixed = (found.physics.motion for found in (trial.clean, trial.damaged, trial.fixed))
    if damage in PLACED:
        far = (
            measure_distance(clean, harmed),
            measure_distance(clean, fixed),
            measure_distance(clean, trial.locked.physics.motion),
        )
        told = f"{name}; {far[0]:.1f} mm damaged, {far[1]:.1f} mm repaired, {far[2]:.1f} mm foot-locked"
        text = "distance to the clip before the damage, over that of the damaged one"
        yield Claim(f"{row}-nearer", "gambol", text, far[1] / far[0], "times", told, Band(high=1.0))
        left = measure_distance(whole, fixed) / far[0]
        text = "what is left of the damage: distance to the repaired clip that was not damaged, over the damage"
        yield Claim(f"{row}-left", "gambol", text, left, "times", told, Band(high=1.0))
    elif damage == "faster" and any(stage.kind == "flight" for stage in trial.clean.stages):
        off = fixed.frame_time / clean.frame_time
        text = "frame time that --retime finds, over the true one"
        yield Claim(f"{row}-retimed", "gambol", text, off, "times", name, Band(low=0.93, high=1.07))
