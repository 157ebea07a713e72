"""A sketch, the motion made of it, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from gambol.motion.contacts import Contact, Contacts
from gambol.solve.ipopt import Progress
from gambol.spacetime.judge import AtFrames, Between, judge, judge_between
from gambol.spacetime.poses import Poses
from gambol.spacetime.program import Outcome
from gambol.spacetime.rough import Rough
from gambol.spacetime.sketch import Carried, Sketch
from gambol.spacetime.supports import ground_heights
from gambol.spacetime.synthesis import Form, Plan, Weights, plan, synthesise
from gambol.spacetime.transitions import Example, examples_in
from gambol.spacetime.trouble import doubts, helped


@dataclass(frozen=True, eq=False)
class Sketched:
    """What was asked, and what came."""

    plan: Plan
    outcome: Outcome

    @cached_property
    def verdict(self) -> AtFrames:
        """How physical it is at its frames."""
        return judge(self.outcome.character, self.outcome.motion, self.plan.holds)

    @cached_property
    def between(self) -> Between:
        """How physical it is between them."""
        ground = ground_heights(self.plan.spans)
        return judge_between(self.outcome.character, self.outcome.motion, self.plan.holds, ground)

    @property
    def examples(self) -> list[Example]:
        """Its flights, for a database of poses."""
        motion, items = self.outcome.motion, []
        for hold in self.plan.holds:
            where = hold.places.mean(axis=0)
            items.append(Contact(hold.body, "point", hold.points[:1], where, hold.first, hold.last))
        contacts = Contacts(tuple(items), len(motion), motion.frame_time)
        return examples_in(self.outcome.character, motion, contacts, self.plan.stages, motion.name)

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
        softened = [helped(self.outcome)] if "help force" in self.outcome.marks else []
        return softened + doubts(self.verdict)


def _carried(carried: Carried) -> str:
    soles = " and ".join(carried.on).replace("left foot and right foot", "both feet") or "air"
    return soles.replace("left hand and right hand", "both hands") + (" sliding" if carried.slide else "")


def realise(
    sketch: Sketch,
    database: Poses,
    weights: Weights = Weights(),
    form: Form = Form(),
    rough: Rough | None = None,
    *,
    progress: Progress | None = None,
    tell: Callable[[str], None] | None = None,
) -> Sketched:
    """Make the motion that a sketch asks for, by its keys or by a rough motion that is given."""
    made = plan(sketch, database, rough)
    return Sketched(made, synthesise(made, weights, form, progress=progress, tell=tell))
