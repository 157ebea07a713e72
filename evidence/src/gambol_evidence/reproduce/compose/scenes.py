"""Claims about the built-in scenes: what must be true is true."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gambol.body.dynamics import Dynamics
from gambol.composition import library
from gambol.composition.blocks import track_part
from gambol.composition.conditions import Avoid, Meet, Reach, Tackle
from gambol.composition.verb import ComposeResult, compose
from gambol.metrics.figures import Band
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.compose.measures import measure_scene


def measure_scenes() -> Iterator[Claim]:
    """Yield the claims about every built-in scene."""
    for name in library.names():
        yield from _measure(name, compose(name))


def _measure(name: str, result: ComposeResult) -> Iterator[Claim]:
    data, cast, take = f"scene {name}", result.cast, result.take
    solved = [row for row in result.rows if row.converged]
    yield Claim(
        f"{name}-solved", OUR_BAR, "blocks without a solution", float(len(result.rows) - len(solved)), "1", data,
        Band(high=0.0), motion=result.motions,
    )  # fmt: skip
    found = measure_scene(result)
    rows = [("slip", "largest distance of a foot of the rig from where it stands", found.slip_mm, "mm", 1.0)]
    if found.gap_mm:
        rows.append(("hands", "largest distance between hands that hold each other", found.gap_mm, "mm", 5.0))
    if len(cast.roles) > 1:
        rows.append(("intersection", "depth to which bodies intersect", found.depth_mm, "mm", 10.0))
    if found.imbalance:
        words = "difference of the forces that both need, relative to the largest"
        rows.append(("opposite", words, found.imbalance, "1", 0.01))
    if found.residual:
        words = "force that neither ground, gravity nor others explain, in body weights"
        rows.append(("residual", words, found.residual, "1", 0.01))
    for row, words, figure, unit, most in rows:
        yield Claim(f"{name}-{row}", OUR_BAR, words, figure, unit, data, Band(high=most))
    for condition in cast.conditions:
        if isinstance(condition, Reach):
            frame = round(condition.time / cast.frame_time)
            made = cast.roles[condition.part.person].draft.motion
            place = take.tracks[condition.part.person].q[frame, made.skeleton.columns(0, "slide")][:2]
            away = 1e3 * float(np.linalg.norm(place - np.array(condition.place[:2])))
            words = "distance from the place that was to be reached"
            yield Claim(f"{name}-arrived", OUR_BAR, words, away, "mm", data, Band(high=5.0))
        if isinstance(condition, Avoid):
            yield _measure_margin(name, condition, result)
        if isinstance(condition, Meet) and not any(isinstance(one, Avoid) for one in cast.conditions):
            yield _measure_meeting(name, condition, result)
        meeting = condition.meeting if isinstance(condition, Tackle) else condition
        if isinstance(meeting, Meet) and meeting.speed is not None:
            yield _measure_speed(name, meeting, result)


def _measure_speed(name: str, meeting: Meet, result: ComposeResult) -> Claim:
    """Speed at which the centres of mass of two people approach each other just before they meet."""
    cast, take = result.cast, result.take
    frame = round(meeting.time / cast.frame_time)
    centers = [
        Dynamics(cast.roles[who].draft.character).center_of_mass(take.tracks[who].q[frame - 1 : frame + 1])
        for who in meeting.people
    ]
    apart = np.linalg.norm((centers[1] - centers[0])[:, :2], axis=1)
    speed, asked = float((apart[0] - apart[1]) / take.step_times[frame - 1]), meeting.speed or 0.0
    words = f"approach speed of centres of mass just before they meet, of {asked:g} m/s asked for"
    return Claim(
        f"{name}-speed", "L05 section 6.4.4", words, speed, "m/s", f"scene {name}", Band(low=0.9 * asked)
    )  # fmt: skip


def _measure_margin(name: str, avoidance: Avoid, result: ComposeResult) -> Claim:
    """By how far somebody avoids another: the least distance over the floor, in the times in which it is asked for."""
    first, last = (round(time / result.cast.frame_time) for time in (avoidance.start, avoidance.end))
    one, other = (track_part(result.cast, result.take, part) for part in (avoidance.one, avoidance.other))
    least = float(np.linalg.norm((one - other)[first : last + 1, :2], axis=1).min())
    words = f"distance of {avoidance.one} from {avoidance.other}, least, of {avoidance.distance:g} m asked for"
    row = f"{name}-margin-{avoidance.other.person}"
    return Claim(row, "L05 section 6.4.4", words, least, "m", f"scene {name}", Band(low=0.99 * avoidance.distance))


def _measure_meeting(name: str, meeting: Meet, result: ComposeResult) -> Claim:
    frame = round(meeting.time / result.cast.frame_time)
    one, other = (track_part(result.cast, result.take, part)[frame] for part in (meeting.one, meeting.other))
    away = 1e3 * abs(float(np.linalg.norm(one - other)) - meeting.distance)
    words = f"error of the distance at which {meeting.one} meets {meeting.other}"
    return Claim(f"{name}-met", OUR_BAR, words, away, "mm", f"scene {name}", Band(high=5.0))
