"""Claims about recordings as optima of the styles learned from them, at converged solves (L05 sections 5.6 and 5.7)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.styles.learning import LearnedStyle, learn_parameters, measure_moment
from gambol.styles.scene import SolvedScene, StyleScene, generate_motion
from gambol.terms.muscle import MUSCLE_PARAMETERS
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.style.setting import STYLED_RUN, STYLED_WALKS, StyleSetting

_STARTS = 3
_PERTURBED = np.radians(5.0)
"""Root mean square (rad) by which starts of solves are perturbed."""
_AT_LIMIT = np.radians(0.2)
"""Distance (rad) from its limit at which a joint rests on it."""
_UNSPRUNG = 1e-4
"""Stiffness and damping without springs, relative to those of the start."""


def measure_fidelity(setting: StyleSetting) -> Iterator[Claim]:
    """Yield the claims."""
    learned = {name: setting.learn(name).learned for name in (*STYLED_WALKS, STYLED_RUN)}
    ends = {name: one.moments[-1] for name, one in learned.items()}
    for name, end in ends.items():
        yield Claim(
            f"joints-{name}", OUR_BAR, "joint angles of the optimum of the learned style from the recording",
            end.error_deg, "degrees", _describe(name, learned[name]), Band(high=3.5),
        )  # fmt: skip
    walks = [ends[name] for name in STYLED_WALKS]
    data = f"walks {', '.join(STYLED_WALKS)}"
    yield Claim(
        "joints-median", OUR_BAR, "joint angles of the optimum from the recording, median of seven people",
        float(np.median([end.error_deg for end in walks])), "degrees", data, Band(high=2.5),
    )  # fmt: skip
    yield Claim(
        "root-median", OUR_BAR, "position of the root from the recording, median of seven people",
        float(np.median([end.error_cm for end in walks])), "cm", data, Band(high=1.5),
    )  # fmt: skip
    yield from _measure_ablations(learned, data)
    yield _measure_preferences(learned, "35_01")
    yield from _measure_optimality(learned, f"{data}, run {STYLED_RUN}")
    yield from _measure_physics(learned, f"{data}, run {STYLED_RUN}")


def _describe(name: str, one: LearnedStyle) -> str:
    return f"{name}, {len(one.clips[0].scene.reference)} frames at 30 Hz, {len(one.moments) - 1} steps"


def _measure_ablations(learned: dict[str, LearnedStyle], data: str) -> Iterator[Claim]:
    """How much farther motions are without preferences, and without springs (L05 section 5.7.4)."""
    for name, words, springs in (
        ("uniform-springs", "uniform preferences with springs", 1.0),
        ("uniform", "uniform preferences without springs", _UNSPRUNG),
    ):
        ratios = []
        for one in (learned[walk] for walk in STYLED_WALKS):
            parameters = one.start.make_uniform()
            parameters[:, 1:4] *= springs
            found = generate_motion(one.clips[0].scene, parameters)
            ratios.append(measure_moment(found.q, one.clips[0].scene).error_deg / one.moments[-1].error_deg)
        yield Claim(
            name, "L05 section 5.7.4", f"{words}: distance from the recording, relative to the learned style, least",
            float(min(ratios)), "1", data, Band(low=1.0),
        )  # fmt: skip


def _measure_preferences(learned: dict[str, LearnedStyle], name: str) -> Claim:
    """How much farther a motion is if only the preferences of muscles are learned (L05 section 5.7.4)."""
    whole = learned[name]
    only = learn_parameters([whole.clips[0].scene], learned=np.arange(len(MUSCLE_PARAMETERS)) == 0)
    return Claim(
        "preferences-only", "L05 section 5.7.4",
        "learned preferences, springs as at the start: distance from the recording, relative to the whole style",
        only.moments[-1].error_deg / whole.moments[-1].error_deg, "1", name, Band(low=1.0),
    )  # fmt: skip


def _measure_optimality(learned: dict[str, LearnedStyle], data: str) -> Iterator[Claim]:
    """Whether other starts lead to the same optimum, and how much more the recording costs than it."""
    apart, gaps = [], []
    for one in learned.values():
        for seed in range(_STARTS):
            found = _solve_from(one, seed)
            apart.append(measure_moment(found.q, one.clips[0].scene.with_reference(one.clips[0].generated.q)).error_deg)
        gaps.append(_measure_gap(one))
    yield Claim(
        "starts", OUR_BAR, "distance of optima found from starts that are 5 degrees off, worst of three per clip",
        max(apart), "degrees", data, Band(high=0.5),
    )  # fmt: skip
    yield Claim(
        "gap", "L05 eq. 5.21, figure 5.7", "share of the recording's muscle cost that its optimum saves, median",
        float(np.median(gaps)), "1", f"{data}: {min(gaps):.2f} to {max(gaps):.2f}", Band(high=0.15),
    )  # fmt: skip


def _solve_from(one: LearnedStyle, seed: int) -> SolvedScene:
    """Solve a learned style from smooth deviations from its recording."""
    scene = one.clips[0].scene
    frames, dofs = scene.reference.shape
    joints = np.array([dof.joint > 0 for dof in scene.character.skeleton.dofs])
    waves = np.random.default_rng(seed).normal(size=(4, dofs))
    share = np.linspace(0.0, 1.0, frames)[:, None]
    shape = sum(wave * np.sin((number + 1) * np.pi * share) for number, wave in enumerate(waves))
    away = np.asarray(shape * joints)
    away *= _PERTURBED / np.sqrt(np.mean(away[:, joints] ** 2))
    return generate_motion(scene, one.parameters, begin=scene.reference + away)


def _measure_gap(one: LearnedStyle) -> float:
    """Return how much less muscle cost the optimum has than the recording, relative to that."""
    torques = [solved.find_muscle_torques(one.parameters) for solved in (one.clips[0].fitted, one.clips[0].generated)]
    costs = [float((one.parameters[:, 0] * each**2).sum()) for each in torques]
    return 1.0 - costs[1] / costs[0]


def _measure_physics(learned: dict[str, LearnedStyle], data: str) -> Iterator[Claim]:
    """Residuals at the root, forces, slips and limits."""
    force = max(_rms(one.clips[0].generated.root_residual[:, :3]) for one in learned.values())
    moment = max(_rms(one.clips[0].generated.root_residual[:, 3:]) for one in learned.values())
    yield Claim("root-force", OUR_BAR, "residual force at the root, worst clip", force, "N", data, Band(high=1.0))
    yield Claim("root-moment", OUR_BAR, "residual moment at the root, worst clip", moment, "N m", data, Band(high=1.0))
    limits = max(_count_limits(one.clips[0].scene, one.clips[0].generated.q) for one in learned.values())
    yield Claim(
        "limits", OUR_BAR, "joints that rest on a limit in a tenth of the frames, worst clip", limits, "joints", data,
        Band(high=0.0),
    )  # fmt: skip
    peaks = [_measure_peak(one) for one in learned.values()]
    yield Claim(
        "peak-force", OUR_BAR, "largest vertical ground force while walking, worst clip",
        max(peaks[: len(STYLED_WALKS)]), "body weights", data, Band(high=1.6),
    )  # fmt: skip


def _count_limits(scene: StyleScene, q: Array) -> float:
    skeleton = scene.character.skeleton
    near = (q - skeleton.lower < _AT_LIMIT) | (skeleton.upper - q < _AT_LIMIT)
    return float((near.mean(axis=0) > 0.1).sum())


def _measure_peak(one: LearnedStyle) -> float:
    space, x = one.clips[0].generated.space, one.clips[0].generated.solution.x
    rise = np.diff(x[space.velocity][:, 2]) / space.step_times[0]
    return float((1.0 + rise / GRAVITY).max())


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
