"""Read glTF: skinned or plain animated skeletons from .glb, .gltf, .vrm and .vrma, as common exporters write them.

Joints turn freely (`motion.free_joints`). Scales are folded into lengths, and the nodes above the root into the root.
"""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gambol.geometry.arrays import Array
from gambol.io.gltf.document import Document
from gambol.io.gltf.humanoid import find_humanoid_rig, read_humanoid_bones
from gambol.io.gltf.nodes import FileRig, NodeTree, Similarity, find_rigs
from gambol.io.gltf.obstacles import read_obstacles
from gambol.io.gltf.tracks import Animation, infer_frame_rate, list_animations
from gambol.motion.ensemble import Ensemble
from gambol.motion.free_joints import free_coordinates
from gambol.motion.kinematics import Placement
from gambol.motion.motion import Motion, Origin

MAX_FRAMES = 1_000_000
MAX_POSES = 5_000_000
"""Frames times joints."""
_LISTED = 8
"""Most animations that a note or an error lists."""
_NO_MOTION = "export the file with its animation, or choose another"


class _Timing(NamedTuple):
    frame_time: float
    times: Array
    note: str | None

    @property
    def tolerance(self) -> float:
        """Largest distance (s) between a frame and a key that coincide."""
        return 0.01 * self.frame_time


_REST = _Timing(1.0 / 30.0, np.arange(2) / 30.0, "the character has no animation: its rest pose was read")
"""A character without animation, as the shortest motion."""


class AnimatedRig(NamedTuple):
    """A skeleton in a file, the animation that moves it (None where there is none) and its name."""

    rig: FileRig
    animation: Animation | None
    name: str


def read_gltf(path: Path, animation: str | None = None, *, rest_pose: bool = False) -> Ensemble:
    """Read every animated skeleton of a glTF file, in the file's own axes (y up) and unit, and gambol's obstacles.

    `animation` names the animation to read; by default every skeleton gets the last one that gambol wrote for it, or
    else the longest that moves it. With `rest_pose` the skeletons of a file without animations are read as they rest.
    """
    document = Document(path)
    nodes, available = NodeTree(document), list_animations(document)
    if animation is not None and animation not in (names := [clip.name for clip in available]):
        raise document.error(f"no animation '{animation}'", _suggest(animation, names))
    found = find_skeletons(nodes, available, animation)
    still = [f"'{rig.names[0]}' is not animated and was left out" for rig, clip, _ in found if clip is None]
    motions = []
    for rig, clip, name in found:
        if clip is not None and not find_record(nodes, rig, clip).get("prop"):
            others = [c.name for c in available if c is not clip and len(c.key_times(rig.all_nodes))]
            why = "the last that gambol wrote" if find_record(nodes, rig, clip) else "the longest"
            chosen = f"read animation '{clip.name}', {why}; others, for --animation: {_abridge(others)}"
            note = [chosen] if animation is None and others else []
            motions.append(_motion(nodes, rig, clip, name, (*note, *still)))
    if not motions and rest_pose:
        motions = [_motion(nodes, rig, None, name, ()) for rig, _, name in found]
    if not motions:
        raise document.error("the file holds no animation of a skeleton", _NO_MOTION)
    return Ensemble(tuple(motions), path.stem, **read_obstacles(document))


def find_written_animation(path: Path) -> str:
    """Return the name of the last animation that gambol wrote into a file; empty where it wrote none."""
    written = [clip.name for clip in list_animations(Document(path)) if clip.extras.get("gambol")]
    return written[-1] if written else ""


def list_durations(path: Path) -> list[tuple[str, float]]:
    """Return the name and duration (s) of every animation in a file, in the file's order."""
    document = Document(path)
    everything = range(len(document.objects("nodes")))
    return [(clip.name, float(np.ptp(clip.key_times(everything)))) for clip in list_animations(document)]


def _suggest(name: str, names: list[str]) -> str:
    """Return the nearest names of animations; all of them where none is near."""
    if not names:
        return "the file holds no animations"
    by_lower = {known.lower(): known for known in reversed(names)}
    near = difflib.get_close_matches(name.lower(), by_lower, 3, 0.5)
    if near and len(names) > _LISTED:
        return f"nearest: {', '.join(by_lower[key] for key in near)} ('gambol info' lists all {len(names)})"
    return f"animations: {_abridge(names)}"


def _abridge(names: list[str]) -> str:
    if len(names) <= _LISTED:
        return ", ".join(names)
    return f"{', '.join(names[:3])} and {len(names) - 3} more ('gambol info' lists them)"


def find_skeletons(nodes: NodeTree, available: list[Animation], animation: str | None = None) -> list[AnimatedRig]:
    """Return the skeletons of a file, each with its named animation, else gambol's last, else its longest."""
    animated = {node for clip in available for node, path in clip.channels if path != "scale"}
    rigs = find_rigs(nodes, animated.union(read_humanoid_bones(nodes.document)[1].values()))
    stem, found = nodes.document.path.stem, []
    for number, rig in enumerate(rigs, start=1):
        named = [clip for clip in available if animation in (None, clip.name)]
        spans = [(float(np.ptp(keys)), clip) for clip in named if len(keys := clip.key_times(rig.all_nodes))]
        written = [clip for _, clip in spans if find_record(nodes, rig, clip)]
        longest = max(spans, key=lambda pair: pair[0])[1] if spans else None
        clip = written[-1] if written else longest
        recorded = nodes.document.text(find_record(nodes, rig, clip), "name")
        found.append(AnimatedRig(rig, clip, recorded or (stem if len(rigs) == 1 else f"{stem}_{number}")))
    return found


def find_record(nodes: NodeTree, rig: FileRig, clip: Animation | None) -> dict[str, Any]:
    """Return gambol's record of this skeleton's motion; empty in files that gambol did not write."""
    records = clip.extras.get("gambol") if clip else None
    records = records if isinstance(records, list) else []
    root = nodes.names[rig.nodes[0]]
    return next((r for r in records if isinstance(r, dict) and r.get("root") == root), {})


def find_joint_names(nodes: NodeTree, rig: FileRig, clip: Animation | None) -> tuple[str, ...]:
    """Return the joint names, without the suffix that gambol appends for several characters in one file."""
    ending = find_record(nodes, rig, clip).get("ending")
    if isinstance(ending, str) and ending and all(name.endswith(ending) for name in rig.names):
        return tuple(name[: -len(ending)] for name in rig.names)
    return rig.names


def _motion(nodes: NodeTree, rig: FileRig, clip: Animation | None, name: str, notes: tuple[str, ...]) -> Motion:
    record = find_record(nodes, rig, clip)
    timing = _timing(nodes.document, rig, clip, record) if clip else _REST
    local, rest = _local_frames(nodes, rig, clip, timing)
    names = find_joint_names(nodes, rig, clip)
    skeleton, q = free_coordinates(names, rig.parents(nodes), local, rest)
    person, lacking = find_humanoid_rig(nodes.document, rig, skeleton)
    notes = (*notes, *rig.scale_notes(nodes, clip), *(note for note in (timing.note, lacking) if note))
    made = record.get("made")
    return Motion(
        skeleton,
        q,
        timing.frame_time,
        name,
        Origin(str(nodes.document.path), "gltf", 1.0, np.eye(3), clip.name if clip else ""),
        notes,
        made if isinstance(made, dict) else {},
        person,
    )


def _timing(document: Document, rig: FileRig, clip: Animation, record: dict[str, Any]) -> _Timing:
    keys = clip.key_times(rig.all_nodes)
    frame_time, frames, note = infer_frame_rate(keys)
    length = float(np.ptp(keys))
    if (exact := _recorded_rate(record, length)) is not None:
        frame_time, frames, note = *exact, None
    if frames > MAX_FRAMES or frames * len(rig.nodes) > MAX_POSES:
        raise document.error(f"animation '{clip.name}' has {frames} frames", "cut it into shorter clips")
    return _Timing(frame_time, keys[0] + np.arange(frames, dtype=float) * frame_time, note)


def _recorded_rate(record: dict[str, Any], length: float) -> tuple[float, int] | None:
    """Return the exact frame time and number of frames that gambol recorded, if the curves still have that length."""
    exact, count = record.get("frame_time"), record.get("frames")
    if not isinstance(exact, float) or not isinstance(count, int) or not 0.0 < exact < 1e6 or count < 1:
        return None
    return (exact, count) if abs(length - (count - 1) * exact) < 0.01 * exact else None


def _local_frames(
    nodes: NodeTree, rig: FileRig, clip: Animation | None, timing: _Timing
) -> tuple[Placement, Placement]:
    """Return each joint's frame relative to its parent, over time and at rest, with scales folded into lengths."""
    poses = []
    for at, motion in ((timing.times, clip), (np.zeros(1), None)):
        frames = [nodes.frames(node, motion, at, timing.tolerance) for node in rig.nodes]
        scales = rig.parent_scales(nodes, clip)
        root = rig.ancestor_frames(nodes, motion, at, timing.tolerance).then(Similarity(*frames[0], 1.0))
        positions = np.stack([size * move for size, (move, _) in zip(scales, frames, strict=True)], axis=1)
        rotations = np.stack([turn for _, turn in frames], axis=1)
        positions[:, 0], rotations[:, 0] = root.positions, root.rotations
        if not (np.abs(positions) < 1e12).all():
            raise nodes.document.error("positions are larger than 1e12")
        poses.append(Placement(positions, rotations))
    return poses[0], poses[1]
