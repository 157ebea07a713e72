"""Claims beside other methods: the printed hierarchy, regression on hand samples, nearest neighbours, and replay.

All learn from the same trials and are tested on the same ones, at contact points that were not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gambol.interaction.partner import Partner
from gambol.interaction.rows import find_person_rows
from gambol.interaction.trials import Trial
from gambol.metrics.figures import Band
from gambol_evidence.printed.hierarchy_learning import learn_hierarchy
from gambol_evidence.printed.hierarchy_partner import HierarchyPartner
from gambol_evidence.reproduce.claims import OUR_BAR, Claim
from gambol_evidence.reproduce.interaction.baselines import Reaction, learn_neighbours, learn_regression, learn_replay
from gambol_evidence.reproduce.interaction.meeting_trials import MeetingSeed, MeetingTrials
from gambol_evidence.reproduce.interaction.reactions import UNDISTURBED, ReactivePartner, measure_reaction

_METHODS: dict[str, tuple[str, Callable[[Sequence[Trial]], Reaction]]] = {
    "regression": ("Gaussian process regression from two hand samples", learn_regression),
    "neighbours": ("nearest neighbours of hand samples", learn_neighbours),
    "replay": ("replay of the mean trial", learn_replay),
}


def measure_comparisons(trials: MeetingTrials) -> Iterator[Claim]:
    """Yield the distance of hands of every method, and that of ours relative to it."""
    for name, seeds in (("standing", trials.standing), ("walking", trials.walking)):
        data = f"edited 20_11 and 21_11, {name}, {len(seeds)} seeds"
        ours = np.mean([error for seed in seeds for error in _react(seed, Partner(seed.model))])
        for method, (words, learn) in _METHODS.items():
            theirs = np.mean([error for seed in seeds for error in _regress(seed, learn)])
            yield Claim(
                f"{method}-{name}", OUR_BAR, f"distance of hands at the contact, relative to {words}",
                float(ours / theirs), "times", f"{data}; {100.0 * ours:.1f} and {100.0 * theirs:.1f} cm",
                Band(high=1.0),
            )  # fmt: skip
    seed = trials.standing[0]  # the hierarchies take minutes
    for dimensions in (2, 4):
        hierarchy = learn_hierarchy(
            [one.trial for one in seed.learned],
            dimensions=dimensions,
            interaction_dimensions=max(dimensions, 3),
            printed=dimensions == 2,
        )
        for exact in (False, True):
            theirs = np.mean(_react(seed, HierarchyPartner(hierarchy, exact)))
            path = "exact inference" if exact else "direct mapping"
            yield Claim(
                f"hierarchy-{dimensions}-{'exact' if exact else 'direct'}", "M17 §4.2, 4.3",
                f"a hierarchy of {dimensions} latents per person reacts: distance of hands at the contact, {path}",
                100.0 * float(theirs), "cm", "edited 20_11 and 21_11, standing, first seed", Band(high=2.5),
            )  # fmt: skip


def _react(seed: MeetingSeed, partner: ReactivePartner) -> list[float]:
    random, arm = np.random.default_rng(0), seed.model.people[0].arm
    return [
        measure_reaction(partner, arm, one.trial, UNDISTURBED, random, rests=not one.walking).before
        for one in seed.tested
    ]


def _regress(seed: MeetingSeed, learn: Callable[[Sequence[Trial]], Reaction]) -> list[float]:
    """Return the distances of hands at the contact (m) of a method that tells rows from a path."""
    learned = [one.trial for one in seed.learned]
    answer, person = learn(learned), find_person_rows(learned, 0)
    found = []
    for one in seed.tested:
        trial = one.trial
        row = answer(trial.paths[1], trial.style)[trial.contact : trial.contact + 1]
        found.append(float(np.linalg.norm(person.arm.locate(person.decode(row))[0] - trial.paths[1][trial.contact])))
    return found
