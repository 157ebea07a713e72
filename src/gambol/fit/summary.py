"""Summarise the content of a motion or recording file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from gambol.errors import RigError
from gambol.io import holds_motion, load_recording, read_mapping, read_motions
from gambol.io.formats import detect_format
from gambol.motion.marker_names import LANDMARKS, find_landmarks, find_marker_parts
from gambol.motion.motion import Motion, describe_motion_body, explain_missing_rig
from gambol.motion.recording import Markers, Recording, Table
from gambol.stages.treadmill import settle_travel


@dataclass(frozen=True)
class Summary:
    """Facts by name, and the error where the rig is not recognised."""

    facts: dict[str, object]
    rig_error: RigError | None = None


def describe_file(path: Path, *, markers: Path | None = None, travel: bool = False, **overrides: Any) -> list[Summary]:
    """Summarise every character or recording in a file; further arguments are the options of `gambol.load`."""
    if not holds_motion(path, overrides.get("skeleton")):
        mapping = None if markers is None else read_mapping(markers, "left_knee: LKNE")
        return [Summary(_describe_recording(path, mapping))]
    motions = read_motions(path, rest_pose=True, **overrides)
    found = [_describe_motion(path, settle_travel(motion, travel)) for motion in motions]
    if detect_format(path) != "gltf":
        return found
    from gambol.io.gltf.read import list_durations

    animations = [f"{name}: {duration:.2f} s" for name, duration in list_durations(path)]
    return [replace(one, facts={**one.facts, "animations": animations}) for one in found]


def _describe_motion(path: Path, motion: Motion) -> Summary:
    skeleton = motion.skeleton
    positions = motion.placement.positions
    mover = positions[:, motion.mover]
    travel = float(np.linalg.norm(np.diff(mover[:, :2], axis=0), axis=1).sum())
    facts: dict[str, object] = {
        "file": str(path),
        "name": motion.name,
        "format": motion.origin.format,
        **({"animation": motion.origin.animation} if motion.origin.animation else {}),
        "rig": motion.rig.kind if motion.rig else "not recognised",
        "joints": len(skeleton.names) - len(skeleton.ends),
        "ends": len(skeleton.ends),
        "channels": len(skeleton.dofs),
        "frames": len(motion),
        "frame_time": motion.frame_time,
        "frames_per_s": _short(1.0 / motion.frame_time),
        "duration_s": _short(motion.duration),
        "unit_m": _short(motion.origin.unit),
        "height_m": _short(np.percentile(np.ptp(positions[:, motion.body_joints, 2], axis=1), 95)),
        "travels_m": _short(travel),
        "speed_m_s": _short(travel / max(motion.duration, 1e-9)),
        "notes": list(motion.notes),
    }
    if motion.rig:
        facts["parts"] = [f"{part}: {skeleton.names[joint]}" for part, joint in motion.rig.parts.items()]
        return Summary(facts)
    if motion.origin.format == "run":
        return Summary(facts | {"rig": "a robot", "made": [f"{key}: {value}" for key, value in motion.made.items()]})
    if other := describe_motion_body(motion):
        return Summary(facts | {"rig": f"not a person: {other}"})
    error = explain_missing_rig(motion)
    return Summary(facts, RigError(error.problem, file=path, fix=error.fix))


def _describe_recording(path: Path, mapping: Mapping[str, str] | None) -> dict[str, object]:
    recording = load_recording(path)
    facts: dict[str, object] = {"file": str(path), "name": recording.name}
    if isinstance(recording, Table):
        return facts | {
            "rows": len(recording),
            "from_s": _short(recording.times[0]),
            "to_s": _short(recording.times[-1]),
            "columns": list(recording.labels),
        }
    markers = recording.markers if isinstance(recording, Recording) else recording
    facts |= _describe_markers(markers, mapping)
    if isinstance(recording, Recording):
        facts["analog_channels"] = len(recording.analog.labels)
        facts["plates"] = [
            f"{n}: peak vertical {np.nanmax(plate.force[:, 2]):.0f} N at {1.0 / plate.frame_time:.6g} samples/s"
            for n, plate in enumerate(recording.plates, start=1)
        ]
        facts["notes"] = [*markers.notes, *recording.notes]
    return facts


def _describe_markers(markers: Markers, mapping: Mapping[str, str] | None) -> dict[str, object]:
    landmarks = find_landmarks(markers.names, mapping)
    known = find_marker_parts(markers.names)
    gaps = [f"{n}: {100 * m:.0f} % missing" for n, m in zip(markers.names, markers.missing, strict=True) if m > 0]
    return {
        "markers": len(markers.names),
        "markers_on_known_parts": len(known),
        "frames": len(markers),
        "frames_per_s": _short(1.0 / markers.frame_time),
        "landmarks": [f"{landmark}: {landmarks[landmark][0]}" for landmark in LANDMARKS if landmark in landmarks],
        "gaps": gaps,
        "notes": list(markers.notes),
    }


def _short(number: float) -> float:
    """Round to six significant digits."""
    return float(f"{number:.6g}")
