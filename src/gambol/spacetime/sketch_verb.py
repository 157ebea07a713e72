"""`sketch`: a few rough keyframes become a motion with crouch, swing, flight and landing (L05 ch. 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from gambol.clips.result import Result
from gambol.errors import InputError
from gambol.fit.load import Source, as_motion
from gambol.fit.rig import Fit, as_clip
from gambol.io.formats import MOTION_EXTENSIONS
from gambol.motion.contacts import Contact, Contacts
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.solve.ipopt import OnIteration as Iterated
from gambol.spacetime import sketches
from gambol.spacetime.evaluate import FrameErrors, BetweenErrors, evaluate_frames, evaluate_between
from gambol.spacetime.poses import PoseDatabase, open_poses
from gambol.spacetime.program import Outcome
from gambol.spacetime.rough import RoughMotion
from gambol.spacetime.rough_clip import sketch_from_clip, sketch_to_rig
from gambol.spacetime.sketch import SupportSpec, Sketch, read_sketch, parse_sketch
from gambol.spacetime.supports import ground_heights
from gambol.spacetime.synthesis import MomentumForm, SketchPlan, SketchWeights, plan_sketch, synthesise
from gambol.spacetime.transitions import Example, find_examples
from gambol.spacetime.obstacles import SOFT_WEIGHT, find_doubts, describe_residual, find_obstacle


@dataclass(frozen=True, eq=False)
class SolvedSketch:
    """What was asked, and what came."""

    plan: SketchPlan
    outcome: Outcome

    @cached_property
    def verdict(self) -> FrameErrors:
        """How physical it is at its frames."""
        return evaluate_frames(self.outcome.character, self.outcome.motion, self.plan.constraints)

    @cached_property
    def between(self) -> BetweenErrors:
        """How physical it is between them."""
        ground = ground_heights(self.plan.spans)
        return evaluate_between(self.outcome.character, self.outcome.motion, self.plan.constraints, ground)

    @property
    def examples(self) -> list[Example]:
        """Its flights, for a database of poses."""
        motion, items = self.outcome.motion, []
        for contact in self.plan.constraints:
            where = contact.places.mean(axis=0)
            items.append(Contact(contact.body, "point", contact.points[:1], where, contact.first, contact.last))
        contacts = Contacts(tuple(items), len(motion), motion.frame_time)
        return find_examples(self.outcome.character, motion, contacts, self.plan.stages, motion.name)

    @property
    def story(self) -> str:
        """What carries when, and how the solver fared, in a line."""
        solution = self.outcome.solution
        told = ", ".join(f"{_carried(span.carried)} to {span.carried.until:.2f} s" for span in self.plan.spans)
        seconds = sum(solution.seconds.values())
        return f"{told}: {len(self.outcome.motion)} frames in {solution.iterations} iterations, {seconds:.1f} s"

    @property
    def notes(self) -> list[str]:
        """What a person should know."""
        softened = [describe_residual(self.outcome)] if "residual force" in self.outcome.marks else []
        return softened + find_doubts(self.verdict)


def _carried(carried: SupportSpec) -> str:
    soles = " and ".join(carried.on).replace("left foot and right foot", "both feet") or "air"
    return soles.replace("left hand and right hand", "both hands") + (" sliding" if carried.slide else "")


def solve_sketch(
    sketch: Sketch,
    database: PoseDatabase,
    weights: SketchWeights = SketchWeights(),
    form: MomentumForm = MomentumForm(),
    rough: RoughMotion | None = None,
    *,
    progress: Iterated | None = None,
    tell: Callable[[str], None] | None = None,
) -> SolvedSketch:
    """Make the motion that a sketch asks for, by its keys or by a rough motion that is given."""
    made = plan_sketch(sketch, database, rough)
    return SolvedSketch(made, synthesise(made, weights, form, progress=progress, tell=tell))


@dataclass(frozen=True, eq=False, kw_only=True)
class SketchResult(Result):
    """A motion made from a sketch."""

    sketched: SolvedSketch
    rough: Motion
    """The sketched motion before physics."""


def sketch(
    source: Sketch | Mapping[str, Any] | Source,
    *,
    rate: float | None = None,
    soft: bool = False,
    printed: bool = False,
    poses: PoseDatabase | None = None,
    progress: Progress = silent,
) -> SketchResult:
    """Make a motion from a sketch: a YAML file, the same as a mapping, the name of one of gambol's, or a rough clip.

    `rate` (frames per second) replaces the sketch's own; a clip keeps its rate. `soft` allows force from nowhere, at a
    price, where contacts cannot give what is needed; `printed` shapes momentum by the thesis's curve instead of contact
    forces. `poses` are examples of take-offs and landings (default: gambol's and the user's). A sketch that has no
    solution raises an InputError that says what is in the way.
    """
    if soft and printed:
        raise InputError("the printed form has no contact forces that could be soft", fix="choose soft or printed")
    wanted, rough, fitted = _read(source, rate)

    def iterated(iteration: int, cost: float, violation: float) -> None:
        progress(f"solving (cost {cost:.3g}, residual {violation:.1e}): iteration", iteration, None)

    form, database = MomentumForm(printed, SOFT_WEIGHT if soft else None), open_poses() if poses is None else poses
    found = solve_sketch(
        wanted, database, form=form, rough=rough, progress=iterated, tell=lambda text: progress(text, 0, None)
    )
    if not found.outcome.solution.converged:
        why, possible = find_obstacle(found.plan, progress=iterated)
        fix = "take the nearest with --soft, or change the sketch" if possible else "change the sketch"
        raise InputError(f"no motion satisfies this sketch: {why}", file=wanted.name, fix=fix)
    motion = as_clip(found.outcome.motion) if fitted is None else sketch_to_rig(fitted, found.outcome.motion.q)
    return SketchResult(
        motions=as_ensemble(replace(motion, made={**motion.made, "verb": "sketch", "sketch": wanted.name})),
        figures={"iterations": found.outcome.solution.iterations, "power_w_per_kg": found.verdict.power},
        notes=tuple(found.notes),
        sketched=found,
        rough=as_clip(found.plan.rough.motion),
    )


def _read(source: Sketch | Mapping[str, Any] | Source, rate: float | None) -> tuple[Sketch, RoughMotion | None, Fit | None]:
    """The sketch; and, of a rough clip, its motion and the fit that leads back to its rig."""
    if isinstance(source, Sketch):
        found = source
    elif isinstance(source, Mapping):
        found = parse_sketch(source, "sketch")
    elif isinstance(source, Motion) or Path(source).suffix.lower() in MOTION_EXTENSIONS:
        if rate is not None:
            raise InputError("a clip keeps its own rate", fix="leave the rate out")
        return sketch_from_clip(as_motion(source))
    else:
        found = read_sketch(sketches.find(source))
    return (found if rate is None else replace(found, rate=rate)), None, None
