"""Whether the judge finds damages: clips with one damage each, at random times, judged against the clip before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from gambol.judge.finding import Finding
from gambol.judge.judgement import judge
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.judge import damages, movements
from gambol_evidence.reproduce.judge.damages import SIZE, Damaged, LocalDamage
from gambol_evidence.reproduce.judge.recordings import SoundClip, is_damaged, load_sound

_NEAR = 0.1
"""Seconds between a damage and a finding that is of it."""
_LEAST = 95.0
"""Percent of the damages that are found."""
_SCREEN, _FILM = 60.0, 30.0
"""Frames per second of clips in which a single frame is damaged: what a screen shows, and a film."""
_OFTEN, _ONCE = 3, 1
"""Times that a clip is damaged: at different places, or as a whole."""
_NAMED = 4


class DamageTrial(NamedTuple):
    """A damage, and what the judge should say of it."""

    damage: LocalDamage
    words: str
    kinds: frozenset[str]
    """Kinds of findings of which one is right."""
    times: int = _OFTEN
    """How often each clip is damaged."""
    fps: float = 0.0
    """Frames per second to which clips are thinned; 0: as recorded."""


_SLIDES = frozenset({"foot_slide", "both_feet_slide"})
_FLOATS = frozenset({"foot_float", "lost_stance"})
_POPS = frozenset({"pop", "turn_pop"})
_KNEES = frozenset({"knee_backward", "knee_turned", "knee_sideways"})
TRIALS = {
    "slide": DamageTrial(partial(damages.slide_stance, seconds=0.3), "slide of a stance by 4 cm in 0.3 s", _SLIDES),
    "slide-fast": DamageTrial(
        partial(damages.slide_stance, seconds=0.15), "slide of a stance by 4 cm in 0.15 s", _SLIDES
    ),
    "float": DamageTrial(damages.lift_stance, "stance 4 cm above the floor", _FLOATS),
    "float-clip": DamageTrial(damages.lift_clip, "clip 4 cm above the floor", frozenset({"over_floor"}), _ONCE),
    "sink": DamageTrial(
        partial(damages.lift_stance, height=-SIZE), "stance 4 cm below the floor", frozenset({"foot_sinks"})
    ),
    "pop-60": DamageTrial(damages.pop_limb, "pop of a hand or foot by 5 cm in one of 60 frames/s", _POPS, fps=_SCREEN),
    "pop-30": DamageTrial(damages.pop_limb, "pop of a hand or foot by 5 cm in one of 30 frames/s", _POPS, fps=_FILM),
    "knee-backward": DamageTrial(partial(damages.flip_knee, backward=True), "knee that bends backward", _KNEES),
    "knee-turned": DamageTrial(partial(damages.flip_knee, backward=False), "knee turned by half a turn", _KNEES),
    "arm": DamageTrial(damages.push_arm_into_trunk, "arm through the trunk", frozenset({"limb_through_limb"})),
    "missing-60": DamageTrial(
        damages.lose_frame, "one frame missing of 60 frames/s", frozenset({"missing_frame"}), fps=_SCREEN
    ),
    "missing-30": DamageTrial(
        damages.lose_frame, "one frame missing of 30 frames/s", frozenset({"missing_frame"}), fps=_FILM
    ),
    "frozen": DamageTrial(damages.freeze_arms, "arms that are frozen", frozenset({"lifeless_arms"}), _ONCE),
    "smoothed": DamageTrial(damages.smooth_clip, "clip smoothed at 3 Hz", frozenset({"over_smoothed"}), _ONCE),
    "slow": DamageTrial(damages.slow_down, "clip 5 % slower", frozenset({"tempo"}), _ONCE),
    "fling": DamageTrial(
        movements.fling_limb, "hand or foot flung at 8 m/s for 0.3 s", frozenset({"fast_limb", "hard_swing"})
    ),
    "whip": DamageTrial(
        movements.whip_trunk, "trunk that leans by 16 degrees and back in 0.45 s", frozenset({"trunk_whip"})
    ),
    "lean": DamageTrial(
        movements.lean_throughout, "sideways lean of 12 degrees throughout", frozenset({"leans_too_far"}), _ONCE
    ),
    "sway": DamageTrial(
        movements.sway_body, "body that sways by 15 degrees and back in 0.8 s", frozenset({"would_fall"})
    ),
    "stop-60": DamageTrial(
        movements.stop_dead,
        "foot that lands at 3.3 m/s in one of 60 frames/s",
        frozenset({"hard_landing", "pop"}),
        fps=_SCREEN,
    ),
    "glide": DamageTrial(movements.glide, "body that glides at 2.5 m/s for 0.6 s", frozenset({"unsupported"})),
    "legs": DamageTrial(
        movements.swing_through_leg,
        "leg that swings through the other",
        frozenset({"feet_crossing", "limb_through_limb"}),
    ),
    "shuffle": DamageTrial(movements.shuffle_foot, "foot that shuffles at 0.25 m/s", frozenset({"shuffles"})),
    "spin": DamageTrial(
        movements.spin_on_spot, "turn by 70 degrees in 0.8 s without a step", frozenset({"turns_on_spot"})
    ),
    "elbow": DamageTrial(
        movements.bend_elbow_sideways, "elbow that bends sideways by 35 degrees", frozenset({"elbow_sideways"})
    ),
    "hurry": DamageTrial(movements.hurry, "half a second at twice the speed", frozenset({"high_power"})),
}
"""Damages, by a short name."""


def measure_found(data: Path, name: str) -> Iterator[Claim]:
    """Yield the share of the damages of one kind that are found."""
    trial, outcomes = TRIALS[name], list[tuple[str, bool]]()
    for recording in filter(is_damaged, load_sound(data)):
        outcomes += [(recording.name, found) for found in try_clip(recording, name)]
    yield damage_claim(name, trial.words, outcomes)


def try_clip(recording: SoundClip, name: str) -> Iterator[bool]:
    """Yield whether each damage of a clip was found; nothing where the clip has no time at which it would be seen."""
    trial, clip = TRIALS[name], recording.motion
    if trial.fps:
        clip = clip[:: max(1, round(1.0 / (trial.fps * clip.frame_time)))]
    for number in range(trial.times):
        damaged = trial.damage(clip, np.random.default_rng([crc32(name.encode()), recording.number, number]))
        if damaged is not None:
            yield is_found(damaged, trial, clip)


def is_found(damaged: Damaged, trial: DamageTrial, clip: Motion) -> bool:
    """Return whether the judge has a finding of the right kind, time and limb."""
    return any(is_of(finding, damaged, trial) for finding in judge(damaged.motion, [clip], clip).findings)


def is_of(finding: Finding, damaged: Damaged, trial: DamageTrial) -> bool:
    """Return whether a finding is of a damage; one that names no limb is of the body, and right for every limb."""
    right_time = damaged.start <= finding.end + _NEAR and finding.start <= damaged.end + _NEAR
    right_limb = not (finding.limbs and damaged.limbs) or bool(finding.limbs & damaged.limbs)
    return finding.kind.name in trial.kinds and right_time and right_limb


def damage_claim(name: str, words: str, outcomes: list[tuple[str, bool]]) -> Claim:
    """Return the claim about the damages of one kind; it is not computed where no clip could be damaged."""
    found, count = sum(good for _, good in outcomes), len(outcomes)
    clips = Counter(clip for clip, _ in outcomes)
    missed = Counter(clip for clip, good in outcomes if not good)
    most = ", ".join(f"{clip} {misses}" for clip, misses in missed.most_common(_NAMED))
    about = f"{found} of {count} in {len(clips)} held-out recordings of CMU" + (f"; missed in {most}" if most else "")
    share = 100.0 * found / count if count else float("nan")
    text = f"{words}: found, of the right kind, limb and time"
    return Claim(f"found-{name}", OUR_BAR, text, share, "%", about, Band(low=_LEAST))
