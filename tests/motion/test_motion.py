"""Parts of motions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gambol.io import samples


def test_a_part_has_the_places_of_the_whole() -> None:
    walk = samples.walk()
    alone = replace(walk)[10:60:2].placement
    _ = walk.placement
    for one, other in zip(walk[10:60:2].placement, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
