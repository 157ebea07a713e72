"""Paint figures in a bright studio with Mitsuba's path tracer (extra `studio`): soft light, no sorting of triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gambol.drawing.camera import Camera
from gambol.drawing.painter import Surface
from gambol.errors import MissingExtra
from gambol.geometry.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SAMPLES, _BOUNCES = 49, 4
"""Paths per pixel, and segments of a path."""
_SKY, _LAMP = 0.35, 24.0
"""Radiance of the light from everywhere, and of the lamp."""
_AWAY, _RADIUS = 60.0, 12.0
"""Distance and radius of the lamp (m): large enough for soft shadows, far enough to light all figures alike."""
_FLOOR, _REACH = (0.83, 0.825, 0.815), 300.0
"""Reflectance of the floor, and half its side (m)."""


def paint_studio(axes: Axes, camera: Camera, surfaces: Sequence[Surface], floor: float) -> None:
    """Paint surfaces on a floor into axes whose limits are set; the camera must project in parallel."""
    left, right, bottom, top = *axes.get_xlim(), *axes.get_ylim()
    middle = 0.5 * (left + right) * camera.right + 0.5 * (bottom + top) * camera.up
    box = axes.bbox
    size = max(1, round(box.width)), max(1, round(box.height))
    image = _trace(surfaces, camera, middle, 0.5 * (right - left), size, floor)
    axes.imshow(image, extent=(left, right, bottom, top), zorder=0)
    axes.set_axis_off()


def _trace(
    surfaces: Sequence[Surface], camera: Camera, middle: Array, half: float, size: tuple[int, int], floor: float
) -> NDArray[np.uint8]:
    """Return a picture (height, width, 3) around a point (3,) that is `half` (m) from its left and right edges."""
    try:
        import mitsuba
    except ImportError:
        raise MissingExtra("a studio picture", "studio") from None

    mitsuba.set_variant("scalar_rgb")
    place = mitsuba.ScalarTransform4f
    eye = place().look_at((middle + _AWAY * camera.toward).tolist(), middle.tolist(), camera.up.tolist())
    lamp = middle * [1.0, 1.0, 0.0] + _AWAY * camera.light
    shine = place().look_at(lamp.tolist(), (middle * [1.0, 1.0, 0.0]).tolist(), camera.right.tolist())
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": _BOUNCES},
        "sensor": {
            "type": "orthographic",
            "to_world": eye @ place().scale([half, half, 1.0]),
            "film": {"type": "hdrfilm", "width": size[0], "height": size[1]},
            "sampler": {"type": "multijitter", "sample_count": _SAMPLES},
        },
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": _SKY}},
        "lamp": {
            "type": "disk",
            "to_world": shine @ place().scale([_RADIUS, _RADIUS, 1.0]),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": _LAMP}},
        },
        "floor": {
            "type": "rectangle",
            "to_world": place().translate([*middle[:2].tolist(), floor]) @ place().scale([_REACH, _REACH, 1.0]),
            "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": _FLOOR}},
        },
    }
    scene |= {f"figure {n}": _build_mesh(mitsuba, surface) for n, surface in enumerate(surfaces)}
    return np.array(mitsuba.util.convert_to_bitmap(mitsuba.render(mitsuba.load_dict(scene))))


def _build_mesh(mitsuba: Any, surface: Surface) -> Any:
    """Return a surface as a mesh of Mitsuba with a colour per vertex."""
    colors = {"type": "mesh_attribute", "name": "vertex_color"}
    properties = mitsuba.Properties()
    properties["bsdf"] = mitsuba.load_dict(
        {"type": "principled", "base_color": colors, "roughness": 0.55, "specular": 0.3}
    )
    mesh = mitsuba.Mesh("figure", len(surface.vertices), len(surface.faces), has_vertex_normals=True, props=properties)
    mesh.add_attribute("vertex_color", 3, (surface.colors**2.2).astype(np.float32).ravel())  # linear from sRGB
    parts = mitsuba.traverse(mesh)
    parts["vertex_positions"] = surface.vertices.astype(np.float32).ravel()
    parts["vertex_normals"] = surface.normals.astype(np.float32).ravel()
    parts["faces"] = surface.faces.astype(np.uint32).ravel()
    parts.update()
    return mesh
