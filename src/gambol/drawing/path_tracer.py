"""Draw figures by following paths of light with Mitsuba: soft shadows and light from floor to body, for still pictures.

It takes the surfaces and cameras of the painter, and seconds to minutes where the painter takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gambol.drawing.camera import Camera
from gambol.drawing.painter import GROUND, Surface
from gambol.errors import MissingExtra
from gambol.geometry.arrays import Array
from gambol.progress import Progress, silent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PASSES, _SAMPLES = 16, 4
"""The picture is the mean of passes, each with a few paths per pixel."""
_BOUNCES = 4
_FAR = 50.0
"""Metres from the middle of the picture to the camera, and from there to the edge of the floor."""
_LIGHT, _SIZE, _BRIGHT, _SKY = 25.0, 5.0, 11.0, 0.55
"""Metres to the light, half its width (m), its radiance, and that of the sky."""
_ROUGH, _SHEEN = 0.5, 0.35
"""Roughness and specular reflection of the figures."""


def paint_traced(
    axes: Axes, camera: Camera, surfaces: Sequence[Surface], floor: float, window: Array, progress: Progress
) -> None:
    """Paint figures and the ground into a window: left, right, bottom and top in metres of the picture."""
    image = trace_paths(surfaces, camera, window, floor, round(axes.bbox.width), progress)
    axes.imshow(image, extent=tuple(window.tolist()), zorder=0)
    axes.set_axis_off()


def trace_paths(
    surfaces: Sequence[Surface], camera: Camera, window: Array, floor: float, width: int, progress: Progress = silent
) -> NDArray[np.uint8]:
    """Return the image (height, width, 3) of what a camera of parallel projection sees in a window."""
    mi = _import_mitsuba()
    transform = mi.ScalarTransform4f()
    left, right, bottom, top = window.tolist()
    height = round(width * (top - bottom) / (right - left))
    middle = camera.target + 0.5 * (left + right) * camera.right + 0.5 * (bottom + top) * camera.up
    scene: dict[str, Any] = {
        "type": "scene",
        "integrator": {"type": "path", "max_depth": _BOUNCES + 1},
        "sensor": {
            "type": "orthographic",
            "to_world": _look(transform, middle + _FAR * camera.toward, middle, camera.up).scale(
                [0.5 * (right - left), 0.5 * (right - left), 1.0]
            ),
            "film": {"type": "hdrfilm", "width": width, "height": height, "pixel_format": "rgb"},
            "sampler": {"type": "multijitter", "sample_count": _SAMPLES},
        },
        "sky": {"type": "constant", "radiance": {"type": "rgb", "value": _SKY}},
        "light": {
            "type": "rectangle",
            "to_world": _look(transform, middle + _LIGHT * camera.light, middle, camera.right).scale(_SIZE),
            "emitter": {"type": "area", "radiance": {"type": "rgb", "value": _BRIGHT}},
        },
        "floor": {
            "type": "rectangle",
            "to_world": transform.translate([middle[0], middle[1], floor]).scale(_FAR),
            "bsdf": {"type": "diffuse", "reflectance": {"type": "rgb", "value": _linear(np.array(GROUND)).tolist()}},
        },
    }
    for number, surface in enumerate(surfaces):
        scene[f"figure {number}"] = _make_mesh(mi, surface)
    loaded, total = mi.load_dict(scene), np.zeros((height, width, 3))
    for number in range(_PASSES):
        total += np.array(mi.render(loaded, seed=number))
        progress("tracing light", number + 1, _PASSES)
    return np.array(mi.util.convert_to_bitmap(mi.TensorXf(total / _PASSES)))


def _import_mitsuba() -> Any:
    try:
        import mitsuba
    except ImportError:
        raise MissingExtra("the look 'studio'", "look") from None
    mitsuba.set_variant("scalar_rgb")
    return mitsuba


def _look(transform: Any, origin: Array, target: Array, up: Array) -> Any:
    return transform.look_at(origin=origin.tolist(), target=target.tolist(), up=up.tolist())


def _make_mesh(mi: Any, surface: Surface) -> Any:
    """Return a surface as a mesh whose colours are those of its vertices."""
    properties = mi.Properties()
    properties["mesh_bsdf"] = mi.load_dict(
        {
            "type": "principled",
            "base_color": {"type": "mesh_attribute", "name": "vertex_color"},
            "roughness": _ROUGH,
            "specular": _SHEEN,
        }
    )
    mesh = mi.Mesh("figure", len(surface.vertices), len(surface.faces), has_vertex_normals=True, props=properties)
    mesh.add_attribute("vertex_color", 3, _linear(surface.colors).ravel().astype(np.float32))
    values = mi.traverse(mesh)
    values["vertex_positions"] = surface.vertices.ravel().astype(np.float32)
    values["vertex_normals"] = surface.normals.ravel().astype(np.float32)
    values["faces"] = surface.faces.ravel().astype(np.uint32)
    values.update()
    return mesh


def _linear(colors: Array) -> Array:
    """Return the intensities of colours as they are written for a screen (sRGB)."""
    return np.where(colors > 0.04045, ((colors + 0.055) / 1.055) ** 2.4, colors / 12.92)
