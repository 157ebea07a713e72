"""Paint figures on a ground with matplotlib: smoothly shaded triangles from back to front, with soft shadows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.artist import Artist, allow_rasterization
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.collections import PathCollection
from matplotlib.path import Path
from matplotlib.transforms import IdentityTransform
from numpy.typing import NDArray

from gambol.drawing.camera import Camera
from gambol.drawing.shadows import Shade, cast_shadows, keep_faces, measure_areas
from gambol.geometry.arrays import Array
from gambol.motion.figure import build_body_mesh
from gambol.motion.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase

GROUND = (0.945, 0.94, 0.93)
"""Colour of the ground and of what is behind it."""
_LINES = (0.80, 0.795, 0.785)
_WIDTH = 0.7
"""Width of the lines on the ground in points."""
_FADES, _PIECES = 6, 7.0
"""Shades of these lines, and pieces from the middle of a line to its end."""
_AMBIENT, _SKY, _DIFFUSE = 0.58, 0.10, 0.42
"""Shares of light from everywhere, from above, and from the light."""
_GHOST = 0.35
"""Opacity of a ghost."""


class Surface(NamedTuple):
    """Triangles in the world."""

    vertices: Array
    """(vertices, 3) metres."""
    normals: Array
    """(vertices, 3) unit vectors."""
    colors: Array
    """(vertices, 3) red, green and blue, 0 to 1."""
    faces: NDArray[np.intp]
    """(triangles, 3), counter-clockwise seen from outside."""

    def shift(self, by: Array) -> Surface:
        """Return the surface moved by a vector (3,)."""
        return self._replace(vertices=self.vertices + by)


class FigureMesh:
    """The mesh of one motion, to be posed; a coarse one for figures that are small in the picture."""

    def __init__(self, motion: Motion, coarse: bool = False) -> None:
        self.motion, self._mesh = motion, build_body_mesh(motion, coarse)
        self._faces = self._mesh.faces.astype(np.intp)

    def pose(self, frame: int) -> Surface:
        """Return the figure in a frame."""
        placed = self.motion.placement
        vertices, normals = self._mesh.pose(placed.positions[frame], placed.rotations[frame])
        return Surface(vertices, normals, self._mesh.colors, self._faces)


class _Triangles(Artist):
    """Triangles (count, 3, 2) in picture coordinates with the colours (count, 3, 4) of their corners, back to front."""

    def __init__(self, picture: Axes, corners: Array, colors: Array, opacity: float = 1.0) -> None:
        super().__init__()
        self.set_rasterized(True)  # the size of a vector file would grow with the triangles
        self._picture, self._corners, self._colors, self._opacity = picture, corners, colors, opacity

    @allow_rasterization
    def draw(self, renderer: RendererBase) -> None:
        """Draw them; together they are as opaque as given, also where they overlap."""
        box = self._picture.bbox
        pixels, colors = _to_pixels(self._picture, self._corners), self._colors
        a, b, c = pixels.swapaxes(0, 1)
        low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        inside = ((high > box.min) & (low < box.max)).all(axis=1)
        if not inside.any():
            return
        if not inside.all():
            pixels, colors = pixels[inside], colors[inside]
        context = renderer.new_gc()
        context.set_clip_rectangle(box)
        if self._opacity == 1.0:
            renderer.draw_gouraud_triangles(context, pixels, colors, IdentityTransform())
            return
        start = np.maximum(np.floor(low[inside].min(axis=0)) - 1.0, np.floor(box.min))
        end = np.minimum(np.ceil(high[inside].max(axis=0)) + 1.0, np.ceil(box.max))
        width, height = (end - start).astype(int).tolist()
        layer = RendererAgg(width, height, renderer.points_to_pixels(72.0))
        layer.draw_gouraud_triangles(layer.new_gc(), pixels - start, colors, IdentityTransform())
        image = np.array(layer.buffer_rgba())[::-1]
        image[..., 3] = self._opacity * image[..., 3]
        renderer.draw_image(context, float(start[0]), float(start[1]), np.ascontiguousarray(image))


class _Shadow(Artist):
    """The shadow of surfaces on the ground."""

    def __init__(self, picture: Axes, shade: Shade) -> None:
        super().__init__()
        self.set_rasterized(True)
        self._picture, self._shade = picture, shade

    @allow_rasterization
    def draw(self, renderer: RendererBase) -> None:
        """Draw it as an image."""
        box = self._picture.bbox
        scale = box.width / np.ptp(self._picture.get_xlim())
        pixels = self._shade._replace(corners=_to_pixels(self._picture, self._shade.corners))
        context = renderer.new_gc()
        context.set_clip_rectangle(box)
        for shadow in cast_shadows(pixels, float(scale), (box.x0, box.y0, box.x1, box.y1)):
            renderer.draw_image(context, *shadow.corner, shadow.image)


def _to_pixels(picture: Axes, points: Array) -> Array:
    return picture.transData.transform(points.reshape(-1, 2)).reshape(points.shape)


def paint(
    axes: Axes,
    camera: Camera,
    surfaces: Sequence[Surface],
    floor: float,
    *,
    light: Array,
    ghosts: Sequence[Surface] = (),
) -> None:
    """Paint surfaces and their shadow, and translucent ghosts behind them; `light` is the direction to the light."""
    scene = _join(surfaces)
    axes.add_artist(_Shadow(axes, Shade.of(scene.vertices, scene.faces, camera, light, floor)))
    if ghosts:
        axes.add_artist(_Triangles(axes, *_shade(_join(ghosts), camera, light), opacity=_GHOST))
    axes.add_artist(_Triangles(axes, *_shade(scene, camera, light)))


def paint_ground(
    axes: Axes, camera: Camera, along: Array, center: Array, reach: tuple[float, float], floor: float
) -> None:
    """Paint lines on the floor, one metre apart, that fade towards a distance `reach` (m) from `center`.

    They run along a horizontal unit vector and across it, and stay where they are in the world; `reach` has these two
    directions.
    """
    directions = np.stack((along, np.cross([0.0, 0.0, 1.0], along)))
    middle = directions @ center
    found = []
    for own in ((0, 1), (1, 0)):
        piece = max(1.0, np.ceil(reach[own[0]] / _PIECES))
        starts, lines = (
            np.arange(step * np.ceil((middle[n] - reach[n]) / step), middle[n] + reach[n], step)
            for n, step in zip(own, (piece, 1.0), strict=True)
        )
        places = np.stack(np.meshgrid(starts, lines, indexing="ij"), axis=-1).reshape(-1, 1, 2)
        found.append((places + np.array([[0.0, 0.0], [piece, 0.0]]))[..., list(own)])
    flat = np.concatenate(found)
    fades = np.clip(1.0 - ((flat.mean(axis=1) - middle) / reach) ** 2, 0.0, 1.0).prod(axis=1)
    spatial = flat @ directions + [0.0, 0.0, floor]
    levels = np.where(camera.sees(spatial).all(axis=1), np.ceil(_FADES * fades), 0)
    shades = [n for n in range(1, _FADES + 1) if (levels == n).any()]
    drawn = camera.project(spatial)
    paths = [_combine(drawn[levels == n]) for n in shades]  # one path per shade is drawn faster than one per line
    colors = [(*_LINES, (n - 0.5) / _FADES) for n in shades]
    grid = PathCollection(paths, facecolors="none", edgecolors=colors, linewidths=_WIDTH, zorder=0)
    axes.add_collection(grid, autolim=False)
    axes.set_aspect("equal")
    axes.set_axis_off()


def _combine(lines: Array) -> Path:
    """Return lines (count, 2, 2) as one path."""
    codes = np.array([Path.MOVETO, Path.LINETO], dtype=Path.code_type)
    return Path(lines.reshape(-1, 2), np.tile(codes, len(lines)))


def _join(surfaces: Sequence[Surface]) -> Surface:
    firsts = np.cumsum([0, *(len(surface.vertices) for surface in surfaces[:-1])])
    faces = np.concatenate([surface.faces + n for surface, n in zip(surfaces, firsts, strict=True)])
    vertices, normals, colors = (np.concatenate([surface[n] for surface in surfaces]) for n in range(3))
    return Surface(vertices, normals, colors, faces)


def _shade(surface: Surface, camera: Camera, light: Array) -> tuple[Array, Array]:
    """Return corners (triangles, 3, 2) in the picture and their colours of the triangles that are seen, far to near."""
    flat, depth = camera.project(surface.vertices), camera.depth(surface.vertices)
    faces = keep_faces(surface.faces, camera.sees(surface.vertices))
    faces = faces[measure_areas(flat, faces) > 0.0]
    a, b, c = faces.T
    faces = faces[np.argsort(depth[a] + depth[b] + depth[c])]
    normals = surface.normals
    lit = _AMBIENT + _SKY * normals[:, 2] + _DIFFUSE * np.clip(normals @ light, 0.0, 1.0)
    colors = np.ones((len(flat), 4))
    colors[:, :3] = np.clip(surface.colors * lit[:, None], 0.0, 1.0)
    return flat[faces], colors[faces]
