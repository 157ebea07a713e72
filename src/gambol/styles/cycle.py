"""One stride in a style that is followed by itself without a seam (L05 section 2.2.2).

The best cycle of a clip is closed and repeated; footprints of its second round repeat at both ends of the window that
is solved, and the last two poses of the window are the first two, moved ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gambol.contacts.contact import Contact
from gambol.contacts.timeline import Contacts
from gambol.contacts.views import add_ground
from gambol.geometry.arrays import Array
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.edits.to_rig import return_to_rig
from gambol.spacetime.edits.verb import cut_clip, prepare_clip
from gambol.styles.scene import STYLE_FPS, StyleScene
from gambol.styles.task import StyleTask, change_ground, draft_steps, make_task_scene, sink_feet

_ROUNDS = 3
_OVERLAP = 2
"""Poses of the window that are the first ones again."""


class DraftedCycle(NamedTuple):
    """Rounds of a cycle, before physics."""

    task: StyleTask
    draft: Draft
    """On the ground of the clip."""
    frames: int
    """Of one round."""
    clip_frames: int
    """Of one round, at the frame rate of the clip."""

    @property
    def travel(self) -> Array:
        """(dofs,) change of coordinates in a round: the root moves along the ground."""
        reference, skeleton = self.draft.reference, self.draft.character.skeleton
        ahead = reference.placement.positions[2 * self.frames, 0] - reference.placement.positions[self.frames, 0]
        slides, travel = skeleton.columns(0, "slide"), np.zeros(len(skeleton.dofs))
        travel[slides] = [skeleton.dofs[column].axis @ (ahead * [1.0, 1.0, 0.0]) for column in slides]
        return travel

    def make_scene(self) -> StyleScene:
        """Return the second round, which ends as it starts."""
        window = slice(self.frames, 2 * self.frames + _OVERLAP)
        reference = replace(self.draft.reference, q=self.draft.reference.q[window])
        draft = self._repeat_contacts(reference, self.frames)
        return replace(make_task_scene(draft, self.task), travel=self.travel)

    def return_to_rig(self, q: Array) -> Motion:
        """Map the solved window (frames, dofs) to one round on the rig of the clip."""
        rounds, rest = np.divmod(np.arange(len(self.draft.reference)) - self.frames, self.frames)
        whole = self._repeat_contacts(self.draft.reference, 0)
        played = return_to_rig(sink_feet(whole, self.task), q[rest] + rounds[:, None] * self.travel)
        return close_cycle(played, slice(self.clip_frames, 2 * self.clip_frames))

    def _repeat_contacts(self, reference: Motion, start: int) -> Draft:
        """Return the draft of some poses, from a frame on, with the contacts of the second round again and again."""
        draft, contacts = self.draft, tuple(self._repeat(len(reference), start))
        given, step = draft.contacts, reference.frame_time
        repeated = Contacts(contacts, len(reference), step, given.floor, points=given.points)
        return change_ground(replace(draft, reference=reference, contacts=add_ground(repeated, reference)), self.task)

    def _repeat(self, frames: int, start: int) -> Iterator[Contact]:
        skeleton = self.draft.character.skeleton
        slides = skeleton.columns(0, "slide")
        ahead = self.travel[slides] @ np.array([skeleton.dofs[column].axis for column in slides])
        for contact in self.draft.contacts.items:
            if not self.frames <= contact.first < 2 * self.frames:
                continue
            for number in range(-_ROUNDS, _ROUNDS + 1):
                shift = number * self.frames - start
                first, last = max(contact.first + shift, 0), min(contact.last + shift, frames - 1)
                if first <= last:
                    yield replace(contact, first=first, last=last, places=contact.places + number * ahead)


def draft_cycle(clip: Motion, task: StyleTask, mass: float | None) -> tuple[DraftedCycle, tuple[str, ...]]:
    """Return the best cycle of a clip, or of a task's part of it, with steps where the task wants them; and notes."""
    part = cut_clip(clip, task.start, task.end)
    closed = close_cycle(part, find_cycle(part))
    editable, notes = prepare_clip(repeat_cycle(closed, _ROUNDS), mass=mass)
    period = len(closed) * editable.frame_time
    frames = round(period * STYLE_FPS)
    return DraftedCycle(task, draft_steps(editable, task, frames / period), frames, len(closed)), notes
