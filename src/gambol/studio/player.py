"""One self-contained HTML file that plays motions offline: play, pause, scrub, speed, orbit."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence

from gambol import __version__
from gambol.motion.motion import Motion
from gambol.studio.scene import add_actors, close_server, open_server, overview, stand_side_by_side

_RATE = 30.0


def to_html(motions: Sequence[Motion], *, apart: bool = False, progress: Callable[[float], None] | None = None) -> str:
    """Record the motions, in their common world or `apart` side by side, into one HTML page."""
    server = open_server("127.0.0.1", 0)
    try:
        actors = add_actors(server, motions)
        if apart:
            stand_side_by_side(actors)
        server.initial_camera.position, server.initial_camera.look_at = overview(actors)
        recording = server.get_scene_serializer()
        count = int(max(m.duration for m in motions) * _RATE) + 1
        for n in range(count):
            for actor in actors:
                actor.show(actor.frame_at(n / _RATE))
            recording.insert_sleep(1.0 / _RATE)
            if progress is not None:
                progress((n + 1) / count)
        page = recording.as_html()
    finally:
        close_server(server)
    about = {"gambol": __version__, "motions": [{"name": m.name, **m.made} for m in motions]}
    title = html.escape(", ".join(m.name for m in motions))
    head = f'<title>{title}</title><meta name="generator" content="{html.escape(json.dumps(about, default=str))}">'
    return page.replace("<head>", f"<head>{head}", 1)
