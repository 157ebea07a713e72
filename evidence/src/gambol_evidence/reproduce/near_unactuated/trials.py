"""Trials for the claims of YL08: recorded walks repeated without end, pushes, and deviations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from gambol.assumptions import GRAVITY
from gambol.body.character import Character
from gambol.body.measure import measure_build
from gambol.contacts.stage import Stage
from gambol.errors import InputError
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.motion import Motion
from gambol.motion.pushes import Platform, Push
from gambol.respond.actuation import Actuation, compute_actuation, upper_body_columns
from gambol.respond.model import DEFAULT_FREE, Gains, ResponseModel, learn_response, relearn_response
from gambol.respond.objective import Objective
from gambol.respond.stepping import start_response, step_response
from gambol.stages.contacts import find_foot_contacts
from gambol.stages.flight import find_stages
from gambol.stages.support import split_by_support
from gambol_evidence.reproduce.recordings import load_cmu_file

SIX = ("walk/02_01", "walk/05_01", "walk/07_01", "walk/12_01", "walk/16_15", "walk/35_01")
"""Normal walks of six subjects."""
TEN = (*SIX, "walk/37_01", "styled_walk/104_19", "styled_walk/136_27", "styled_walk/82_11")
"""Walks of ten subjects."""
_UNSETTLED = 3
"""Frames at the start of a recording that may jump."""
BEFORE, PUSH, AFTER = 0.2, 0.2, 3.0
"""Seconds before a push, its duration, and seconds after it until the response should be over."""
LONGEST_PUSH = 1.0
STRENGTH = 0.15
"""Force as a share of body weight."""
PUSHED_BODIES = ("left_upper_arm", "right_upper_arm", "chest", "head", "left_hand")
FORWARD, BACKWARD, LEFT, RIGHT = (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)
"""Directions of a push: ahead of where the hips face, and to their left."""


@dataclass(frozen=True, eq=False)
class TrialWalk:
    """A cycle of a recording, repeated, with the character fitted to it."""

    name: str
    fitted: Fit
    cycle: int
    """Frames."""

    @property
    def weight(self) -> float:
        """Body weight (N)."""
        return self.fitted.character.mass * GRAVITY

    @cached_property
    def height(self) -> float:
        """Height of the rig (m)."""
        return measure_build(self.fitted.source).height

    @cached_property
    def model(self) -> ResponseModel:
        """Response model of the walk with the number of free coordinates of the paper."""
        return learn_response(self.fitted, machine_code=True)

    @cached_property
    def space(self) -> Actuation:
        """Actuation space of the walk."""
        return compute_actuation(self.fitted)

    @cached_property
    def centred_space(self) -> Actuation:
        """Actuation space about the mean torque, as in the paper."""
        return compute_actuation(self.fitted, centred=True)

    @cached_property
    def facing(self) -> Array:
        """(2, 3) horizontal unit vectors ahead and to the left, mean over a cycle."""
        ahead = quat.rotate(self.fitted.motion.placement.rotations[: self.cycle, 0], np.array([1.0, 0.0, 0.0]))
        x, y, _ = ahead.mean(axis=0)
        length = float(np.hypot(x, y))
        return np.array([[x, y, 0.0], [-y, x, 0.0]]) / length

    def frames(self, seconds: float) -> int:
        """Return a duration in whole frames."""
        return round(seconds / self.fitted.motion.frame_time)

    @cached_property
    def phases(self) -> tuple[int, ...]:
        """Four frames of the cycle."""
        return tuple(round(self.cycle * share) for share in (0.0, 0.25, 0.5, 0.75))

    def phases_of(self, support: str) -> tuple[int, ...]:
        """Return start frames for which a push falls into the middle of a support phase."""
        contacts = find_foot_contacts(self.fitted.clip)
        stages: Sequence[Stage] = split_by_support(contacts, find_stages(contacts))
        wait = self.frames(BEFORE + 0.5 * PUSH)
        middles = [
            (stage.first + stage.last) // 2
            for stage in stages
            if stage.name == support and self.cycle <= stage.first and stage.last < 3 * self.cycle
        ]
        return tuple(sorted({(middle - wait) % self.cycle for middle in middles}))

    def targets(self, phases: Sequence[int], seconds: float) -> Array:
        """Return the walk (frames, batch, dofs) from each start frame on."""
        count = self.frames(seconds) + 1
        return np.stack([self.fitted.motion.q[phase : phase + count] for phase in phases], axis=1)


def load_walk(data: Path, name: str, *, mass: float | None = None, table: str = "male") -> TrialWalk:
    """Load a recording by folder and file name as a repeated walk at about 60 frames per second."""
    clip = load_clip(data, name)
    once = close_cycle(clip, find_cycle(clip))
    longest = BEFORE + LONGEST_PUSH + AFTER + 0.2
    loop = repeat_cycle(once, max(4, 2 + int(longest / (len(once) * once.frame_time))))
    return TrialWalk(name, fit(Character.from_motion(loop, mass, table=table), loop), len(once))


def load_clip(data: Path, name: str) -> Motion:
    """Load a recording at about 60 frames per second."""
    path = data / "cmu_bvh" / f"{name}.bvh"
    if not path.is_file():
        raise InputError("no such recording", file=path, fix="pass --data FOLDER with the CMU clips in cmu_bvh")
    clip = load_cmu_file(path)
    return clip[_UNSETTLED :: max(1, round(1.0 / 60.0 / clip.frame_time))]


@dataclass(frozen=True, eq=False)
class TrialWalks:
    """The walks of the claims; each is fitted and learned once."""

    data: Path
    chosen: tuple[str, ...] = SIX
    many: tuple[str, ...] = TEN
    """Walks for random pushes."""
    pushes: int = 10_000
    """Random pushes in total."""
    _known: dict[str, TrialWalk] = field(default_factory=dict)

    def __call__(self, name: str) -> TrialWalk:
        if name not in self._known:
            self._known[name] = load_walk(self.data, name)
        return self._known[name]

    @property
    def normal(self) -> list[TrialWalk]:
        """The normal walks that claims are measured on."""
        return [self(name) for name in self.chosen]

    @property
    def names(self) -> str:
        """Their names, for the data of a claim."""
        return join_names(self.chosen)


def join_names(clips: Sequence[str]) -> str:
    """Return names of clips, for the data of a claim."""
    return ", ".join(clip.split("/")[1] for clip in clips)


@dataclass(frozen=True, eq=False)
class PushTrial:
    """Targets (frames, batch, dofs), and pushes for each member of the batch."""

    walk: TrialWalk
    targets: Array
    pushes: list[list[Push]]

    def __add__(self, other: PushTrial) -> PushTrial:
        return PushTrial(self.walk, np.concatenate((self.targets, other.targets), axis=1), self.pushes + other.pushes)


def make_trial(
    walk: TrialWalk,
    bodies: Sequence[str] = PUSHED_BODIES,
    directions: Sequence[tuple[float, float]] = (FORWARD, BACKWARD, RIGHT),
    phases: Sequence[int] | None = None,
    *,
    strength: float = STRENGTH,
    duration: float = PUSH,
) -> PushTrial:
    """Push each body in each direction from each start frame, with a share of body weight."""
    sets = list(product(bodies, directions, walk.phases if phases is None else phases))
    forces = [strength * walk.weight * (np.array(direction) @ walk.facing) for _, direction, _ in sets]
    pushes = [
        [Push(body, (force[0], force[1], force[2]), BEFORE, duration)]
        for (body, _, _), force in zip(sets, forces, strict=True)
    ]
    return PushTrial(walk, walk.targets([phase for _, _, phase in sets], BEFORE + duration + AFTER), pushes)


@dataclass(frozen=True, eq=False)
class PushOutcome:
    """The response to a trial."""

    trial: PushTrial
    poses: Array
    """(frames, batch, dofs)."""
    excess: Array
    """(frames, batch) largest angle (deg) that bounds cut off in a step, NaN where a step had no solution."""

    @cached_property
    def deviation(self) -> Array:
        """(frames, batch, coordinates) deviation (deg) of the upper body from the clip."""
        columns = upper_body_columns(self.trial.walk.fitted.character)[6:]
        return np.degrees(np.abs(self.poses - self.trial.targets)[:, :, columns])

    @property
    def peaks(self) -> Array:
        """(batch,) largest deviation (deg) of any joint."""
        return self.deviation.max(axis=(0, 2))

    @property
    def left(self) -> Array:
        """(batch,) largest deviation (deg) in the last frame."""
        return self.deviation[-1].max(axis=1)

    def recovery_time(self, within: float = 2.0) -> Array:
        """Return the time (batch,) from the start of the push until all joints stay within so many degrees."""
        late = self.deviation.max(axis=2)[::-1] > within
        frames = len(late) - np.where(late.any(axis=0), late.argmax(axis=0), len(late))
        return np.maximum(frames * self.trial.walk.fitted.motion.frame_time - BEFORE, 0.0)

    def of(self, *bodies: str) -> Array:
        """Return the largest deviation (batch,) in degrees of the joints that move these bodies."""
        character = self.trial.walk.fitted.character
        joints = [character.skeleton.dofs[c].joint for c in upper_body_columns(character)[6:]]
        chosen = [n for n, joint in enumerate(joints) if character.skeleton.names[joint] in bodies]
        return self.deviation[:, :, chosen].max(axis=(0, 2))


def play_trial(
    tried: PushTrial,
    model: ResponseModel | None = None,
    *,
    objectives: Sequence[Objective] = (),
    platform: Platform | None = None,
) -> PushOutcome:
    """Compute the response to a trial, all members of the batch together."""
    model = model or tried.walk.model
    state = start_response(model, tried.targets[0], 2.0 * tried.targets[0] - tried.targets[1])
    poses = tried.targets.copy()
    excess = np.zeros(poses.shape[:2])
    for n, target in enumerate(tried.targets[1:], start=1):
        state, poses[n] = step_response(model, state, target, tried.pushes, objectives=objectives, platform=platform)
        excess[n] = np.degrees(np.abs(state.excess[:, 3:]).max(axis=1))
    return PushOutcome(tried, poses, excess)


def make_model(
    walk: TrialWalk, free: int = DEFAULT_FREE, *, actuation: Actuation | None = None, gains: Gains = Gains()
) -> ResponseModel:
    """Return the model of a walk with another number of free coordinates, another actuation space or other gains."""
    return relearn_response(walk.model, free, actuation=actuation or walk.space, gains=gains)
