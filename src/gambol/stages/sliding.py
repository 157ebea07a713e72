"""Find points of a body that slide on a line or on a plane over an interval of frames.

L05 section 3.4.2, equation 3.6: the point x of the body and the line (or plane) minimise the squared distances over an
interval. For a given x the best line and plane follow from the principal axes of its track, so that only x is searched
for, within the body, starting from the best of its given points.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.geometry.vectors import measure_extent
from gambol.stages.solids import Solid

_LEVEL = float(np.sin(np.radians(10.0)))
"""Sine of the steepest slope of a floor to slide on: 10 degrees."""
_TRAVEL = 5.0
"""Least length of a slide, in tolerances: a shorter one is an imprecise fixed point."""
_HOPELESS = 5.0
"""Scatter, in tolerances, at all given points of the body beyond which no point of it can slide."""


def fit_slide(solid: Solid, kind: str, first: int, last: int, tolerance: float, up: Array | None) -> Array | None:
    """Return point, mean place, and direction of the line or normal of the plane (3, 3) of a slide, or None.

    With `up`, a plane is the principal plane that is nearest to level: a swinging foot stays in an upright plane, and
    does not slide.
    """
    spread = solid.spread(first, last)
    starts = [(_axes(spread, point, kind, up)[0], point) for point in solid.points]
    scatter, point = min(starts, key=lambda start: start[0])
    if scatter > (_HOPELESS * tolerance) ** 2:
        return None
    slide = _through(solid, spread, point, kind, up, first, last)
    if _strays(solid, kind, slide, first, last) > tolerance:
        slide = refine_slide(solid, kind, slide, first, last, up)
    return None if _strays(solid, kind, slide, first, last) > tolerance else slide


def refine_slide(solid: Solid, kind: str, slide: Array, first: int, last: int, up: Array | None) -> Array:
    """Return the least-squares solution of equation 3.6 near a slide."""
    from scipy.optimize import minimize

    spread = solid.spread(first, last)
    answer = minimize(
        _squares_and_slope,
        slide[0],
        args=(spread, kind, up),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(solid.low, solid.high, strict=True)),
        options={"maxiter": 15},
    )
    return _through(solid, spread, answer.x, kind, up, first, last)


def slides_far_enough(
    solid: Solid, kind: str, slide: Array, first: int, last: int, tolerance: float, up: Array | None
) -> bool:
    """Return whether a slide is long enough, and level if `up` is given."""
    point, _, direction = slide
    steep = 0.0 if up is None else abs(float(up @ direction))
    level = steep <= _LEVEL if kind == "slide_line" else up is None or steep >= np.sqrt(1.0 - _LEVEL**2)
    track = solid.tracks(point[None], first, last)[:, 0]
    return level and measure_extent(track) >= _TRAVEL * tolerance


def _principal(spread: Array, point: Array, kind: str, up: Array | None) -> tuple[Array, Array, list[int]]:
    """Return variances and principal axes of a point's track, and the axes along which it should not move."""
    homogeneous = np.append(point, 1.0)
    sizes, axes = np.linalg.eigh(np.einsum("iajb,a,b->ij", spread, homogeneous, homogeneous))
    if kind == "slide_line":
        return sizes, axes, [0, 1]
    return sizes, axes, [0 if up is None else int(np.argmax(np.abs(up @ axes)))]


def _squares_and_slope(point: Array, spread: Array, kind: str, up: Array | None) -> tuple[float, Array]:
    """Return the mean squared distance (mm², suited to the optimiser's tolerances) from the best line or plane, and its
    gradient."""
    sizes, axes, across = _principal(spread, point, kind, up)
    turned = np.einsum("ik,jk,iajb,b->a", axes[:, across], axes[:, across], spread, np.append(point, 1.0))
    return 1e6 * float(sizes[across].sum()), 2e6 * turned[:3]


def _axes(spread: Array, point: Array, kind: str, up: Array | None) -> tuple[float, Array]:
    """Return the mean squared distance of a point's track from its best line or plane, and the direction or normal."""
    sizes, axes, across = _principal(spread, point, kind, up)
    return float(sizes[across].sum()), axes[:, 2 if kind == "slide_line" else across[0]]


def _through(solid: Solid, spread: Array, point: Array, kind: str, up: Array | None, first: int, last: int) -> Array:
    """Return the slide (3, 3) of a given point: the point, its mean place, the direction or normal."""
    place = solid.tracks(point[None], first, last)[:, 0].mean(axis=0)
    return np.stack((point, place, _axes(spread, point, kind, up)[1]))


def _strays(solid: Solid, kind: str, slide: Array, first: int, last: int) -> float:
    """Return the largest distance of a slide's point from its line or plane."""
    point, place, direction = slide
    offsets = solid.tracks(point[None], first, last)[:, 0] - place
    along = offsets @ direction
    distance = np.linalg.norm(offsets - along[:, None] * direction, axis=1) if kind == "slide_line" else np.abs(along)
    return float(distance.max())
