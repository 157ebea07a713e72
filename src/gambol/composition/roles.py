"""Draft what a person does in a scene, before physics: actions one after the other, on one rig (L05 section 6.4).

Steps of a clip are those of its cycle. Clips are joined where they agree best, and blended: the average pose between
them is only where a search begins. Somebody who begins or ends standing does so where a foot passes the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from math import ceil

import numpy as np

from gambol.body.child import make_child_build
from gambol.body.human import make_human
from gambol.body.measure import measure_leg_length
from gambol.clips.retarget import retarget_motion
from gambol.composition.composition import Action, Person
from gambol.composition.standing import begin_standing, end_standing
from gambol.contacts.move import Move
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import list_constraints
from gambol.fit.load import as_motion
from gambol.fit.rig import Fit, as_clip
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import Array
from gambol.legs.planting import counter_ankle_drift, counter_point_drift, replant_feet
from gambol.legs.rig_feet import lift_toes, plant_feet
from gambol.motion.cycles import close_cycle, continue_cycle, find_cycle, repeat_cycle
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import draft_edit
from gambol.spacetime.edits.edit import Change, Edit
from gambol.spacetime.edits.moves import move_coordinates
from gambol.spacetime.edits.parts import EditableClip
from gambol.spacetime.edits.verb import cut_clip, prepare_clip
from gambol.spacetime.grounded import GroundedMotion
from gambol.spacetime.join import join_motions
from gambol.spacetime.resampling import resample_at, sample_curves, sample_fit

_CHILD_MASS = 15.5
"""Kilograms per squared metre of height, of children of about six years."""


@dataclass(frozen=True, eq=False)
class Role:
    """The draft of a person's motion at the frame rate of the scene, and the clip on the rig that it comes from."""

    person: Person
    draft: GroundedMotion
    clip: Fit
    clip_times: Array
    """(frames,) seconds of the clip that the frames of the draft show."""
    seams: tuple[float, ...] = ()
    """Seconds of the clip at which actions end but the last."""
    notes: tuple[str, ...] = ()

    def cut(self, frames: int) -> Role:
        """Return the first frames of the role."""
        times = self.draft.motion.times[:frames]
        return replace(
            self, draft=self.draft.sample(times, self.draft.motion.frame_time), clip_times=self.clip_times[:frames]
        )

    def return_to_rig(self, q: Array, plan: Contacts, frame_times: Array) -> Motion:
        """Map a solved motion (frames, dofs) at times (frames,) in seconds to the rig and frame rate of the clip.

        Splines between the solved frames move feet by millimetres: legs put them back to the places of the plan.
        """
        sampled, frames = self._sample_clip(frame_times)
        step = sampled.motion.frame_time
        curves = replace(self.draft.motion, q=q, frame_time=1.0)
        fine = sample_curves(curves, q, frames)
        placed = plan.show(frames, step)
        fixed = list_constraints(placed)
        feet = [one for one in fixed if one.body.endswith("foot")]
        character = self.draft.character
        fine = replant_feet(character, fine, feet, step)
        fitted = replace(sampled, character=character)
        ankles = counter_ankle_drift(character, fine, map_to_rig(fitted, fine), feet)
        played = plant_feet(map_to_rig(fitted, replant_feet(character, fine, ankles, step)), placed.items)
        ankles = counter_point_drift(played, placed.items, ankles)
        played = plant_feet(map_to_rig(fitted, replant_feet(character, fine, ankles, step)), placed.items)
        return lift_toes(played, sampled.source, placed.items, plan.floor)

    def show_original(self, frame_times: Array) -> Motion:
        """Return the clip with the timing of a solved motion."""
        return self._sample_clip(frame_times)[0].source

    def _sample_clip(self, frame_times: Array) -> tuple[Fit, Array]:
        """Return the clip at the frames of the result on its rig, and which solved frames these show."""
        step = self.clip.motion.frame_time
        times = step * np.arange(int(frame_times[-1] / step + 1e-6) + 1)
        frames = np.interp(times, frame_times, np.arange(len(frame_times)))
        return sample_fit(self.clip, np.interp(frames, np.arange(len(frame_times)), self.clip_times), step), frames


def draft_role(person: Person, fps: float, duration: float | None = None) -> Role:
    """Draft the motion of a person at a frame rate (frames per second)."""
    motion, ends = _chain(person, duration)
    clip, notes = prepare_clip(motion, mass=find_mass(person))
    changes = _find_changes(clip, person.actions, ends)
    draft = draft_edit(clip, Edit(person.name, changes), fps)
    grounded = GroundedMotion(draft.character, draft.reference, draft.contacts)
    times = draft.time_map.to_source(draft.reference.times)
    if times[-1] > clip.fitted.motion.times[-1] + 1e-6:  # beyond the clip, which has no pose there
        grounded, times = grounded.sample(grounded.motion.times[:-1], 1.0 / fps), times[:-1]
    if person.begins_standing:
        grounded, times = begin_standing(grounded, times)
    if person.ends_standing:
        grounded, times = end_standing(grounded, times)
    count = len(times) if duration is None else round(duration * fps) + 1
    if count < len(times) or person.ends_standing:  # somebody who stands in the end goes on standing
        shown = np.minimum(np.arange(count), len(times) - 1)
        grounded, times = grounded.sample(shown / fps, 1.0 / fps), times[shown]
    if any(action.steps for action in person.actions):  # cycles that repeat exactly mislead the estimate
        notes = tuple(note for note in notes if "probably recorded" not in note)
    return Role(person, _place(grounded, person), clip.fitted, times, tuple(ends[:-1]), notes)


def find_mass(person: Person) -> float | None:
    """Return the mass of a person (kg) if it is given, or follows from the height of a child."""
    return _CHILD_MASS * person.height**2 if person.mass is None and person.height is not None else person.mass


def _place(grounded: GroundedMotion, person: Person) -> GroundedMotion:
    """Move a motion to where a person begins, onto a floor at height 0."""
    root = grounded.motion.placement.positions[0, 0]
    ahead = _find_heading(grounded.motion)
    turn = 0.0 if person.heading is None else np.radians(person.heading) - ahead
    floor = grounded.contacts.floor
    spun = Move(turn)
    move = Move(turn, np.append(person.at, -floor.at(root)) - spun(root) * [1.0, 1.0, 0.0])
    motion = replace(grounded.motion, q=move_coordinates(grounded.character, grounded.motion.q, move))
    contacts = [move.contact(one) for one in grounded.contacts.items]
    plan = replace(grounded.contacts, floor=replace(floor, height=0.0, slope=(0.0, 0.0)))
    return replace(grounded, contacts=plan).replan(motion, contacts)


def _find_heading(motion: Motion) -> float:
    """Return where a motion goes at first (rad), or faces if it stays."""
    places = motion.placement.positions[:, 0]
    later = min(len(places) - 1, round(0.5 / motion.frame_time))
    way = (places[later] - places[0])[:2]
    if np.linalg.norm(way) < 0.15:
        hips = [motion.placement.positions[0, motion.skeleton.index(f"{side}_thigh")] for side in ("left", "right")]
        across = hips[0] - hips[1]
        way = np.array([across[1], -across[0]])
    return float(np.arctan2(way[1], way[0]))


def _chain(person: Person, duration: float | None) -> tuple[Motion, list[float]]:
    """Return the clips of a person's actions joined on the rig of the first, and when every action ends (s)."""
    alike = groupby(person.actions, key=lambda one: (one.clip, one.start, one.end, one.pace))
    groups = [list(group) for _, group in alike]
    part = _take(groups[0], person, duration if len(groups) == 1 else None, False, len(groups) > 1)
    motion, ends = part.motion, [float(end) for end in np.cumsum(part.lengths)]
    for number, actions in enumerate(groups[1:], 2):
        before, part = part, _take(actions, person, None, True, number < len(groups))
        onto = part.motion if _share_rig(part.motion, motion) else retarget_motion(part.motion, motion)
        leave = (ends[-1] - before.room, min(ends[-1] + before.room, motion.duration))
        joined = join_motions(motion, onto, leave, (part.begin - part.room, part.begin + part.room))
        motion = joined.motion
        begin = (joined.leave - joined.enter) * motion.frame_time + part.begin
        ends[-1] = joined.leave * motion.frame_time
        ends += [begin + float(total) for total in np.cumsum(part.lengths)]
    return motion, ends


@dataclass(frozen=True, eq=False)
class _ClipPart:
    """Steps of a clip, with room before and after in which it can be joined to others."""

    motion: Motion
    begin: float
    """When the steps begin (s)."""
    lengths: list[float]
    """Seconds of every action."""
    room: float
    """Seconds before and after a seam at which it may be instead."""


def _share_rig(one: Motion, other: Motion) -> bool:
    same = one.skeleton.names == other.skeleton.names
    return same and np.allclose(one.skeleton.offsets[1:], other.skeleton.offsets[1:], atol=1e-3)


def _take(actions: Sequence[Action], person: Person, duration: float | None, follows: bool, goes_on: bool) -> _ClipPart:
    """Return the steps of actions on one clip as one motion."""
    clip = cut_clip(as_motion(actions[0].clip), actions[0].start, actions[0].end)
    if person.height is not None:
        clip = _move_to_child(clip, person.height)
    if actions[0].pace != 1.0:
        clip = _change_pace(clip, actions[0].pace)
    step = clip.frame_time
    delay = 0 if follows else round((person.delay or 0.0) / step)
    count = sum(one.steps or 0 for one in actions)
    if count:
        cycle = find_cycle(clip)
        length = cycle.stop - cycle.start
        before, after = (ceil(0.75 * length) if joined else 0 for joined in (follows, goes_on))
        frames = ceil(0.5 * count * length) + 1 + before + after
        begin = delay % length
        motion = repeat_cycle(close_cycle(clip, cycle), ceil((begin + frames) / length))[begin : begin + frames]
        lengths = [0.5 * (one.steps or 0) * length * step for one in actions]
        return _ClipPart(motion, before * step, lengths, 0.25 * length * step)
    clip = clip[delay:]
    if duration is not None and clip.duration < duration:
        clip = continue_cycle(clip, ceil((duration - clip.duration) / step) + 1)
    room = min(0.3, 0.25 * clip.duration)
    return _ClipPart(clip, room if follows else 0.0, [clip.duration - room * (follows + goes_on)], 0.5 * room)


def _move_to_child(motion: Motion, height: float) -> Motion:
    """Return a motion on the body of a child, slower or faster by the root of its size (Froude)."""
    body = make_human(make_child_build(height), _CHILD_MASS * height**2)
    still = as_clip(Motion(body.skeleton, np.zeros((2, len(body.skeleton.dofs))), motion.frame_time, "child"))
    moved = retarget_motion(motion, still)
    ratio = measure_leg_length(moved) / measure_leg_length(motion)
    return replace(_change_pace(moved, 1.0 / np.sqrt(ratio)), name=f"{motion.name} child")


def _change_pace(motion: Motion, pace: float) -> Motion:
    """Return a motion that is played faster by a factor, at the same frame rate."""
    times = motion.frame_time * np.arange(int((len(motion) - 1) / pace + 1e-6) + 1)
    return resample_at(motion, pace * times)


def _find_changes(clip: EditableClip, actions: Sequence[Action], ends: Sequence[float]) -> tuple[Change, ...]:
    """Return changes of single steps: turns and stride of the action in which each begins."""
    steps = sorted((part for part in clip.parts if part.kind == "step"), key=lambda part: part.first)
    owners = [int(np.searchsorted(ends[:-1], step.first * clip.frame_time, side="right")) for step in steps]
    made = []
    for (_, before), (owner, step) in pairwise(zip(owners, steps, strict=True)):
        action = actions[owner]
        count = max(owners[1:].count(owner), 1)
        if not action.turn and action.stride == 1.0:
            continue
        heading = clip.heading(step)
        way = float((clip.position(step) - clip.position(before))[:2] @ [np.cos(heading), np.sin(heading)])
        turn = action.turn / count
        made.append(
            Change(step.name, forward=(action.stride - 1.0) * way, turn=turn, about=before.name if turn else "")
        )
    return tuple(made)
