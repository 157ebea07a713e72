"""`gambol view`: play, scrub, speed, several clips side by side, a camera that follows."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import numpy as np

from gambol.motion.motion import Motion
from gambol.studio.scene import add_actors, close_server, open_server, overview, stand_side_by_side

_TICK = 1.0 / 30.0
_SPEEDS = ("0.1x", "0.25x", "0.5x", "1x", "2x", "4x")


class Viewer:
    """Serves motions to browsers until it is closed. The controls are read and set from Python too."""

    def __init__(
        self, motions: Sequence[Motion], *, host: str = "127.0.0.1", port: int = 8080, apart: bool = False
    ) -> None:
        self.server = open_server(host, port)
        self._actors = add_actors(self.server, motions)
        self._duration = max(m.duration for m in motions)
        gui = self.server.gui
        gui.set_panel_label("gambol view")
        gui.add_markdown("\n".join(f"- {m.name}: {len(m)} frames, {m.duration:.2f} s" for m in motions))
        step = min(m.frame_time for m in motions)
        self.time = gui.add_slider("Time (s)", 0.0, max(self._duration, step), step, 0.0)
        self.playing = gui.add_checkbox("Play", True)
        self.speed = gui.add_dropdown("Speed", _SPEEDS, initial_value="1x")
        self.follow = gui.add_checkbox("Follow", True)
        self.apart = gui.add_checkbox("Side by side", apart, visible=len(motions) > 1)
        self.apart.on_update(lambda _: self._arrange())
        self._arrange()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://{self.server.get_host()}:{self.server.get_port()}"

    def close(self) -> None:
        """Stop playing and serving."""
        self._closed.set()
        self._thread.join(timeout=5.0)
        close_server(self.server)

    def _arrange(self) -> None:
        if self.apart.value:
            stand_side_by_side(self._actors)
        else:
            for actor in self._actors:
                actor.shift = np.zeros(3)
        self.server.initial_camera.position, self.server.initial_camera.look_at = overview(self._actors)

    def _run(self) -> None:
        middle = self._middle()
        before = time.perf_counter()
        while not self._closed.wait(_TICK):
            now = time.perf_counter()
            if self.playing.value:
                moved = self.time.value + (now - before) * float(self.speed.value[:-1])
                self.time.value = moved if moved <= self._duration else 0.0  # type: ignore[misc]
            before = now
            with self.server.atomic():
                for actor in self._actors:
                    actor.show(actor.frame_at(self.time.value))
            centre = self._middle()
            if self.follow.value:
                self._carry_cameras(centre - middle)
            middle = centre

    def _middle(self) -> np.ndarray:
        roots = [a.root(a.frame_at(self.time.value)) for a in self._actors]
        return np.mean(roots, axis=0) * [1.0, 1.0, 0.0]

    def _carry_cameras(self, way: np.ndarray) -> None:
        if not way.any():
            return
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.position = client.camera.position + way
                client.camera.look_at = client.camera.look_at + way
