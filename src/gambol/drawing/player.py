"""Record motions into one HTML file that plays offline: play, pause, scrub, speed, orbit."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence

from gambol.drawing.scene import SceneView
from gambol.drawing.server import close_server, open_server
from gambol.fit.physics import Physics
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.version import __version__

_RATE = 30.0
_FRAME_HEIGHT = 480
"""Height of the player in a notebook, in pixels."""


def to_html(motions: Motion | Sequence[Motion], *, apart: bool = False, physics: Sequence[Physics] = ()) -> str:
    """Return an HTML page that plays the motions, in their common world or `apart`, with physics if given."""
    motions = as_ensemble(motions)
    server = open_server("127.0.0.1", 0)
    try:
        view = SceneView(server, motions, physics)
        view.arrange(apart)
        server.initial_camera.position, server.initial_camera.look_at = view.viewpoint(follow=True)
        recording = server.get_scene_serializer()
        count = int(motions.duration * _RATE) + 1
        for n in range(count):
            view.show(n / _RATE, follow=True)
            recording.insert_sleep(1.0 / _RATE)
        page = recording.as_html()
    finally:
        close_server(server)
    about = {"gambol": __version__, "motions": [{"name": m.name, **m.made} for m in motions]}
    title = html.escape(", ".join(m.name for m in motions))
    head = f'<title>{title}</title><meta name="generator" content="{html.escape(json.dumps(about, default=str))}">'
    return page.replace("<head>", f"<head>{head}", 1)


def embed(motions: Motion | Sequence[Motion]) -> str:
    """Return the player as a frame in a page, for notebooks."""
    page = html.escape(to_html(motions), quote=True)
    return f'<iframe srcdoc="{page}" width="100%" height="{_FRAME_HEIGHT}" frameborder="0"></iframe>'
