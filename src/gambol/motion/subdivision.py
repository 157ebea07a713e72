"""Smooth a coarse mesh of quadrilaterals: the subdivision of Catmull and Clark (1978)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Quads = NDArray[np.intp]
"""(quadrilaterals, 4) vertices, counter-clockwise seen from outside."""


def subdivide(quads: Quads, count: int) -> tuple[csr_array, Quads]:
    """Return one step of subdivision of a closed mesh with `count` vertices, and its quadrilaterals, four for each.

    The step is a matrix (new vertices, vertices) of shares that add up to 1: it applies to positions, and to whatever
    else vertices have.
    """
    from scipy.sparse import coo_array, diags_array, vstack

    faces = len(quads)
    after = np.roll(quads, -1, axis=1)
    keys, owner = np.unique(np.minimum(quads, after) * count + np.maximum(quads, after), return_inverse=True)
    edges, owner = np.stack(np.divmod(keys, count), axis=1), owner.reshape(quads.shape)

    def spread(rows: NDArray[np.intp], columns: NDArray[np.intp], shape: tuple[int, int]) -> csr_array:
        return coo_array((np.ones(rows.size), (rows.ravel(), columns.ravel())), shape=shape).tocsr()

    number = np.repeat(np.arange(faces), 4).reshape(quads.shape)
    middles = 0.25 * spread(number, quads, (faces, count))
    halves = 0.5 * spread(np.repeat(np.arange(len(edges)), 2), edges, (len(edges), count))
    between = 0.5 * halves + 0.25 * spread(owner, number, (len(edges), faces)) @ middles
    valence = np.bincount(quads.ravel(), minlength=count)
    around = diags_array(1.0 / valence)
    of_faces = around @ spread(quads, number, (count, faces)) @ middles
    of_edges = around @ spread(edges, np.repeat(np.arange(len(edges)), 2).reshape(-1, 2), (count, len(edges))) @ halves
    kept = diags_array((valence - 3.0) / valence)
    moved = around @ (of_faces + 2.0 * of_edges) + kept
    step = vstack((moved, middles, between)).tocsr()
    side = count + faces + owner
    corners = np.stack((quads, side, count + number, np.roll(side, 1, axis=1)), axis=-1)
    return step, corners.reshape(-1, 4)
