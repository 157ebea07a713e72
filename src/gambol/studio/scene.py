"""Figures in a viser scene: the one place where a motion meets the browser."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence

import numpy as np
import viser

from gambol.geometry import quaternions as quat
from gambol.geometry.quaternions import Array
from gambol.motion.motion import Motion
from gambol.motion.shapes import COLORS, body_segments, floor_height, side_of_joints, unit_shape

_GRID = 40.0
_DEEPER = 1.8
"""The browser's lights wash colours out: a power above 1 brings them back."""


def open_server(host: str, port: int) -> viser.ViserServer:
    """A server with a floor and a light; it says nothing on standard output."""
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=port, verbose=False)
    server.gui.configure_theme(control_layout="collapsible", show_share_button=False, brand_color=(79, 140, 189))
    server.scene.set_up_direction("+z")
    server.scene.configure_default_lights(enabled=True, cast_shadow=True)
    return server


def close_server(server: viser.ViserServer) -> None:
    """Stop serving, without a word."""
    with contextlib.redirect_stdout(io.StringIO()):
        server.stop()


def add_floor(server: viser.ViserServer, height: float) -> None:
    """A grid of one metre that takes shadows."""
    server.scene.add_grid(
        "/floor", width=_GRID, height=_GRID, cell_size=1.0, section_size=5.0, plane="xy",
        position=(0.0, 0.0, height), shadow_opacity=0.25,
    )  # fmt: skip


class Actor:
    """The figure of one motion on the stage."""

    def __init__(self, server: viser.ViserServer, name: str, motion: Motion) -> None:
        self.motion = motion
        self.shift: Array = np.zeros(3)
        self._segments = body_segments(motion)
        vertices, faces = unit_shape()
        positions, rotations = self._pose(0)
        sides = side_of_joints(motion)[self._segments.joints]
        self._handle = server.scene.add_batched_meshes_simple(
            f"/{name}",
            vertices.astype(np.float32),
            faces,
            batched_wxyzs=rotations,
            batched_positions=positions,
            batched_scales=self._segments.radii.astype(np.float32),
            batched_colors=np.array([COLORS[int(s)] for s in sides]) ** _DEEPER,
            lod="off",
        )

    def _pose(self, frame: int) -> tuple[Array, Array]:
        placed, segments = self.motion.placement, self._segments
        turned = placed.rotations[frame, segments.joints]
        centers = placed.positions[frame, segments.joints] + quat.rotate(turned, segments.centers)
        return centers + self.shift, quat.multiply(turned, segments.rotations)

    def show(self, frame: int) -> None:
        """Pose the figure as in a frame of its motion."""
        self._handle.batched_positions, self._handle.batched_wxyzs = self._pose(frame)

    def frame_at(self, time: float) -> int:
        """The frame nearest to a time; the last one after the end."""
        return int(np.clip(round(time / self.motion.frame_time), 0, len(self.motion) - 1))

    def root(self, frame: int) -> Array:
        """Where the figure's root stands on the stage."""
        return self.motion.placement.positions[frame, 0] + self.shift


def add_actors(server: viser.ViserServer, motions: Sequence[Motion]) -> list[Actor]:
    """One figure for each motion, in the world they share, on a floor."""
    add_floor(server, min(floor_height(m) for m in motions))
    return [Actor(server, f"actor_{n}", motion) for n, motion in enumerate(motions)]


def stand_side_by_side(actors: Sequence[Actor], apart: float = 1.2) -> None:
    """Start all figures in one row, so that clips from different places can be compared."""
    for n, actor in enumerate(actors):
        start = actor.motion.placement.positions[0, 0]
        actor.shift = np.array([-start[0], (0.5 * (len(actors) - 1) - n) * apart - start[1], 0.0])


def overview(actors: Sequence[Actor]) -> tuple[Array, Array]:
    """Camera position and the point it looks at, so that all movement is in view from the front right."""
    ways = np.concatenate([a.motion.placement.positions[:, 0] + a.shift for a in actors])
    middle = 0.5 * (ways.min(axis=0) + ways.max(axis=0))
    middle[2] = max(0.8, middle[2] - 0.1)
    reach = 1.7 + 0.55 * float(np.linalg.norm(np.ptp(ways[:, :2], axis=0)))
    return middle + reach * np.array([0.75, -0.95, 0.3]), middle
