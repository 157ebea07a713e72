"""`learn_style` and `apply_style`: how somebody moves, and other things done in that way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from gambol.clips.result import ModelResult, Result
from gambol.errors import InputError, StrPath
from gambol.fit.contact_file import GivenContacts
from gambol.fit.load import Source, as_motion
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.io.archive import is_changed, is_there
from gambol.io.models import as_model
from gambol.judge.finding import name_limb
from gambol.judge.judgement import Original
from gambol.judge.likeness import compare_likeness
from gambol.motion.cycles import repeat_for
from gambol.motion.ensemble import as_ensemble
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.motion.own_frame import enter_own_frame, find_own_frame
from gambol.progress import Progress, silent
from gambol.spacetime.edits.to_rig import return_to_rig, show_original
from gambol.spacetime.edits.verb import cut_clip, prepare_clip
from gambol.styles.cycle import draft_cycle
from gambol.styles.learning import STEPS, LearnedStyle, learn_parameters
from gambol.styles.ramp import make_ramp
from gambol.styles.style import DETERMINED, PhysicalStyle, StyleSource, find_style_rows, name_joints
from gambol.styles.task import (
    StyleTask,
    describe_task,
    draft_task,
    make_scene,
    make_task_scene,
    parse_task,
    read_task,
    sink_feet,
)
from gambol.styles.windows import generate_long_motion
from gambol.terms.space import Term, check_terms

_LONGEST = 2.5
"""Of a longer clip, the middle part of this length (s) is learned from."""
_SHORTEST = 1.0
"""Seconds."""


@dataclass(frozen=True, eq=False, kw_only=True)
class StyleResult(ModelResult[PhysicalStyle]):
    """A learned style; its motion is what the style makes of the first clip's own footprints."""

    learned: LearnedStyle

    @property
    def preferences(self) -> dict[str, float]:
        """Cost of the muscles of joints relative to uniform preferences, least first, where the clip determines it.

        Below 1 are joints that a person uses more than others would, above 1 those that they spare (L05 section 7.1).
        """
        ratios = self.model.values[:, 0] / self.learned.start.scales[:, 0]
        known = self.model.uncertainty[:, 0] < DETERMINED
        found = [
            (joint, float(ratio)) for joint, ratio, some in zip(self.model.joints, ratios, known, strict=True) if some
        ]
        return dict(sorted(found, key=lambda one: one[1]))


def learn_style(
    *clips: Source,
    start: float | None = None,
    end: float | None = None,
    name: str | None = None,
    mass: float | None = None,
    contacts: GivenContacts | None = None,
    steps: int = STEPS,
    progress: Progress = silent,
) -> StyleResult:
    """Learn the physical style of one person's walk or run: muscle preferences, stiffness, damping and rest angles.

    `start` and `end` (s) cut the clips; of long ones the middle 2.5 s are taken by default. One style is learned from
    all clips. `contacts` of a single clip replaces those found. `steps` limits the search.

    >>> learned = gb.learn_style("walk")  # doctest: +SKIP
    >>> learned.save("walk_style.json")  # doctest: +SKIP
    """
    if not clips:
        raise InputError("no clip to learn from", fix="give one or several of the same person")
    if contacts is not None and len(clips) > 1:
        raise InputError("contacts belong to one clip", fix="give one clip, or leave the contacts out")
    motions = [as_motion(clip) for clip in clips]
    parts = [choose_part(motion, start, end) for motion in motions]
    drafts, notes = [], []
    for motion, part in zip(motions, parts, strict=True):
        editable, found = prepare_clip(
            enter_own_frame(motion), *part, mass, contacts=contacts, own=find_own_frame(motion)
        )
        drafts.append(draft_task(editable, StyleTask()))
        notes += [*found, f"{motion.name}: learned from {part[0]:.2f} to {part[1]:.2f} s"]
    scenes = [make_scene(draft) for draft in drafts]
    learned = learn_parameters(scenes, steps=steps, progress=progress)
    file = motions[0].origin.file
    built_in = next((one for one in samples.names() if file == str(samples.file(one))), None)
    joints = name_joints(drafts[0].character.skeleton)
    style = PhysicalStyle(
        name or motions[0].name, joints, learned.parameters, learned.uncertainty, built_in or file, parts[0]
    )
    first, last = learned.moments[0], learned.moments[-1]
    if learned.stopped:
        notes.append(f"stopped after {len(learned.moments) - 1} steps: this is the best so far")
    known = learned.uncertainty / [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.2] < DETERMINED
    played, shown = return_to_rig(drafts[0], learned.clips[0].generated.q), show_original(drafts[0])
    return StyleResult(
        motions=as_ensemble(replace(played, skeleton=motions[0].skeleton)),
        figures={
            "error_deg": _measure_error(shown, played),
            "error_cm": last.error_cm,
            "body_error_deg": last.error_deg,
            "uniform_body_error_deg": first.error_deg,
            "steps": len(learned.moments) - 1,
            "determined_numbers": int(known.sum()),
            "numbers": known.size,
        },
        notes=tuple(notes),
        model=style,
        learned=learned,
    )


def _measure_error(shown: Motion, played: Motion) -> float:
    """Return the root mean square angle (degrees) between the local rotations of the joints of two motions on a rig."""
    count, skeleton = min(len(shown), len(played)), shown.skeleton
    joints = [joint for joint in range(1, len(skeleton.names)) if skeleton.columns(joint, "turn")]
    one, two = (local_frames(each.skeleton, each.q[:count]).rotations[:, joints] for each in (shown, played))
    return float(np.degrees(np.sqrt(np.mean(quat.angle(quat.multiply(quat.conjugate(one), two)) ** 2))))


def apply_style(
    style: StyleSource,
    task: StyleTask | Mapping[str, Any] | StrPath | None = None,
    *,
    clip: Source | None = None,
    mass: float | None = None,
    contacts: GivenContacts | None = None,
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> Result:
    """Do something in a style: `task` is a YAML file, the same as a mapping, or a `StyleTask`.

    Footprints are those of `clip`, else of the task's clip, else of the clip from which the style was learned.
    `contacts` of that clip replaces those found. `terms` of your own are added to the problem.

    >>> applied = gb.apply_style("walk_style.json", "longer.yaml")  # doctest: +SKIP
    >>> applied.save("longer.bvh")  # doctest: +SKIP
    """
    learned = as_model(style, PhysicalStyle)
    asked = _as_task(task)
    source, start, end = _find_clip(learned, asked, clip)
    other = source == learned.clip and is_changed(learned.clip, learned.digest)
    changed = (f"{Path(learned.clip).name} is not the file that the style was learned from",) if other else ()
    given = as_motion(source)
    if asked.loop:
        given, start, end = repeat_for(cut_clip(given, start, end), asked.loop), None, None
    motion = enter_own_frame(given)
    back: Callable[[Array], Motion]
    if asked.cycle:
        if contacts is not None:
            raise InputError("a cycle finds its own contacts", fix="leave out the contacts, or 'cycle'")
        drafted, notes = draft_cycle(motion, asked, mass)
        scene, back, shown = drafted.make_scene(), drafted.return_to_rig, None
    else:
        editable, notes = prepare_clip(motion, start, end, mass, contacts=contacts, own=find_own_frame(given))
        draft = draft_task(editable, asked)
        scene, back = make_task_scene(draft, asked), partial(return_to_rig, sink_feet(draft, asked))
        shown = replace(show_original(draft), skeleton=given.skeleton)
    rows = find_style_rows(learned, scene.character.skeleton)

    solved = generate_long_motion(scene, rows, check_terms(terms), progress)
    if solved.failed is not None:
        found = solved.failed.solution
        worst = max(found.residuals, key=lambda one: found.residuals[one])
        raise InputError(f"this task has no solution ({found.status}); hardest: {worst}", fix="ask for less")
    motion = back(solved.q)
    made = {"verb": "style", "style": learned.name, **describe_task(asked)}
    motion = replace(motion, skeleton=given.skeleton, made={**motion.made, **made})
    ramps = make_ramp(motion, asked.slope)[None] if asked.slope else np.zeros((0, 7))
    return Result(
        motions=replace(as_ensemble(motion), ramps=ramps),
        figures=solved.figures,
        notes=(*notes, *changed),
        sources=(given,),
        originals=() if shown is None else (Original(motion, shown, (compare_likeness,), _find_busy(asked)),),
    )


def _find_busy(task: StyleTask) -> frozenset[str]:
    """Return the limbs that carry a load or whose joints are locked, and the trunk beside a limb with a load."""
    loaded = set(filter(None, (name_limb(part) for part, _ in task.load)))
    locked = filter(None, (name_limb(joint.split()[0]) for joint, _ in task.lock))
    return frozenset({*loaded, *locked, *(("trunk",) if loaded else ())})


def choose_part(motion: Motion, start: float | None, end: float | None) -> tuple[float, float]:
    """Return the times between which a clip is learned from."""
    length = motion.duration
    if start is None and end is None and length > _LONGEST:
        start, end = 0.5 * (length - _LONGEST), 0.5 * (length + _LONGEST)
    start, end = start or 0.0, length if end is None else end
    if end - start < _SHORTEST:
        raise InputError(
            f"{end - start:.2f} s are too short to learn a style from", file=motion.name, fix="give at least one stride"
        )
    return start, end


def _as_task(task: StyleTask | Mapping[str, Any] | StrPath | None) -> StyleTask:
    if isinstance(task, StyleTask):
        return task
    return parse_task(dict(task or {})) if task is None or isinstance(task, Mapping) else read_task(Path(task))


def _find_clip(style: PhysicalStyle, task: StyleTask, clip: Source | None) -> tuple[Source, float | None, float | None]:
    """Return the clip whose footprints are used, and the times between which."""
    if clip is not None or task.clip:
        return clip if clip is not None else task.clip, task.start, task.end
    if not style.clip:
        raise InputError(f"the style '{style.name}' does not say which clip it is of", fix="name one: clip: walk.bvh")
    if style.clip not in samples.names() and not is_there(Path(style.clip)):
        raise InputError(
            f"'{Path(style.clip).name}', from which the style '{style.name}' was learned, is not beside it",
            fix="put it there, or give --clip FILE",
        )
    start, end = (
        own if asked is None else asked for own, asked in zip(style.part, (task.start, task.end), strict=True)
    )
    return style.clip, start, end
