"""Walks that go on without end, the same pushes on all of them, and how far they leave their clip."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np

from gambol.body.character import GRAVITY, Character
from gambol.body.measure import measure_build
from gambol.errors import InputError
from gambol.fit.load import load
from gambol.fit.rig import Fit, fit
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.contacts import Stage
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

SIX = ("walk/02_01", "walk/05_01", "walk/07_01", "walk/12_01", "walk/16_15", "walk/35_01")
"""Normal walks of six subjects."""
TEN = (*SIX, "walk/37_01", "styled_walk/104_19", "styled_walk/136_27", "styled_walk/82_11")
"""Walks of ten subjects."""
_TRUE_RATES = {"141": 60.0}
"""Subjects whose files name a wrong rate."""
_UNSETTLED = 3
"""Frames at the start of some recordings that jump."""
BEFORE, PUSH, AFTER = 0.2, 0.2, 3.0
"""Seconds before a push, of it, and after it until it should be forgotten."""
LONGEST_PUSH = 1.0
STRENGTH = 0.15
"""Of body weight: a push that moves a walker and does not throw him."""
PUSHED_BODIES = ("left_upper_arm", "right_upper_arm", "chest", "head", "left_hand")
FORWARD, BACKWARD, LEFT, RIGHT = (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)
"""Ways to push: ahead of where the hips face, and to their left."""


@dataclass(frozen=True, eq=False)
class TrialWalk:
    """A cycle of a recording, repeated, and the person fitted to it."""

    name: str
    fitted: Fit
    cycle: int
    """Frames."""

    @property
    def weight(self) -> float:
        """Newtons."""
        return self.fitted.character.mass * GRAVITY

    @cached_property
    def height(self) -> float:
        """Metres from the floor to the crown of the rig."""
        return measure_build(self.fitted.source).height

    @cached_property
    def model(self) -> ResponseModel:
        """What the walk itself says, with the paper's number of free coordinates."""
        return learn_response(self.fitted, machine_code=True)

    @cached_property
    def space(self) -> Actuation:
        """Its own actuation space."""
        return compute_actuation(self.fitted)

    @cached_property
    def facing(self) -> Array:
        """(2, 3): ahead and to the left, level, on the average of a cycle."""
        ahead = quat.rotate(self.fitted.motion.placement.rotations[: self.cycle, 0], np.array([1.0, 0.0, 0.0]))
        x, y, _ = ahead.mean(axis=0)
        length = float(np.hypot(x, y))
        return np.array([[x, y, 0.0], [-y, x, 0.0]]) / length

    def frames(self, seconds: float) -> int:
        """So many seconds in whole frames."""
        return round(seconds / self.fitted.motion.frame_time)

    @cached_property
    def phases(self) -> tuple[int, ...]:
        """Four moments of the cycle."""
        return tuple(round(self.cycle * share) for share in (0.0, 0.25, 0.5, 0.75))

    def phases_of(self, support: str) -> tuple[int, ...]:
        """Frames from which on a push, when it comes, meets the middle of a support."""
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
        """(frames, batch, dofs): the walk from each phase on."""
        count = self.frames(seconds) + 1
        return np.stack([self.fitted.motion.q[phase : phase + count] for phase in phases], axis=1)


def load_walk(data: Path, name: str, *, mass: float | None = None, table: str = "male") -> TrialWalk:
    """A recording, named by its folder and file, as a walk without end at about 60 frames a second."""
    clip = load_clip(data, name)
    once = close_cycle(clip, find_cycle(clip))
    longest = BEFORE + LONGEST_PUSH + AFTER + 0.2
    loop = repeat_cycle(once, max(4, 2 + int(longest / (len(once) * once.frame_time))))
    return TrialWalk(name, fit(Character.from_motion(loop, mass, table=table), loop), len(once))


def load_clip(data: Path, name: str) -> Motion:
    """The recording itself at about 60 frames a second."""
    path = data / "cmu_bvh" / f"{name}.bvh"
    if not path.is_file():
        raise InputError("no such recording", file=path, fix="pass --data FOLDER with the CMU clips in cmu_bvh")
    clip = load(path, fps=_TRUE_RATES.get(path.stem.split("_")[0]))
    return clip[_UNSETTLED :: max(1, round(1.0 / 60.0 / clip.frame_time))]


@dataclass(frozen=True, eq=False)
class TrialWalks:
    """Where claims get their walks; each is fitted and learned once."""

    data: Path
    chosen: tuple[str, ...] = SIX
    many: tuple[str, ...] = TEN
    """Those that the bars are tested on, and with how many random pushes altogether."""
    pushes: int = 10_000
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
    """Clips as a row names its data."""
    return ", ".join(clip.split("/")[1] for clip in clips)


@dataclass(frozen=True, eq=False)
class PushTrial:
    """Targets (frames, batch, dofs) and the pushes on each of the batch."""

    walk: TrialWalk
    targets: Array
    pushes: list[list[Push]]

    def __add__(self, other: PushTrial) -> PushTrial:
        return PushTrial(self.walk, np.concatenate((self.targets, other.targets), axis=1), self.pushes + other.pushes)


def make_trial(
    walk: TrialWalk,
    bodies: Sequence[str] = PUSHED_BODIES,
    ways: Sequence[tuple[float, float]] = (FORWARD, BACKWARD, RIGHT),
    phases: Sequence[int] | None = None,
    *,
    strength: float = STRENGTH,
    duration: float = PUSH,
) -> PushTrial:
    """Each body pushed each way in each phase, by so much of the body's weight."""
    sets = list(product(bodies, ways, walk.phases if phases is None else phases))
    forces = [strength * walk.weight * (np.array(way) @ walk.facing) for _, way, _ in sets]
    pushes = [
        [Push(body, (force[0], force[1], force[2]), BEFORE, duration)]
        for (body, _, _), force in zip(sets, forces, strict=True)
    ]
    return PushTrial(walk, walk.targets([phase for _, _, phase in sets], BEFORE + duration + AFTER), pushes)


@dataclass(frozen=True, eq=False)
class PushOutcome:
    """What became of a trial."""

    trial: PushTrial
    poses: Array
    """(frames, batch, dofs)."""

    @cached_property
    def deviation(self) -> Array:
        """(frames, batch, coordinates) degrees by which the upper body leaves the clip."""
        columns = upper_body_columns(self.trial.walk.fitted.character)[6:]
        return np.degrees(np.abs(self.poses - self.trial.targets)[:, :, columns])

    @property
    def peaks(self) -> Array:
        """(batch,) degrees of the joint that leaves the clip most."""
        return self.deviation.max(axis=(0, 2))

    @property
    def left(self) -> Array:
        """(batch,) degrees that are left at the end."""
        return self.deviation[-1].max(axis=1)

    def recovery_time(self, within: float = 2.0) -> Array:
        """(batch,) seconds from the start of the push until every joint stays within so many degrees."""
        late = self.deviation.max(axis=2)[::-1] > within
        frames = len(late) - np.where(late.any(axis=0), late.argmax(axis=0), len(late))
        return np.maximum(frames * self.trial.walk.fitted.motion.frame_time - BEFORE, 0.0)

    def of(self, *bodies: str) -> Array:
        """(batch,) the largest deviation, in degrees, of the joints that move these bodies."""
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
    """Every frame of a trial, all of the batch together."""
    model = model or tried.walk.model
    state = start_response(model, tried.targets[0], 2.0 * tried.targets[0] - tried.targets[1])
    poses = tried.targets.copy()
    for n, target in enumerate(tried.targets[1:], start=1):
        state, poses[n] = step_response(model, state, target, tried.pushes, objectives=objectives, platform=platform)
    return PushOutcome(tried, poses)


def make_model(
    walk: TrialWalk, free: int = DEFAULT_FREE, *, actuation: Actuation | None = None, gains: Gains = Gains()
) -> ResponseModel:
    """The walk's model with other springs: another number of free coordinates, other ones, or other gains."""
    return relearn_response(walk.model, free, actuation=actuation or walk.space, gains=gains)
