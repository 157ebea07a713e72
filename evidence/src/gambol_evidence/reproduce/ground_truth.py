"""`gambol reproduce ground-truth`: the body model against other engines, other file formats and force plates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from gambol.body.build import make_average_build
from gambol.body.character import Character
from gambol.body.dynamics import Dynamics
from gambol.body.expressions import Expressions
from gambol.body.human import make_human
from gambol.body.measure import restore_thorax
from gambol.fit.load import load
from gambol.fit.rig import fit
from gambol.metrics.figures import Band
from gambol.motion.motion import Motion
from gambol_evidence.reproduce import plates
from gambol_evidence.reproduce.claims import OUR_BAR, Claim, measure


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    yield from measure((_engines, partial(_formats, data), partial(_fits, data), *plates.parts(data)))


def _engines() -> Iterator[Claim]:
    character = make_human(make_average_build(1.75), 80.0)
    numbers, expressions = Dynamics(character), Expressions(character)
    states = np.random.default_rng(0).normal(size=(20, 3, len(character.skeleton.dofs)))
    ours = np.array([numbers.torques(*state) for state in states])
    largest = np.abs(ours).max()
    theirs = np.array([np.array(expressions.torques(*state))[:, 0] for state in states])
    what = "20 random states of the average person"
    off = float(np.abs(ours - theirs).max() / largest)
    yield Claim(
        "torques-casadi",
        "CasADi",
        "inverse dynamics agree with Pinocchio: largest difference over largest torque",
        off,
        "",
        what,
        Band(high=1e-9),
    )
    import mujoco

    from gambol.body.mjcf import to_mjcf

    model = mujoco.MjModel.from_xml_string(to_mjcf(character))
    state = mujoco.MjData(model)
    judged = []
    for q, velocity, acceleration in states:
        state.qpos[:], state.qvel[:], state.qacc[:] = q, velocity, acceleration
        mujoco.mj_inverse(model, state)
        judged.append(state.qfrc_inverse.copy())
    off = float(np.abs(ours - np.array(judged)).max() / largest)
    yield Claim(
        "torques-mujoco",
        "MuJoCo",
        "inverse dynamics agree with Pinocchio: largest difference over largest torque",
        off,
        "",
        what,
        Band(high=1e-6),
    )


def _formats(data: Path) -> Iterator[Claim]:
    for clip in ("02_01", "35_01"):
        amc = load(data / "cmu_asf_amc" / f"{clip}.amc")
        bvh = load(data / "cmu_bvh" / "walk" / f"{clip}.bvh")
        files = f"{clip}.amc, {clip}.bvh"
        legs = [f"{s}_{p}" for s in ("left", "right") for p in ("thigh", "shank", "foot", "toes")]
        off = 1000 * float(np.max([_apart(amc, bvh, part) for part in ("pelvis", "spine", "chest", *legs)]))
        yield Claim(
            f"amc-bvh-{clip}",
            "AMC files of CMU",
            "hips, legs and lower spine are at the same positions in BVH and AMC: largest distance",
            off,
            "mm",
            files,
            Band(high=1.0),
        )
        off = 1000 * float(
            np.max([_apart(amc, restore_thorax(bvh), part) for part in ("neck", "left_hand", "right_hand")])
        )
        claim = "neck and hands are at the same positions in BVH and AMC, thorax restored: largest distance"
        yield Claim(f"thorax-{clip}", "AMC files of CMU", claim, off, "mm", files, Band(high=15.0))


def _apart(one: Motion, other: Motion, part: str) -> float:
    places = [m.placement.positions[:, m.rig.parts[part]] for m in (one, other) if m.rig is not None]
    return float(np.linalg.norm(places[0] - places[1], axis=1).max())


def _fits(data: Path) -> Iterator[Claim]:
    for kind in ("walk", "run"):
        clips = sorted((data / "cmu_bvh" / kind).glob("*.bvh"))
        motions = [load(path) for path in clips]
        errors = [float(fit(Character.from_motion(motion), motion).errors.mean()) for motion in motions]
        claim = "mean distance of the joint centres of the character from those of the rig"
        yield Claim(
            f"fit-{kind}",
            OUR_BAR,
            claim,
            1000 * float(np.mean(errors)),
            "mm",
            f"{len(clips)} clips of {kind}",
            Band(high=15.0),
        )
