"""`gambol reproduce interaction`: two people who meet (M17 section 4), on edited and on real recordings."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gambol_evidence.reproduce.claims import Claim, measure
from gambol_evidence.reproduce.interaction.comparisons import measure_comparisons
from gambol_evidence.reproduce.interaction.contacts import measure_contacts
from gambol_evidence.reproduce.interaction.cross_recording import measure_cross_recordings
from gambol_evidence.reproduce.interaction.generated import measure_generated
from gambol_evidence.reproduce.interaction.leaving import measure_leaving
from gambol_evidence.reproduce.interaction.likeness import measure_likeness
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingTrials


def run(data: Path) -> Iterator[Claim]:
    """Yield the claims as they are measured."""
    trials = MeetingTrials(data)
    parts = (
        measure_contacts,
        measure_leaving,
        measure_generated,
        measure_likeness,
        measure_comparisons,
        measure_cross_recordings,
    )
    yield from measure(partial(part, trials) for part in parts)
