"""The figure that shows a skeleton: one rounded ellipsoid a segment, rigid in its joint's frame.

Every picture (strip, browser, glTF, USD) is drawn from these segments, so that they all agree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gambol.geometry.quaternions import Array


class Segments(NamedTuple):
    """Ellipsoids fixed to joints."""

    joints: NDArray[np.intp]
    """(segments,) the joint each is fixed to."""
    centers: Array
    """(segments, 3) metres, in the joint's frame."""
    rotations: Array
    """(segments, 4) orientation in the joint's frame."""
    radii: Array
    """(segments, 3) half axes in metres; z is the long one, along the bone."""


class Mesh(NamedTuple):
    """Triangles fixed to joints."""

    vertices: Array
    """(vertices, 3) metres, in the frame of each vertex's joint."""
    normals: Array
    """(vertices, 3)."""
    faces: NDArray[np.uint32]
    """(triangles, 3), counter-clockwise seen from outside."""
    joints: NDArray[np.intp]
    """(vertices,)."""
