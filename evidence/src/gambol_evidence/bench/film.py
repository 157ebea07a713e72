"""`gambol bench film`: pictures of films per second of one core, at 1920 × 1080.

Compared with matplotlib's `PolyCollection`, which draws the same triangles in one colour each, without shadows.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from gambol.drawing.camera import Camera
from gambol.drawing.film import Film
from gambol.drawing.painter import FigureMesh, Surface
from gambol.drawing.video import save_film
from gambol.errors import MissingExtra
from gambol.io import samples
from gambol.motion.ensemble import Ensemble
from gambol_evidence.bench.rows import NOT_INSTALLED, Row

_SIZE = (1920, 1080)
_PEER = "matplotlib polygons"
_PICTURES = 12
"""Pictures that are timed, from the middle of the film."""
_APART = 1.5
"""Metres between walkers."""


def run() -> Iterator[Row]:
    """Yield the rows as they are measured."""
    for name, scene in (("one", Ensemble((samples.walk(),))), ("walkers-12", place_walkers(3, 4))):
        film = Film(scene, size=_SIZE)
        first = len(film) // 2
        film[first]  # loads fonts
        begun = process_time()
        shown = film[first : first + _PICTURES]
        ours = _PICTURES / (process_time() - begun)
        surfaces = [FigureMesh(motion, coarse=len(scene) > 1).pose(len(motion) // 2) for motion in scene]
        begun = process_time()
        draw_polygons(surfaces)
        theirs = 1.0 / (process_time() - begun)
        yield Row(f"{name}-1080p", ours, "pictures/s", _PEER, theirs, ours / theirs)
        with tempfile.TemporaryDirectory() as folder:
            begun = process_time()
            try:
                save_film(shown, 30.0, Path(folder) / "film.mp4", ".mp4")
            except MissingExtra:
                yield Row(f"{name}-1080p-mp4", float("nan"), "pictures/s", note=NOT_INSTALLED)
                continue
            each = 1.0 / ours + (process_time() - begun) / _PICTURES
        yield Row(f"{name}-1080p-mp4", 1.0 / each, "pictures/s")


def place_walkers(rows: int, columns: int) -> Ensemble:
    """Return copies of the built-in walk in rows and columns."""
    walk = samples.walk()
    slides = walk.skeleton.columns(0, "slide")
    axes = np.array([walk.skeleton.dofs[column].axis for column in slides])
    people = []
    for row in range(rows):
        for column in range(columns):
            q = walk.q.copy()
            q[:, slides] += axes @ [_APART * row, _APART * column, 0.0]
            people.append(replace(walk, q=q))
    return Ensemble(tuple(people))


def draw_polygons(surfaces: Sequence[Surface]) -> None:
    """Draw surfaces as polygons of one colour each, from far to near."""
    camera = Camera.beside(np.array([1.0, 0.0, 0.0]))
    corners = np.concatenate([surface.vertices[surface.faces] for surface in surfaces])
    normals = np.concatenate([surface.normals[surface.faces[:, 0]] for surface in surfaces])
    colors = np.concatenate([surface.colors[surface.faces[:, 0]] for surface in surfaces])
    seen = np.flatnonzero(normals @ camera.toward > 0.0)
    order = seen[np.argsort(corners[seen].mean(axis=1) @ camera.toward)]
    flat = camera.project(corners[order])
    shaded = colors[order] * (0.6 + 0.4 * np.clip(normals[order] @ camera.light, 0.0, 1.0))[:, None]
    picture = Figure(figsize=(_SIZE[0] / 100, _SIZE[1] / 100), dpi=100)
    canvas = FigureCanvasAgg(picture)
    axes = picture.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.add_collection(PolyCollection(list(flat), facecolors=shaded, edgecolors=shaded, linewidths=0.25))
    axes.set_xlim(flat[..., 0].min(), flat[..., 0].max())
    axes.set_ylim(flat[..., 1].min(), flat[..., 1].max())
    axes.set_aspect("equal")
    axes.set_axis_off()
    canvas.draw()
