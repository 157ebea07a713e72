"""Where, when, which way and in which style a walker is pushed: YL08, section 5, "perturbation" and "style".

The paper's subjects are not here, and nobody here walks in all its styles: styles are compared across subjects, with
forces in proportion to body weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.pushes import Platform
from gambol.reproduce.claims import Claim
from gambol.reproduce.near_unactuated.coordinates import MORE, RECOVERED
from gambol.reproduce.near_unactuated.trials import (
    AFTER,
    BACKWARD,
    BEFORE,
    FORWARD,
    LEFT,
    PUSH,
    RIGHT,
    PushOutcome,
    PushTrial,
    TrialWalk,
    TrialWalks,
    join_names,
    load_walk,
    make_model,
    make_trial,
    play_trial,
)  # fmt: skip

ARMS = ("left_upper_arm", "right_upper_arm")
BACKWARDS = ("backward_sideways/136_26", "backward_sideways/141_31", "backward_sideways/76_11")
SNEAKING = ("styled_walk/120_13", "styled_walk/77_14", "styled_walk/77_30")
SMALL, LARGE = "styled_walk/91_29", "walk/35_01"
WAVING = "one_sided_social/141_16"
_LIMBS = {
    "torso": ("spine", "chest"),
    "left": ("left_collar", "left_upper_arm", "left_forearm"),
    "right": ("right_collar", "right_upper_arm", "right_forearm"),
}


def _typical(walks: Sequence[TrialWalk], measure: Callable[[TrialWalk], Array]) -> float:
    """Mean over walks of the median over pushes."""
    return float(np.mean([np.median(measure(walk)) for walk in walks]))


def _compared(
    name: str,
    text: str,
    walks: Sequence[TrialWalk],
    one: Callable[[TrialWalk], Array],
    other: Callable[[TrialWalk], Array],
) -> Claim:
    """That one kind of push does more than another, on the average of walks; the data say how it is on each."""
    ones, others = ([float(np.median(measure(walk))) for walk in walks] for measure in (one, other))
    each = ", ".join(f"{walk.name.split('/')[1]} {a / b:.2f}" for walk, a, b in zip(walks, ones, others, strict=True))
    return Claim(name, "YL08", text, sum(ones) / sum(others), "times", each, Band(low=MORE))


def measure_body_parts(walks: TrialWalks) -> Iterator[Claim]:
    """Arms give way more than head or shoulders."""

    def peaks(*bodies: str) -> Callable[[TrialWalk], Array]:
        return lambda walk: play_trial(make_trial(walk, bodies)).peaks

    text = "pushed on the arms, the character reacts more compliantly than pushed on the {}: median peaks"
    reasons = {"head": ". The neck is among the free coordinates: little torque holds a head that stands upright"}
    for name, bodies in (("head", ("head",)), ("shoulder", ("left_collar", "right_collar"))):
        row = text.format(name) + reasons.get(name, "")
        yield _compared(f"arm-over-{name}", row, walks.normal, peaks(*ARMS), peaks(*bodies))


def measure_support(walks: TrialWalks) -> Iterator[Claim]:
    """Single support answers more than double; the side of the leg that carries is the stable one."""

    def during(*supports: str, bodies: Sequence[str] = ARMS, ways: Sequence[tuple[float, float]]) -> Callable:
        return lambda walk: (
            play_trial(
                make_trial(walk, bodies, ways, [phase for name in supports for phase in walk.phases_of(name)])
            ).peaks
        )

    every = (FORWARD, BACKWARD, LEFT, RIGHT)
    single, double = during("left foot", "right foot", ways=every), during("both feet", ways=every)
    text = "the same push moves more in single than in double support: median peaks. Our hips are held alike in both"
    yield _compared("single-over-double", text, walks.normal, single, double)

    def side(walk: TrialWalk, same: bool) -> Array:
        left = during("left foot" if same else "right foot", bodies=ARMS[:1], ways=(RIGHT,))(walk)
        right = during("right foot" if same else "left foot", bodies=ARMS[1:], ways=(LEFT,))(walk)
        return np.concatenate((left, right))

    text = "a push on the side of the supporting leg moves less than one on the other side: median peaks, other over "
    text += "same. Our hips are held alike, whichever leg carries"
    other, same = (partial(side, same=same) for same in (False, True))
    yield _compared("other-side-over-same", text, walks.normal, other, same)


def measure_direction(walks: TrialWalks) -> Iterator[Claim]:
    """Backward pushes are harder to recover from."""

    def pushed(way: tuple[float, float]) -> Callable[[TrialWalk], PushOutcome]:
        return lambda walk: play_trial(make_trial(walk, ("chest", "head"), (way,)))

    back, ahead = pushed(BACKWARD), pushed(FORWARD)
    text = "the character has a harder time recovering from a backward push than from a forward one: {}. "
    text += "Springs are alike both ways: a torso pushed either way answers the same"
    row = text.format("median seconds to within 2 deg")
    yield _compared(
        "backward-time", row, walks.normal, lambda w: back(w).recovery_time(), lambda w: ahead(w).recovery_time()
    )
    row = text.format("median peaks")
    yield _compared("backward-peak", row, walks.normal, lambda w: back(w).peaks, lambda w: ahead(w).peaks)


def measure_styles(walks: TrialWalks) -> Iterator[Claim]:
    """Normal, backward and sneaking walks under the same forces."""
    backwards, sneaking = ([walks(name) for name in names] for names in (BACKWARDS, SNEAKING))
    data = f"{join_names(BACKWARDS)} beside {walks.names}"

    def peaks(*ways: tuple[float, float]) -> Callable[[TrialWalk], Array]:
        return lambda walk: play_trial(make_trial(walk, ways=ways)).peaks

    every = peaks(FORWARD, BACKWARD, RIGHT)
    ratio = _typical(sneaking, every) / _typical(walks.normal, every)
    text = "the same force moves a sneaking walk less than a normal one: median peaks, across subjects"
    yield Claim("sneaky-over-normal", "YL08", text, ratio, "times", f"{join_names(SNEAKING)} beside {walks.names}",
                Band(high=1.0 / MORE))  # fmt: skip
    ratio = _typical(backwards, peaks(FORWARD)) / _typical(walks.normal, peaks(FORWARD))
    text = "a backward walk is more stable against a forward push than other walks: median peaks, across subjects"
    yield Claim("backward-walk-forward", "YL08", text, ratio, "times", data, Band(high=1.0 / MORE))
    text = "a backward walk answers a backward push more compliantly than a forward one: median peaks. "
    text += "Springs are alike both ways"
    yield _compared("backward-walk-backward", text, backwards, peaks(BACKWARD), peaks(FORWARD))
    shared = {name: _typical(group, _shared) for name, group in
              (("normal", walks.normal), ("others", backwards + sneaking))}  # fmt: skip
    text = "a normal walk uses torso and both arms together more than others: least over most of the three, "
    text += "chest pushed, across subjects"
    yield Claim("normal-together", "YL08", text, shared["normal"] / shared["others"], "times",
                f"{walks.names} beside {join_names(BACKWARDS + SNEAKING)}", Band(low=MORE))  # fmt: skip


def _shared(walk: TrialWalk) -> Array:
    """(batch,) how much the least moved of torso and arms moves, as a share of the most moved."""
    outcome = play_trial(make_trial(walk, ("chest",), (FORWARD, BACKWARD)))
    moved = np.array([outcome.of(*bodies) for bodies in _LIMBS.values()])
    return moved.min(axis=0) / moved.max(axis=0)


def measure_build_dependence(walks: TrialWalks) -> Iterator[Claim]:
    """A small and a large person, each pushed in proportion to weight."""
    large = walks(LARGE)
    small = load_walk(walks.data, SMALL, mass=40.0 / 1.5**2 * walks(SMALL).height ** 2, table="female")
    outcomes = {walk.name: play_trial(make_trial(walk)) for walk in (small, large)}
    sizes = (small.height, small.fitted.character.mass, large.height)
    data = "91_29 as a woman of {:.2f} m and {:.0f} kg, 35_01 of {:.2f} m".format(*sizes)
    ratio = float(np.median(outcomes[small.name].peaks) / np.median(outcomes[large.name].peaks))
    text = "with forces scaled by weight a small person answers as a large one does: median peaks"
    yield Claim("small-over-large", "YL08", text, ratio, "times", data, Band(0.5, 2.0))
    outcome = outcomes[small.name]
    columns = [c for c, dof in enumerate(small.fitted.character.skeleton.dofs)
               if small.fitted.character.skeleton.names[dof.joint] in ARMS]  # fmt: skip
    swing, clip = (np.ptp(q[:, :, columns], axis=0).max(axis=1) for q in (outcome.poses, outcome.trial.targets))
    text = "her large arm movements are kept in the response: range of the arms' joints, pushed over unpushed"
    yield Claim("small-swing", "YL08", text, float(np.median(swing / clip)), "times", data, Band(low=0.95))
    worst = max(float(outcome.left.max()) for outcome in outcomes.values())
    text = "both recover: worst push, 3 s after it"
    yield Claim("small-and-large-left", "YL08", text, worst, "deg", data, Band(high=RECOVERED))


def measure_sustained(walks: TrialWalks) -> Iterator[Claim]:
    """Steady pushes are what the method is not robust against."""
    ratios, left = [], []
    for walk in walks.normal:
        steady, short = (play_trial(make_trial(walk, duration=seconds)) for seconds in (1.0, PUSH))
        held = steady.deviation[walk.frames(BEFORE + 0.8) : walk.frames(BEFORE + 1.0)].mean(axis=0).max(axis=1)
        ratios.append(float(np.median(held) / np.median(short.peaks)))
        left.append(float(steady.left.max()))
    text = "not as robust against steady pushes: deviation held in the last fifth of 1 s over the peak of 0.2 s"
    yield Claim("sustained", "YL08", text, float(np.mean(ratios)), "times", walks.names, Band(low=MORE))
    text = "what a steady push of 1 s did is gone 3 s after it: worst push"
    yield Claim("sustained-left", "gambol", text, max(left), "deg", walks.names, Band(high=RECOVERED))


def measure_platform(walks: TrialWalks) -> Iterator[Claim]:
    """Ground that jerks moves the upper body, which then comes back."""
    peaks, left = [], []
    for walk in walks.normal:
        quiet = PushTrial(walk, walk.targets(walk.phases, BEFORE + PUSH + AFTER), [[] for _ in walk.phases])
        x, y, _ = 4.0 * walk.facing[0]
        outcome = play_trial(quiet, platform=Platform((x, y, 0.0), BEFORE, PUSH))
        peaks.append(float(np.median(outcome.peaks)))
        left.append(float(outcome.left.max()))
    text = "on a platform that starts with 4 m/s² for 0.2 s the upper body reacts: median peak"
    yield Claim("platform-peak", "YL08", text, float(np.mean(peaks)), "deg", walks.names, Band(low=1.0))
    text = "and gradually recovers: 3 s after"
    yield Claim("platform-left", "YL08", text, max(left), "deg", walks.names, Band(high=RECOVERED))


def measure_slow(walks: TrialWalks) -> Iterator[Claim]:
    """No recording here is tai chi: a person who stands and waves comes nearest."""
    walk = walks(WAVING)
    model = make_model(walk, 5)
    ahead, aside = (
        play_trial(make_trial(walk, ("chest", *ARMS), ways), model) for ways in ((FORWARD, BACKWARD), (LEFT, RIGHT))
    )
    data = "141_16, waving, k = 5"
    text = "a motion of the arms alone recovers with k = 5: worst push, 3 s after it"
    worst = max(float(ahead.left.max()), float(aside.left.max()))
    yield Claim("arms-alone-left", "YL08", text, worst, "deg", data, Band(high=RECOVERED))
    text = "it answers pushes ahead and back more fluidly than those aside: median peaks"
    ratio = float(np.median(ahead.peaks) / np.median(aside.peaks))
    yield Claim("arms-alone-sagittal", "YL08", text, ratio, "times", data, Band(low=MORE))
    chest = play_trial(make_trial(walk, ("chest",), (FORWARD, BACKWARD)), model)
    arms = np.array([chest.of(*_LIMBS[side]) for side in ("left", "right")])
    text = "with both arms: the one that moves less over the other, chest pushed ahead and back. One arm waves here"
    share = float(np.median(arms.min(axis=0) / arms.max(axis=0)))
    yield Claim("arms-alone-both", "YL08", text, share, "times", data, Band(low=0.5))
