"""Claims about body part, support phase, direction, style and build (YL08, section 5).

No subject of the recordings walks in all styles of the paper: styles are compared across subjects, with forces in
proportion to body weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.motion.pushes import Platform
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.near_unactuated.coordinates import MORE, RECOVERED
from gambol_evidence.reproduce.near_unactuated.trials import (
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
    """Return the mean over walks of the median over pushes."""
    return float(np.mean([np.median(measure(walk)) for walk in walks]))


def _compared(
    name: str,
    text: str,
    walks: Sequence[TrialWalk],
    one: Callable[[TrialWalk], Array],
    other: Callable[[TrialWalk], Array],
) -> Claim:
    """Claim that one kind of push has a larger effect than another, mean over walks; the data list every walk."""
    ones, others = (np.array([np.median(measure(walk)) for walk in walks]) for measure in (one, other))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios, ratio = ones / others, float(ones.sum() / others.sum())
    each = ", ".join(f"{walk.name.split('/')[1]} {share:.2f}" for walk, share in zip(walks, ratios, strict=True))
    return Claim(name, "YL08 §5", text, ratio, "times", each, Band(low=MORE))


def measure_body_parts(walks: TrialWalks) -> Iterator[Claim]:
    """Arms are more compliant than head or shoulders."""

    def peaks(*bodies: str) -> Callable[[TrialWalk], Array]:
        return lambda walk: play_trial(make_trial(walk, bodies)).peaks

    text = "pushes on the arms cause larger deviations than pushes on the {}: ratio of median peaks"
    for name, bodies in (("head", ("head",)), ("shoulder", ("left_collar", "right_collar"))):
        row = text.format(name)
        yield _compared(f"arm-over-{name}", row, walks.normal, peaks(*ARMS), peaks(*bodies))


def measure_pelvis_speed(walks: TrialWalks) -> Iterator[Claim]:
    """The pelvis gets the impulse of a hit: its largest speed over impulse per body mass."""

    def speeds(walk: TrialWalk) -> Array:
        tried = make_trial(walk, ("pelvis",), (FORWARD, BACKWARD, LEFT, RIGHT))
        away = (play_trial(tried).poses - tried.targets)[:, :, :2]
        speed = np.linalg.norm(np.diff(away, axis=0), axis=2).max(axis=0) / walk.fitted.motion.frame_time
        impulse = [push.duration * np.linalg.norm(push.force) for (push,) in tried.pushes]
        return np.asarray(speed * walk.fitted.character.mass / impulse)

    text = "a hit at the pelvis moves it by the impulse: largest speed over impulse per body mass, median push"
    about = f"pushes of 0.15 body weights for 0.2 s; {walks.names}"
    source = "eq. 7 of YL08, without the springs of the legs"
    yield Claim("pelvis-speed", source, text, _typical(walks.normal, speeds), "of it", about, Band(0.8, 1.2))


def measure_support(walks: TrialWalks) -> Iterator[Claim]:
    """Responses are larger in single support, and smaller on the side of the supporting leg."""

    def during(*supports: str, bodies: Sequence[str] = ARMS, directions: Sequence[tuple[float, float]]) -> Callable:
        return lambda walk: (
            play_trial(
                make_trial(walk, bodies, directions, [phase for name in supports for phase in walk.phases_of(name)])
            ).peaks
        )

    every = (FORWARD, BACKWARD, LEFT, RIGHT)
    single, double = during("left foot", "right foot", directions=every), during("both feet", directions=every)
    text = "the same push causes larger deviations in single than in double support: ratio of median peaks"
    yield _compared("single-over-double", text, walks.normal, single, double)

    def side(walk: TrialWalk, same: bool) -> Array:
        left = during("left foot" if same else "right foot", bodies=ARMS[:1], directions=(RIGHT,))(walk)
        right = during("right foot" if same else "left foot", bodies=ARMS[1:], directions=(LEFT,))(walk)
        return np.concatenate((left, right))

    text = "a push on the side of the supporting leg has less effect than on the other: ratio of median peaks"
    other, same = (partial(side, same=same) for same in (False, True))
    yield _compared("other-side-over-same", text, walks.normal, other, same)


def measure_direction(walks: TrialWalks) -> Iterator[Claim]:
    """Backward pushes are harder to recover from than forward ones."""

    def pushed(direction: tuple[float, float]) -> Callable[[TrialWalk], PushOutcome]:
        return lambda walk: play_trial(make_trial(walk, ("chest", "head"), (direction,)))

    back, ahead = pushed(BACKWARD), pushed(FORWARD)
    text = "backward pushes are harder to recover from than forward ones: ratio of {}"
    row = text.format("median recovery times to 2 deg")
    yield _compared(
        "backward-time", row, walks.normal, lambda w: back(w).recovery_time(), lambda w: ahead(w).recovery_time()
    )
    row = text.format("median peaks")
    yield _compared("backward-peak", row, walks.normal, lambda w: back(w).peaks, lambda w: ahead(w).peaks)


def measure_styles(walks: TrialWalks) -> Iterator[Claim]:
    """Normal, backward and sneaking walks under the same forces."""
    backwards, sneaking = ([walks(name) for name in names] for names in (BACKWARDS, SNEAKING))
    data = f"{join_names(BACKWARDS)} beside {walks.names}"

    def peaks(*directions: tuple[float, float]) -> Callable[[TrialWalk], Array]:
        return lambda walk: play_trial(make_trial(walk, directions=directions)).peaks

    every = peaks(FORWARD, BACKWARD, RIGHT)
    ratio = _typical(sneaking, every) / _typical(walks.normal, every)
    text = "sneaking walks deviate less than normal ones: ratio of median peaks, across subjects"
    yield Claim("sneaky-over-normal", "YL08 §5", text, ratio, "times", f"{join_names(SNEAKING)} beside {walks.names}",
                Band(high=1.0 / MORE))  # fmt: skip
    ratio = _typical(backwards, peaks(FORWARD)) / _typical(walks.normal, peaks(FORWARD))
    text = (
        "backward walks are more stable against forward pushes: ratio of median peaks to normal walks, across subjects"
    )
    yield Claim("backward-walk-forward", "YL08 §5", text, ratio, "times", data, Band(high=1.0 / MORE))
    text = "backward walks are more compliant against backward than forward pushes: ratio of median peaks"
    yield _compared("backward-walk-backward", text, backwards, peaks(BACKWARD), peaks(FORWARD))
    shared = {name: _typical(group, _shared) for name, group in
              (("normal", walks.normal), ("others", backwards + sneaking))}  # fmt: skip
    text = "normal walks use torso and both arms together more than others: ratio of least to most moved of the three, "
    text += "pushes on the chest, across subjects"
    yield Claim("normal-together", "YL08 §5", text, shared["normal"] / shared["others"], "times",
                f"{walks.names} beside {join_names(BACKWARDS + SNEAKING)}", Band(low=MORE))  # fmt: skip


def _shared(walk: TrialWalk) -> Array:
    """Return the deviation (batch,) of the least moved of torso and arms over that of the most moved."""
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
    text = "a small and a large person respond alike to forces scaled by weight: ratio of median peaks"
    yield Claim("small-over-large", "YL08 §5", text, ratio, "times", data, Band(0.5, 2.0))
    outcome = outcomes[small.name]
    columns = [c for c, dof in enumerate(small.fitted.character.skeleton.dofs)
               if small.fitted.character.skeleton.names[dof.joint] in ARMS]  # fmt: skip
    swing, clip = (np.ptp(q[:, :, columns], axis=0).max(axis=1) for q in (outcome.poses, outcome.trial.targets))
    text = "large arm swing is preserved in the response: range of the arms' joints, pushed over unpushed"
    yield Claim("small-swing", "YL08 §5", text, float(np.median(swing / clip)), "times", data, Band(low=0.95))
    worst = max(float(outcome.left.max()) for outcome in outcomes.values())
    text = "a small and a large person recover: largest deviation 3 s after a push"
    yield Claim("small-and-large-left", "YL08 §5", text, worst, "deg", data, Band(high=RECOVERED))


def measure_sustained(walks: TrialWalks) -> Iterator[Claim]:
    """The method is not robust against steady pushes."""
    ratios, left = [], []
    for walk in walks.normal:
        steady, short = (play_trial(make_trial(walk, duration=seconds)) for seconds in (1.0, PUSH))
        held = steady.deviation[walk.frames(BEFORE + 0.8) : walk.frames(BEFORE + 1.0)].mean(axis=0).max(axis=1)
        ratios.append(float(np.median(held) / np.median(short.peaks)))
        left.append(float(steady.left.max()))
    text = "less robust against steady pushes: mean deviation at the end of a push of 1 s over the peak of one of 0.2 s"
    yield Claim("sustained", "YL08 §5", text, float(np.mean(ratios)), "times", walks.names, Band(low=MORE))
    text = "recovery from a steady push of 1 s: largest deviation 3 s after it"
    yield Claim("sustained-left", OUR_BAR, text, np.max(left), "deg", walks.names, Band(high=RECOVERED))


def measure_platform(walks: TrialWalks) -> Iterator[Claim]:
    """A platform that accelerates moves the upper body, which then recovers."""
    peaks, left = [], []
    for walk in walks.normal:
        quiet = PushTrial(walk, walk.targets(walk.phases, BEFORE + PUSH + AFTER), [[] for _ in walk.phases])
        x, y, _ = 4.0 * walk.facing[0]
        outcome = play_trial(quiet, platform=Platform((x, y, 0.0), BEFORE, PUSH))
        peaks.append(float(np.median(outcome.peaks)))
        left.append(float(outcome.left.max()))
    text = "a platform accelerating at 4 m/s² for 0.2 s moves the upper body: median peak deviation"
    yield Claim("platform-peak", "YL08 §5", text, float(np.mean(peaks)), "deg", walks.names, Band(low=1.0))
    text = "recovery on the platform: largest deviation 3 s after"
    yield Claim("platform-left", "YL08 §5", text, np.max(left), "deg", walks.names, Band(high=RECOVERED))


def measure_slow(walks: TrialWalks) -> Iterator[Claim]:
    """Motion of the arms alone; no recording is tai chi, a standing person who waves is the nearest."""
    walk = walks(WAVING)
    model = make_model(walk, 5)
    ahead, aside = (
        play_trial(make_trial(walk, ("chest", *ARMS), directions), model)
        for directions in ((FORWARD, BACKWARD), (LEFT, RIGHT))
    )
    data = "141_16, waving, k = 5"
    text = "a motion of the arms alone recovers with k = 5: largest deviation 3 s after a push"
    worst = max(float(ahead.left.max()), float(aside.left.max()))
    yield Claim("arms-alone-left", "YL08 §5", text, worst, "deg", data, Band(high=RECOVERED))
    text = "a motion of the arms alone responds more to sagittal than to lateral pushes: ratio of median peaks"
    ratio = float(np.median(ahead.peaks) / np.median(aside.peaks))
    yield Claim("arms-alone-sagittal", "YL08 §5", text, ratio, "times", data, Band(low=MORE))
    chest = play_trial(make_trial(walk, ("chest",), (FORWARD, BACKWARD)), model)
    arms = np.array([chest.of(*_LIMBS[side]) for side in ("left", "right")])
    text = "both arms respond to sagittal pushes on the chest: deviation of the less moved arm over the other"
    share = float(np.median(arms.min(axis=0) / arms.max(axis=0)))
    yield Claim("arms-alone-both", "YL08 §5", text, share, "times", data, Band(low=0.5))
