"""Show figures in a viser scene."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import viser

from gambol.drawing.obstacles import find_ramp_corners
from gambol.drawing.overlays import Overlay
from gambol.fit.physics import Physics
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.figure import build_body_mesh, build_body_segments, color_joints, estimate_floor_height
from gambol.motion.motion import Motion
from gambol.motion.neutral_pose import has_body
from gambol.motion.shapes import Mesh, build_unit_shape

_GRID, _SECTION = 40.0, 5.0
_STONE = (158, 156, 153)
_OBSTACLE_HEIGHT = 1.2
"""Height of poles and walls in metres."""
_FEW = 4
"""Most figures that are bodies: viser sends every bone by itself (7 ms per figure and frame); others are segments."""
_ABOVE = 0.4
"""Metres from the highest joint of a figure to its name: above its support phase."""
_BODY = 0.5
"""Metres between the starts of two figures below which they hide each other."""
_STEPS = 4096.0
"""Places and orientations of bones are rounded to fractions of this (m)."""
_GAMMA = 1.5
"""Exponent on colours that compensates for the lights of the browser, which wash them out."""


class BodyFigure:
    """A body that bends, as one skinned mesh per colour."""

    def __init__(self, server: viser.ViserServer, name: str, mesh: Mesh) -> None:
        assert mesh.inverse_binds is not None
        turns = np.swapaxes(mesh.inverse_binds[:, :, :3], 1, 2)
        places = -(turns @ mesh.inverse_binds[:, :, 3:])[:, :, 0]
        wxyzs = quat.from_matrix(turns)
        weights = np.zeros((len(mesh.vertices), len(turns)))
        np.add.at(weights, (np.arange(len(weights))[:, None], mesh.joints), mesh.weights)
        colors, numbers = np.unique(mesh.colors[mesh.faces[:, 0]], axis=0, return_inverse=True)
        self._server = server
        self.handles: list[viser.MeshSkinnedHandle] = []
        self._bones: list[tuple[int, viser.MeshSkinnedBoneHandle]] = []
        for number, color in enumerate(colors):
            faces = mesh.faces[numbers == number]
            own = np.unique(faces)
            joints = np.flatnonzero(weights[own].any(axis=0))
            handle = server.scene.add_mesh_skinned(
                f"/{name}/body_{number}",
                mesh.vertices[own],
                np.searchsorted(own, faces),
                bone_wxyzs=wxyzs[joints],
                bone_positions=places[joints],
                skin_weights=weights[np.ix_(own, joints)],
                color=tuple(color**_GAMMA),
            )
            self.handles.append(handle)
            self._bones += zip(joints.tolist(), handle.bones, strict=True)

    def pose(self, positions: Array, rotations: Array) -> None:
        """Pose by the places (joints, 3) and orientations (joints, 4) of the joints."""
        # Rounded binary fractions make recordings half as large.
        places, turns = np.round(positions * _STEPS) / _STEPS, np.round(rotations * _STEPS) / _STEPS
        with self._server.atomic():
            for joint, bone in self._bones:
                bone.position, bone.wxyz = places[joint], turns[joint]


class SegmentFigure:
    """One rounded ellipsoid per bone, as one batch; hidden ones are not visible but can be clicked."""

    def __init__(self, server: viser.ViserServer, name: str, motion: Motion, hidden: bool = False) -> None:
        self.segments = build_body_segments(motion)
        vertices, faces = build_unit_shape()
        positions, rotations = self._place(motion.placement.positions[0], motion.placement.rotations[0])
        self.handle = server.scene.add_batched_meshes_simple(
            f"/{name}",
            vertices.astype(np.float32),
            faces,
            batched_wxyzs=rotations,
            batched_positions=positions,
            batched_scales=self.segments.radii.astype(np.float32),
            batched_colors=color_joints(motion)[self.segments.joints] ** _GAMMA,
            opacity=0.0 if hidden else None,
            cast_shadow=not hidden,
            receive_shadow=not hidden,
            lod="off",
        )

    def _place(self, positions: Array, rotations: Array) -> tuple[Array, Array]:
        segments = self.segments
        turned = rotations[segments.joints]
        centers = positions[segments.joints] + quat.rotate(turned, segments.centers)
        return centers, quat.multiply(turned, segments.rotations)

    def pose(self, positions: Array, rotations: Array) -> None:
        """Pose by the places (joints, 3) and orientations (joints, 4) of the joints."""
        self.handle.batched_positions, self.handle.batched_wxyzs = self._place(positions, rotations)


class SkinFigure:
    """The triangles of every joint as a mesh."""

    def __init__(self, server: viser.ViserServer, name: str, skin: Mesh) -> None:
        import trimesh

        self._handles = {}
        joints = skin.joints[:, 0]
        for joint in np.unique(joints):
            own = np.flatnonzero(joints == joint)
            faces = np.searchsorted(own, skin.faces[joints[skin.faces[:, 0]] == joint])
            shape = trimesh.Trimesh(
                skin.vertices[own], faces, vertex_colors=np.uint8(255.0 * skin.colors[own]), process=False
            )
            self._handles[joint] = server.scene.add_mesh_trimesh(f"/{name}/{joint}", shape)

    def pose(self, positions: Array, rotations: Array) -> None:
        """Pose by the places (joints, 3) and orientations (joints, 4) of the joints."""
        for joint, handle in self._handles.items():
            handle.position, handle.wxyz = tuple(positions[joint]), tuple(rotations[joint])


class FigureView:
    """The figure of one motion in a scene."""

    def __init__(self, server: viser.ViserServer, name: str, motion: Motion, simple: bool = False) -> None:
        self.motion = motion
        self.shift: Array = np.zeros(3)
        self.figure = _add_figure(server, name, motion, simple)

    def pose(self, positions: Array, rotations: Array) -> None:
        """Pose the figure by the places (joints, 3) and orientations (joints, 4) of its joints on the stage."""
        self.figure.pose(positions, rotations)

    def show(self, frame: int, origin: Array) -> None:
        """Pose the figure as in a frame of its motion, relative to an origin."""
        placed = self.motion.placement
        self.pose(placed.positions[frame] + self.shift - origin, placed.rotations[frame])

    def frame_at(self, time: float) -> int:
        """Return the frame nearest to a time; the last one after the end."""
        return int(np.clip(round(time / self.motion.frame_time), 0, len(self.motion) - 1))

    def root(self, frame: int) -> Array:
        """Return the position of the joint that travels with the figure, in the scene."""
        return self.motion.placement.positions[frame, self.motion.mover] + self.shift


def _add_figure(
    server: viser.ViserServer, name: str, motion: Motion, simple: bool
) -> BodyFigure | SegmentFigure | SkinFigure:
    if motion.skin is not None:
        return SkinFigure(server, name, motion.skin)
    if has_body(motion) and not simple:
        return BodyFigure(server, name, build_body_mesh(motion))
    return SegmentFigure(server, name, motion)


def name_figures(motions: Sequence[Motion]) -> list[str]:
    """Return what tells motions apart: the names of their files, else with folders, else of the motions, numbered."""
    files = [Path(motion.origin.file) for motion in motions]
    choices = ([f.name for f in files], ["/".join(f.parts[-2:]) for f in files], [m.name for m in motions])
    fallback = [f"{n}: {motion.name}" for n, motion in enumerate(motions, start=1)]
    return next((names for names in choices if all(names) and len(set(names)) == len(names)), fallback)


def start_together(motions: Sequence[Motion]) -> bool:
    """Return whether some motions start at one place, as clips before and after an edit do."""
    starts = np.array([motion.placement.positions[0, motion.mover, :2] for motion in motions])
    between = np.linalg.norm(starts[:, None] - starts, axis=-1)
    return bool((between[np.triu_indices(len(starts), 1)] < _BODY).any())


class SceneView:
    """A floor with figures. To follow them the world moves, so that the camera remains under the user's control."""

    def __init__(
        self, server: viser.ViserServer, motions: Motion | Sequence[Motion], physics: Sequence[Physics] = ()
    ) -> None:
        motions = as_ensemble(motions)
        self._height = min(estimate_floor_height(m) for m in motions)
        self._floor = server.scene.add_grid(
            "/floor", width=_GRID, height=_GRID, cell_size=1.0, section_size=_SECTION, plane="xy",
            position=(0.0, 0.0, self._height), shadow_opacity=0.25,
        )  # fmt: skip
        simple = len(motions) > _FEW
        self.figures = [FigureView(server, f"actor_{n}", motion, simple) for n, motion in enumerate(motions)]
        self._props = [
            (FigureView(server, f"actor_{n}/prop_{k}", prop), figure)
            for n, figure in enumerate(self.figures)
            for k, prop in enumerate(figure.motion.props)
        ]
        self._obstacles = _add_obstacles(server, motions, self._height)
        names = name_figures(motions) if 1 < len(motions) <= _FEW else []
        self._names = [
            server.scene.add_label(f"/name_{n}", name, anchor="bottom-center") for n, name in enumerate(names)
        ]
        self._overlays = [Overlay(server, f"physics_{n}", found) for n, found in enumerate(physics)]

    def arrange(self, apart: bool, distance: float = 1.2) -> None:
        """Place the figures in their common world, or `apart`: side by side with a common start."""
        for n, figure in enumerate(self.figures):
            start = figure.motion.placement.positions[0, figure.motion.mover]
            # The camera is on the right of the figures: the first one is nearest to it, and on the left.
            lateral = (n - 0.5 * (len(self.figures) - 1)) * distance
            figure.shift = np.array([-start[0], lateral - start[1], 0.0]) if apart else np.zeros(3)

    def show(self, time: float, follow: bool) -> None:
        """Pose all figures as at a time, and keep them centred if `follow`."""
        frames = [figure.frame_at(time) for figure in self.figures]
        middle = np.mean([a.root(f) for a, f in zip(self.figures, frames, strict=True)], axis=0)
        origin = middle * [1.0, 1.0, 0.0] if follow else np.zeros(3)
        for figure, frame in zip(self.figures, frames, strict=True):
            figure.show(frame, origin)
        for prop, figure in self._props:
            prop.shift = figure.shift
            prop.show(prop.frame_at(time), origin)
        for handle, place in self._obstacles:
            handle.position = tuple(place - origin)
        for overlay, figure, frame in zip(self._overlays, self.figures, frames, strict=False):
            overlay.show(frame, figure.shift - origin)
        for label, figure, frame in zip(self._names, self.figures, frames, strict=False):
            top = figure.motion.placement.positions[frame, :, 2].max()
            label.position = tuple(figure.root(frame) * [1.0, 1.0, 0.0] + [0.0, 0.0, top + _ABOVE] - origin)
        self.scroll(origin)

    def scroll(self, origin: Array) -> None:
        """Move the floor for a view centred at a position of the world."""
        # The grid repeats every section, so the floor moves by less than a section.
        x, y, _ = -np.fmod(origin, _SECTION)
        self._floor.position = (x, y, self._height)

    def viewpoint(self, follow: bool) -> tuple[Array, Array]:
        """Return the position of the camera and its target: from the front right, far enough to show all figures."""
        ends = np.stack([a.motion.placement.positions[[0, -1], a.motion.mover] + a.shift for a in self.figures])
        if follow:
            ends = ends - ends.mean(axis=0)
        middle = 0.5 * (ends.min(axis=(0, 1)) + ends.max(axis=(0, 1)))
        middle[2] = 0.9
        reach = 2.1 + 0.55 * float(np.linalg.norm(np.ptp(ends.reshape(-1, 3)[:, :2], axis=0)))
        return middle + reach * np.array([0.75, -0.95, 0.3]), middle


def _add_obstacles(
    server: viser.ViserServer, motions: Ensemble, floor: float
) -> list[tuple[viser.SceneNodeHandle, Array]]:
    """Add the poles, walls and ramps of the world; return each with its position."""
    middle, found = floor + 0.5 * _OBSTACLE_HEIGHT, []
    for n, (x, y, radius) in enumerate(motions.poles):
        pole: viser.SceneNodeHandle = server.scene.add_cylinder(
            f"/pole_{n}", radius=float(radius), height=_OBSTACLE_HEIGHT, color=_STONE
        )
        found.append((pole, np.array([x, y, middle])))
    for n, (x, y, u, v) in enumerate(motions.walls):
        turn = quat.from_axis_angle((0.0, 0.0, 1.0), np.arctan2(v - y, u - x))
        wall = server.scene.add_box(
            f"/wall_{n}", _STONE, (float(np.hypot(u - x, v - y)), 0.1, _OBSTACLE_HEIGHT), wxyz=tuple(turn)
        )
        found.append((wall, np.array([0.5 * (x + u), 0.5 * (y + v), middle])))
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    for n, corners in enumerate(find_ramp_corners(motions)):
        ramp = server.scene.add_mesh_simple(f"/ramp_{n}", corners, faces, color=_STONE, side="double")
        found.append((ramp, np.zeros(3)))
    return found
