"""Claims about two people who were recorded while they touch: linked arms, and one who pulls another.

Both recordings of a pair are in one world. The floors found under them differ by up to 2.6 cm; a composed scene puts
both at height 0, and everything is compared there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from gambol.composition.blocks import BlockProblem, Cast, Take, solve_block, track_part
from gambol.composition.cast import make_cast
from gambol.composition.composition import COMPOSITION_FPS, Action, Composition, Person
from gambol.composition.conditions import HAND_FORCE_COST, BodyPart, Gentle, Hold
from gambol.composition.roles import draft_role
from gambol.composition.verb import compose
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.metrics.figures import Band
from gambol.terms.forces import Grasp, UnknownForce
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.compose.measures import measure_scene
from gambol_evidence.reproduce.recordings import find_cmu_file

_LINKED = (("20_02", "21_02", "right", "left", "04"), ("20_03", "21_03", "left", "right", "05"))
"""Two people with linked arms, the arms, and a walk of the same people side by side without touching (20 and 21)."""
_PULLING = BodyPart("a", "right_hand", 1.0)
_PULLS = (
    ("18_03", "19_03", BodyPart("b", "right_hand", 1.0)),
    ("18_04", "19_04", BodyPart("b", "right_hand", 1.0)),
    ("18_05", "19_05", BodyPart("b", "left_forearm", 0.0)),
    ("18_06", "19_06", BodyPart("b", "right_forearm", 0.0)),
)
"""Somebody who pulls another, who resists, by the hand or by the elbow."""
_FREE = (("20_04", "21_04"), ("20_05", "21_05"))
"""Walks of people whose hands nobody touches."""
_HELD = 0.1
"""Metres between two parts that are taken to hold each other from the time on at which they stay nearer."""
_APART = 0.12
"""Metres by which people with linked arms begin too far from each other."""


@dataclass(frozen=True)
class OutsideForce(Gentle):
    """A force on a part of somebody's body by somebody who is not in the scene."""

    part: BodyPart
    start: float | None = None
    """Seconds."""
    goal_of: str | None = None

    @property
    def people(self) -> tuple[str, ...]:
        """Who is concerned."""
        return (self.part.person,)

    @property
    def span(self) -> tuple[float, float]:
        """From its start to the end."""
        return self.start or 0.0, np.inf

    def may_touch(self, one: BodyPart, other: BodyPart, time: float) -> bool:
        """Return no."""
        return False

    def find_forces(self, block: BlockProblem, person: str) -> Iterable[UnknownForce]:
        """Return one side of a grasp: without the other side, the force is free and the point too."""
        first, last = block.find_frames(self.start, None)
        points, bodies = np.tile(block.find_point(self.part), (2, 1)), (self.part.body, self.part.body)
        (grasp,) = block.share(self, lambda: (Grasp(bodies, points, first, last, HAND_FORCE_COST),))
        return (grasp.side(0),)

    def add(self, block: BlockProblem) -> None:
        """Add nothing: the side of the grasp adds it."""


def measure_linked_arms(data: Path) -> Iterator[Claim]:
    """Yield the claims about linked arms: the worst of two pairs."""
    results, changes, ways, apart, others = [], [], [], [], []
    for *clips, left, right, other in _LINKED:
        one, two = _place(data, *clips)
        cast, _ = make_cast(Composition("recorded", (one, two)))
        hold = find_hold(cast, BodyPart("a", f"{left}_forearm", 0.0), BodyPart("b", f"{right}_forearm", 0.0))
        result = compose(Composition("linked arms", (one, two), (hold,)))
        results.append(result)
        for track, recorded in zip(result.take.tracks.values(), cast.draft().tracks.values(), strict=True):
            changes.append(float(np.degrees(np.sqrt(np.mean((track.q - recorded.q)[:, 6:] ** 2)))))
            walked, way = (float(np.linalg.norm((q[-1] - q[0])[:2])) for q in (track.q, recorded.q))
            ways.append(walked / way)
        truth, offset = _find_spacing(cast.draft()), np.subtract(two.at, one.at)
        x, y = two.at + _APART * offset / np.linalg.norm(offset)
        apart.append(_compare_spacing((one, replace(two, at=(float(x), float(y)))), hold, truth))
        others.append(_compare_spacing(_place(data, f"20_{other}", f"21_{other}"), hold, truth))
    unsolved = sum(not row.converged for result in results for row in result.rows)
    found = [measure_scene(result) for result in results]
    words = f"{', '.join(f'{one} and {two}' for one, two, *_ in _LINKED)}, worst"
    for row, claim, figure, unit, band in (
        ("solved", "blocks without a solution", float(unsolved), "1", Band(high=0.0)),
        ("change", "change of the recorded angles by the physics, root mean square", max(changes), "degrees",
         Band(high=2.0)),
        ("way", "distance walked, relative to the recorded one", min(ways), "1", Band(0.95, 1.05)),
        ("force", "force between the arms, median", max(one.figures["force_n"] for one in results), "N",
         Band(high=60.0)),
        ("slip", "largest distance of a foot of the rig from where it stands", max(one.slip_mm for one in found), "mm",
         Band(high=1.0)),
        ("intersection", "depth to which bodies intersect", max(one.depth_mm for one in found), "mm", Band(high=10.0)),
        ("residual", "force that neither ground, gravity nor others explain, in body weights",
         max(one.residual for one in found), "1", Band(high=0.01)),
        ("apart", "error of the distance between pelves, begun 12 cm too far apart, relative to that without a link",
         max(apart), "1", Band(high=0.5)),
        ("other-walks", "error of the distance between pelves, from walks of the same people without touching, relative"
         " to that without a link", max(others), "1", Band(high=0.5)),
    ):  # fmt: skip
        motion = results[0].motions if row == "change" else None
        yield Claim(f"linked-{row}", OUR_BAR, claim, figure, unit, words, band, motion=motion)


def measure_pulls(data: Path) -> Iterator[Claim]:
    """Yield the claims about pulls: forces found from each recording alone, and in one problem."""
    signs, sizes, ratios, courses, growths = [], [], [], [], []
    for one, two, pulled in _PULLS:
        cast, _ = make_cast(Composition("pull", _place(data, one, two)))
        hold = find_hold(cast, _PULLING, pulled)
        toward = _find_offset(cast.draft())
        toward /= np.linalg.norm(toward, axis=1)[:, None]
        held = slice(round((hold.start or 0.0) / cast.frame_time) + 1, -1)
        alone = [_find_force(cast, OutsideForce(part, hold.start))[held] for part in (hold.one, hold.other)]
        shared = [_find_force(cast, replace(hold, cost=share * HAND_FORCE_COST))[held] for share in (1.0, 0.01)]
        pulls = [np.sum(force[:, :2] * toward[held], axis=1) for force in (alone[0], -alone[1])]
        signs += [float(np.mean(pull > 0.0)) for pull in pulls]
        sizes += [float(np.median(np.linalg.norm(force, axis=1))) for force in alone]
        means = [float(pull.mean()) for pull in pulls]
        ratios.append(min(means) / max(means))
        courses.append(float(np.corrcoef(*pulls)[0, 1]))
        firm, cheap = (float(np.sum(force[:, :2] * toward[held], axis=1).mean()) for force in shared)
        growths.append(cheap / firm)
    free = []
    for cast in (make_cast(Composition("free", _place(data, *clips)))[0] for clips in _FREE):
        forces = [_find_force(cast, OutsideForce(BodyPart(name, "right_hand", 1.0)))[1:-1] for name in cast.roles]
        free += [float(np.median(np.linalg.norm(force, axis=1))) for force in forces]
    words = f"{', '.join(f'{one} and {two}' for one, two, *_ in _PULLS)}, worst"
    walks = ", ".join(name for clips in _FREE for name in clips)
    for row, claim, figure, band, where in (
        ("sign", "share of frames in which the force found from the recording of one person alone is a pull toward the"
         " other", float(np.min(signs)), Band(low=0.75), words),
        ("free", "largest force found at hands that nobody touches, relative to the smallest at those that pull or are"
         " pulled, medians", float(np.max(free) / np.min(sizes)), Band(high=1.0), f"{words}; hands of {walks}"),
        ("agreement", "smaller over larger of the mean forces found from the two recordings alone",
         float(np.min(ratios)), Band(low=0.5), words),
        ("course", "correlation over time of the forces found from the two recordings alone",
         float(np.min(courses)), Band(low=0.5), words),
        ("cost", "mean force in one problem with a hundredth of the cost of force, relative to that with the cost",
         float(np.max(growths)), Band(high=2.0), words),
    ):  # fmt: skip
        yield Claim(f"pull-{row}", OUR_BAR, claim, figure, "1", where, band)


def find_hold(cast: Cast, one: BodyPart, other: BodyPart) -> Hold:
    """Return how two recorded parts hold each other: by the middle between them, as fixed in each body.

    That is its average in the last half of the scene; they hold each other from the time on at which they stay near.
    """
    take, frames = cast.draft(), slice(cast.frames // 2, None)
    middle = 0.5 * (track_part(cast, take, one) + track_part(cast, take, other))[frames]
    made = []
    for part in (one, other):
        placed = cast.roles[part.person].draft.motion.placement
        joint = cast.roles[part.person].draft.motion.skeleton.index(part.body)
        arms = quat.rotate(quat.conjugate(placed.rotations[frames, joint]), middle - placed.positions[frames, joint])
        x, y, z = arms.mean(axis=0)
        made.append(BodyPart(part.person, part.body, 0.0, (float(x), float(y), float(z))))
    gaps = np.linalg.norm(track_part(cast, take, made[0]) - track_part(cast, take, made[1]), axis=1)
    far = np.flatnonzero(gaps > _HELD)
    return Hold(made[0], made[1], start=cast.frame_time * float(far[-1] + 1 if len(far) else 0))


def _place(data: Path, one: str, other: str) -> tuple[Person, Person]:
    """Return two people who begin where their recordings do."""
    made = []
    for name, clip in (("a", one), ("b", other)):
        person = Person(name, (Action(str(find_cmu_file(data, clip))),))
        x, y, _ = draft_role(person, COMPOSITION_FPS).clip.motion.placement.positions[0, 0]
        made.append(replace(person, at=(float(x), float(y))))
    return made[0], made[1]


def _find_offset(take: Take) -> Array:
    """Return where the second person's pelvis is from the first's (frames, 2) in metres."""
    return np.asarray(take.tracks["b"].q[:, :2] - take.tracks["a"].q[:, :2])


def _find_spacing(take: Take) -> float:
    """Return the mean distance between pelves (m) in the last half, after feet could land elsewhere."""
    offset = _find_offset(take)
    return float(np.linalg.norm(offset[len(offset) // 2 :], axis=1).mean())


def _compare_spacing(people: tuple[Person, Person], hold: Hold, truth: float) -> float:
    """Return the error of the distance between people who hold each other, relative to that if they do not."""
    linked, free = (compose(Composition("spacing", people, conditions)) for conditions in ((hold,), ()))
    return abs(_find_spacing(linked.take) - truth) / abs(_find_spacing(free.take) - truth)


def _find_force(cast: Cast, condition: Hold | OutsideForce) -> Array:
    """Return the force of a condition (frames, 3) in N on its first person, with nobody else in the problem.

    It is not a number where the problem is not solved.
    """
    roles = {name: cast.roles[name] for name in condition.people}
    cast = replace(cast, roles=roles, conditions=(condition,))
    found = solve_block(cast, cast.draft(), cast.whole)
    force = found.take.forces[condition][:, 0]
    return force if found.solution.converged else np.full_like(force, np.nan)
