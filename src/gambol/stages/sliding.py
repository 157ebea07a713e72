"""Points of a body that slide on a line or on a plane for a while.

L05 section 3.4.2, equation 3.6: the point x of the body and the line (or plane) are the least squares of the distances
over a stretch. For a given x the best line and plane are those of the principal axes of its track, so that only x is
searched for, within the body, from each of its given points.
"""

from __future__ import annotations

import numpy as np

from gambol.geometry.arrays import Array
from gambol.stages.solids import Solid

_LEVEL = float(np.sin(np.radians(10.0)))
"""How steep a floor may be that something slides on."""
_TRAVEL = 5.0
"""Tolerances that a slide must be long: less is a point that does not quite hold."""
_HOPELESS = 5.0
"""Tolerances of scatter at all the body's points beyond which no point between them will slide."""


def fit_slide(solid: Solid, kind: str, first: int, last: int, tolerance: float, up: Array | None) -> Array | None:
    """The point, its mean place, and the line's direction or the plane's normal (3, 3) of a slide, or None.

    With `up` a plane is the one of the principal planes that is nearest to level: a foot that swings keeps to an
    upright plane, and does not slide.
    """
    spread = solid.spread(first, last)
    starts = [(_axes(spread, point, kind, up)[0], point) for point in solid.points]
    off, point = min(starts, key=lambda start: start[0])
    if off > (_HOPELESS * tolerance) ** 2:
        return None
    slide = _through(solid, spread, point, kind, up, first, last)
    if _strays(solid, kind, slide, first, last) > tolerance:
        slide = refine_slide(solid, kind, slide, first, last, up)
    return None if _strays(solid, kind, slide, first, last) > tolerance else slide


def refine_slide(solid: Solid, kind: str, slide: Array, first: int, last: int, up: Array | None) -> Array:
    """The least squares of equation 3.6 near a slide."""
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


def slides_far_enough(solid: Solid, kind: str, slide: Array, first: int, last: int, tolerance: float, up: Array | None) -> bool:
    """Whether a slide leads anywhere, on level ground if `up` is given."""
    point, _, direction = slide
    steep = 0.0 if up is None else abs(float(up @ direction))
    level = steep <= _LEVEL if kind == "slide_line" else up is None or steep >= np.sqrt(1.0 - _LEVEL**2)
    track = solid.tracks(point[None], first, last)[:, 0]
    return level and float(np.linalg.norm(np.ptp(track, axis=0))) >= _TRAVEL * tolerance


def _principal(spread: Array, point: Array, kind: str, up: Array | None) -> tuple[Array, Array, list[int]]:
    """Variances and axes of a point's track, and the axes across which it should not move."""
    homogeneous = np.append(point, 1.0)
    sizes, ways = np.linalg.eigh(np.einsum("iajb,a,b->ij", spread, homogeneous, homogeneous))
    if kind == "slide_line":
        return sizes, ways, [0, 1]
    return sizes, ways, [0 if up is None else int(np.argmax(np.abs(up @ ways)))]


def _squares_and_slope(point: Array, spread: Array, kind: str, up: Array | None) -> tuple[float, Array]:
    """Mean squared distance (mm²: the scale of the search's own tolerances) from the best line or plane; its slope."""
    sizes, ways, across = _principal(spread, point, kind, up)
    turned = np.einsum("ik,jk,iajb,b->a", ways[:, across], ways[:, across], spread, np.append(point, 1.0))
    return 1e6 * float(sizes[across].sum()), 2e6 * turned[:3]


def _axes(spread: Array, point: Array, kind: str, up: Array | None) -> tuple[float, Array]:
    """Mean squared distance of a point's track from its best line or plane, and that one's direction or normal."""
    sizes, ways, across = _principal(spread, point, kind, up)
    return float(sizes[across].sum()), ways[:, 2 if kind == "slide_line" else across[0]]


def _through(solid: Solid, spread: Array, point: Array, kind: str, up: Array | None, first: int, last: int) -> Array:
    """A slide (3, 3) of a given point: the point, its mean place, the direction or normal."""
    place = solid.tracks(point[None], first, last)[:, 0].mean(axis=0)
    return np.stack((point, place, _axes(spread, point, kind, up)[1]))


def _strays(solid: Solid, kind: str, slide: Array, first: int, last: int) -> float:
    """Farthest that a slide's point is from its line or plane."""
    point, place, direction = slide
    ways = solid.tracks(point[None], first, last)[:, 0] - place
    along = ways @ direction
    distance = np.linalg.norm(ways - along[:, None] * direction, axis=1) if kind == "slide_line" else np.abs(along)
    return float(distance.max())
