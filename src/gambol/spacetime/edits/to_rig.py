"""Return an edited clip to its own rig and frame rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from gambol.contacts.contact import Contact
from gambol.fit.rig import Fit
from gambol.fit.rig_mapping import map_to_rig
from gambol.geometry.arrays import Array
from gambol.legs.rig_feet import lift_toes, plant_feet
from gambol.motion.motion import Motion
from gambol.spacetime.edits.draft import Draft
from gambol.spacetime.resampling import sample_curves, sample_fit


def return_to_rig(draft: Draft, q: Array) -> Motion:
    """Map a motion (frames, dofs) solved for a draft to the rig of the clip."""
    fitted, times = _sample_clip(draft)
    step = draft.clip.frame_time
    played = map_to_rig(replace(fitted, character=draft.character), sample_curves(draft.reference, q, times))
    contacts = _resample_contacts(draft.contacts.items, draft.reference.frame_time / step, len(played))
    return lift_toes(plant_feet(played, contacts), fitted.source, contacts, draft.contacts.floor)


def show_original(draft: Draft) -> Motion:
    """Return the clip of a draft with the timing of the draft."""
    return _sample_clip(draft)[0].source


def _sample_clip(draft: Draft) -> tuple[Fit, Array]:
    """Return the clip at the frames of the result on its rig, and their times (s)."""
    fitted, step = draft.clip.fitted, draft.clip.frame_time
    times = step * np.arange(int(draft.time_map.times[-1] / step + 1e-6) + 1)
    return fitted if draft.time_map.is_recorded else sample_fit(fitted, draft.time_map.to_source(times), step), times


def _resample_contacts(contacts: Sequence[Contact], ratio: float, frames: int) -> list[Contact]:
    """Convert contacts to another frame rate, with so many frames; `ratio` is the new rate over the solved one."""
    spans = ((one, ceil(one.first * ratio - 1e-6), min(int(one.last * ratio + 1e-6), frames - 1)) for one in contacts)
    return [replace(one, first=first, last=last) for one, first, last in spans if first <= last]
