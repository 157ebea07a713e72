"""Edited trials and models of them, made once for all measurements. Seeds were frozen before the first run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from gambol.interaction.model import InteractionModel, learn_interaction_model
from gambol.interaction.trials import Trial
from gambol_evidence.reproduce.interaction.edited_trials import GRID, SHIFTED, EditedTrial, make_edited_trials
from gambol_evidence.reproduce.interaction.real_pairs import HIGH_FIVE, load_pair

HELD_OUT = ((4,), (1, 7), (3, 5), (0, 8), (2, 6))
"""Cells of the grid that are not learned from, for each of five seeds: every one once."""
_LEARNED, _TESTED = 101, 201
"""First seeds of trials to learn from, and of trials to test on."""


@dataclass(frozen=True, eq=False)
class MeetingSeed:
    """Trials of one seed, and the model learned from them."""

    learned: list[EditedTrial]
    tested: list[EditedTrial]
    """Fresh trials at contact points that were not shown."""
    shifted: list[EditedTrial]
    """The same, of the shifted generator."""

    @cached_property
    def model(self) -> InteractionModel:
        """Learned from the trials to learn from."""
        return learn_interaction_model([one.trial for one in self.learned])


@dataclass(frozen=True, eq=False)
class MeetingTrials:
    """All trials, from the folder of recordings."""

    data: Path
    seeds: int = len(HELD_OUT)

    @cached_property
    def pair(self) -> Trial:
        """The recorded high five."""
        return load_pair(self.data, HIGH_FIVE)

    @cached_property
    def standing(self) -> list[MeetingSeed]:
        """Trials of standing people."""
        return [self._make(seed, walking=False) for seed in range(self.seeds)]

    @cached_property
    def walking(self) -> list[MeetingSeed]:
        """Trials of walking people."""
        return [self._make(seed, walking=True) for seed in range(self.seeds)]

    def _make(self, seed: int, *, walking: bool) -> MeetingSeed:
        held = HELD_OUT[seed]
        make = partial(make_edited_trials, self.pair, walking=walking)
        return MeetingSeed(
            make(_LEARNED + seed, cells=set(range(len(GRID))) - set(held)),
            make(_TESTED + seed, cells=held, repetitions=2),
            make(_TESTED + seed, cells=held, repetitions=1, spread=SHIFTED),
        )
