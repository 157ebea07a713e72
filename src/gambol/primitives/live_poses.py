"""Pose many walkers by the learned model: an oscillator, regressions and mixture for each (M17 sections 2.3, 2.4).

The alternative to tables of strides (`bodies`). The oscillator of a walker drives all its sources; away from its limit
cycle, as while a crowd synchronises, its radius counts too. Contacts and sway by phase are tables in both.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gambol.errors import InputError
from gambol.geometry.arrays import Array
from gambol.primitives.bodies import BlendedPoses, PoseBlender
from gambol.primitives.learning import learn_from_prototypes
from gambol.primitives.model import Primitives
from gambol.primitives.oscillator import states_on_cycle
from gambol.primitives.prototypes import Prototypes

_BLOCK = 64
"""Walkers that are evaluated together: about 10 MB of kernel values."""


@dataclass(frozen=True, eq=False)
class LivePoses(PoseBlender):
    """Poses walkers by evaluating a model; its styles are the prototypes."""

    model: Primitives

    def __post_init__(self) -> None:
        if self.model.styles != self.prototypes.names or self.model.once:
            raise InputError(
                f"the model has the styles {', '.join(self.model.styles)}, and the scene needs strides of "
                f"{', '.join(self.prototypes.names)}",
                fix="learn it from these prototypes",
            )

    def blend(self, phases: Array, blend: Array, radii: Array | None = None) -> BlendedPoses:
        """Evaluate the model at phases (n,) and oscillator radii (n,) with shares `blend` (n, prototypes)."""
        rows, states = super().blend(phases, blend), states_on_cycle(phases)
        if radii is not None:
            states = radii[:, None] * states
        blocks = [slice(first, first + _BLOCK) for first in range(0, len(blend), _BLOCK)]
        channels = np.concatenate([self.model.evaluate_walkers(states[block], blend[block]) for block in blocks])
        return rows._replace(rotations=self.layout.rotations(channels), root=channels[:, -4:])


def make_live_poses(prototypes: Prototypes, model: Primitives | None = None) -> LivePoses:
    """Return poses by `model` if its styles are the prototypes, else by a model that is learned from them."""
    if model is not None and set(prototypes.names) <= set(model.styles):
        chosen = [model.styles.index(name) for name in prototypes.names]
        parts = {name: getattr(model, name)[chosen] for name in _BY_STYLE}
        counts = tuple(model.counts[n] for n in chosen)
        return LivePoses(prototypes, replace(model, styles=prototypes.names, counts=counts, **parts))
    return LivePoses(prototypes, learn_from_prototypes(prototypes))


_BY_STYLE = ("means", "ramps", "weights", "delays", "contacts", "periods")
"""Arrays of a model with one row per style."""
