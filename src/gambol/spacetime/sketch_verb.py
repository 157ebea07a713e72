"""`sketch`: make a motion with crouch, flight and landing from a few rough keyframes (L05 ch. 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gambol.clips.result import Result
from gambol.contacts.timeline import Contacts
from gambol.errors import InputError
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import Fit, as_clip
from gambol.io.formats import MOTION_EXTENSIONS, find_formats
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.spacetime import sketches
from gambol.spacetime.evaluate import BetweenErrors, FrameErrors, evaluate_between, evaluate_frames
from gambol.spacetime.obstacles import SOFT_WEIGHT, describe_residual, find_doubts, find_obstacle
from gambol.spacetime.poses import PoseDatabase, open_poses
from gambol.spacetime.program import Outcome
from gambol.spacetime.rough import RoughMotion
from gambol.spacetime.rough_clip import sketch_from_clip, sketch_to_rig
from gambol.spacetime.sketch import Sketch, SupportSpec, parse_sketch, read_sketch
from gambol.spacetime.supports import ground_heights
from gambol.spacetime.synthesis import (
    MomentumForm,
    SketchPlan,
    SketchWeights,
    TransitionForm,
    VelocityForm,
    plan_sketch,
    synthesise,
)
from gambol.spacetime.transitions import Example, find_examples
from gambol.terms.space import Term, check_terms


@dataclass(frozen=True, eq=False)
class SolvedSketch:
    """The plan of a sketch and its solution."""

    plan: SketchPlan
    outcome: Outcome

    @cached_property
    def verdict(self) -> FrameErrors:
        """How physical the motion is at its frames."""
        return evaluate_frames(self.outcome.character, self.outcome.motion, self.plan.constraints)

    @cached_property
    def between(self) -> BetweenErrors:
        """How physical the motion is between its frames."""
        ground = ground_heights(self.plan.spans)
        return evaluate_between(self.outcome.character, self.outcome.motion, self.plan.constraints, ground)

    @property
    def examples(self) -> list[Example]:
        """The motion's flights, for a database of poses."""
        motion, items = self.outcome.motion, []
        for contact in self.plan.constraints:
            where = contact.places.mean(axis=0)
            items.append(replace(contact, points=contact.points[:1], places=where))
        contacts = Contacts(tuple(items), len(motion), motion.frame_time)
        return find_examples(self.outcome.character, motion, contacts, self.plan.stages, motion.name)

    @property
    def summary(self) -> str:
        """One line: supports, frames, iterations and seconds."""
        solution = self.outcome.solution
        supports = ", ".join(f"{_describe(span.spec)} to {span.spec.until:.2f} s" for span in self.plan.spans)
        seconds = sum(solution.seconds.values())
        return f"{supports}: {len(self.outcome.motion)} frames in {solution.iterations} iterations, {seconds:.1f} s"

    @property
    def notes(self) -> list[str]:
        """Messages for the user."""
        residual = [describe_residual(self.outcome)] if "residual force" in self.outcome.marks else []
        return residual + find_doubts(self.verdict)


def _describe(spec: SupportSpec) -> str:
    soles = " and ".join(spec.on).replace("left foot and right foot", "both feet") or "air"
    return soles.replace("left hand and right hand", "both hands") + (" sliding" if spec.slide else "")


def solve_sketch(
    sketch: Sketch,
    database: PoseDatabase,
    weights: SketchWeights = SketchWeights(),
    form: MomentumForm = MomentumForm(),
    rough: RoughMotion | None = None,
    *,
    transitions: TransitionForm = "near",
    velocity: VelocityForm = "relative",
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> SolvedSketch:
    """Solve the motion of a sketch, from its keys or from a given rough motion; `terms` are added to its own."""
    made = plan_sketch(sketch, database, rough, transitions)
    return SolvedSketch(made, synthesise(made, weights, form, velocity=velocity, terms=terms, progress=progress))


@dataclass(frozen=True, eq=False, kw_only=True)
class SketchResult(Result):
    """A motion made from a sketch."""

    sketched: SolvedSketch
    rough: Motion
    """The rough motion, before physics."""


def sketch(
    source: Sketch | Mapping[str, Any] | Source,
    *,
    fps: float | None = None,
    soft: bool = False,
    printed: bool = False,
    transitions: TransitionForm = "near",
    velocity: VelocityForm = "relative",
    poses: PoseDatabase | None = None,
    terms: Sequence[Term] = (),
    progress: Progress = silent,
) -> SketchResult:
    """Make a motion from a sketch: a YAML file, a mapping, the name of a built-in sketch, or a rough clip.

    `fps` (frames per second) replaces that of the sketch; a clip keeps its own. `soft` allows residual force, at a
    cost, where contacts cannot give the force needed; `printed` prescribes the thesis's momentum curve instead of
    contact forces. `transitions` makes suggested take-off and landing poses costs ("near") or constraints ("exact", as
    printed); `velocity` is minimised relative to the rough motion ("relative") or as printed ("plain"). `poses` are
    examples of take-offs and landings (default: gambol's and the user's). `terms` of your own are added to the problem.
    A sketch without a solution raises an
    InputError that says why.

    >>> sketched = gb.sketch("broad_jump")  # doctest: +SKIP
    >>> sketched.save("broad_jump.bvh")  # doctest: +SKIP
    """
    if soft and printed:
        raise InputError("the printed form has no contact forces", fix="choose soft or printed")
    given, rough, fitted = _read(source, fps)

    form, database = MomentumForm(printed, SOFT_WEIGHT if soft else None), open_poses() if poses is None else poses
    found = solve_sketch(
        given,
        database,
        form=form,
        rough=rough,
        transitions=transitions,
        velocity=velocity,
        terms=check_terms(terms),
        progress=progress,
    )
    if not found.outcome.solution.converged:
        why, possible = find_obstacle(found.plan, terms=terms, progress=progress)
        fix = "allow residual force with --soft, or change the sketch" if possible else "change the sketch"
        raise InputError(f"no motion satisfies this sketch: {why}", file=given.name, fix=fix)
    motion = as_clip(found.outcome.motion) if fitted is None else sketch_to_rig(fitted, found.outcome.motion.q)
    return SketchResult(
        motions=as_ensemble(replace(motion, made={**motion.made, "verb": "sketch", "sketch": given.name})),
        figures={"iterations": found.outcome.solution.iterations, "power_w_per_kg": found.verdict.power},
        notes=tuple(found.notes),
        sketched=found,
        rough=as_clip(found.plan.rough.motion),
    )


def _read(
    source: Sketch | Mapping[str, Any] | Source, fps: float | None
) -> tuple[Sketch, RoughMotion | None, Fit | None]:
    """Read the sketch; for a rough clip also its rough motion and the fit to its rig."""
    if isinstance(source, Sketch):
        found = source
    elif isinstance(source, Mapping):
        found = parse_sketch(source, "sketch")
    elif isinstance(source, Motion) or Path(source).suffix.lower() in (*MOTION_EXTENSIONS, *find_formats()):
        if fps is not None:
            raise InputError("the frame rate of a clip cannot be changed", fix="leave 'fps' out")
        return sketch_from_clip(as_motion(source))
    else:
        found = read_sketch(sketches.find(source))
    return (found if fps is None else replace(found, fps=fps)), None, None
