"""Load a clip from any file: motions on their own rig, marker recordings as a person fitted to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from gambol.body.character import Character
from gambol.errors import InputError, RigError, StrPath
from gambol.fit.marker_points import markers_to_points
from gambol.fit.markers import markers_to_rig
from gambol.fit.rig import fit
from gambol.io import load_markers, read_mapping, read_motions, samples
from gambol.io.formats import MOTION_EXTENSIONS, detect_format, find_formats
from gambol.motion.ensemble import Ensemble, as_ensemble, unite_ensembles
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers
from gambol.stages.treadmill import settle_travel

_UPRIGHT = 0.2
"""Least share of a standing person's height from hips to head, and from feet to hips."""
Source = Motion | StrPath
"""A motion, the path of a motion file, or the name of a built-in motion: stand, walk, run, jump."""


def load(
    path: StrPath,
    *,
    scale: float | None = None,
    up: str | None = None,
    fps: float | None = None,
    rig: Mapping[str, str] | StrPath | None = None,
    skeleton: StrPath | None = None,
    animation: str | None = None,
    markers: Mapping[str, str] | StrPath | None = None,
    travel: bool = False,
) -> Motion:
    """Load the motion in a file, in metres, z up, on its own rig.

    `path` may also name a built-in motion: stand, walk, run or jump. The file's unit, axes and rig, and an artificial
    T-pose in front, are detected and noted in `Motion.notes`. To override what is detected:

    - `scale`: metres per unit of length of the file;
    - `up`: the file's axis that points up ("x", "y", "z", "-x", "-y" or "-z");
    - `fps`: frames per second;
    - `rig`: which joint is which part of the body (a mapping, or the YAML file that `gambol rig` writes);
    - `skeleton`: the ASF file of an AMC file, or the OpenSim model of a MOT or STO file;
    - `animation`: which animation of a glTF file to read (default: the last that gambol wrote, else the longest);
    - `markers`: which marker is which landmark (a mapping, or the YAML file that `gambol rig` writes for a C3D or TRC);
    - `travel`: whether a motion in place, as on a treadmill, gets the travel at which its feet stay in place.

    Markers to which no person can be fitted are loaded as points, without a rig; the last note is the reason.

    >>> gb.load("walk")
    Motion('walk', 257 frames, 4.27 s, MotionBuilder)
    >>> gb.load("clip.glb", animation="Run")  # doctest: +SKIP
    """
    motions = load_all(
        path,
        scale=scale,
        up=up,
        fps=fps,
        rig=rig,
        skeleton=skeleton,
        animation=animation,
        markers=markers,
        travel=travel,
    )
    return require_single(motions, Path(path))


def load_all(
    path: StrPath,
    *,
    scale: float | None = None,
    up: str | None = None,
    fps: float | None = None,
    rig: Mapping[str, str] | StrPath | None = None,
    skeleton: StrPath | None = None,
    animation: str | None = None,
    markers: Mapping[str, str] | StrPath | None = None,
    travel: bool = False,
) -> Ensemble:
    """Load every character of a file, in a common world and time. Options as for `load`.

    >>> gb.load_all("walk")
    Ensemble('walk', 1 motions, 4.27 s)
    >>> duet = gb.load_all("duet.glb")  # doctest: +SKIP
    """
    file = find_file(Path(path))
    options = {"scale": scale, "up": up, "fps": fps, "rig": rig, "skeleton": skeleton, "animation": animation}
    if detect_format(file) not in ("c3d", "trc"):
        if markers is not None:
            raise InputError("the file has joints, not markers", file=file, fix="pass their mapping as rig")
        motions = read_motions(file, **options)  # type: ignore[arg-type]
        return replace(motions, motions=tuple(settle_travel(motion, travel) for motion in motions))
    if given := [name for name, value in options.items() if value is not None]:
        instead = ", and pass a mapping as markers" if "rig" in given else ""
        raise InputError(
            "a marker file has its own unit, axes and frame rate",
            file=file,
            fix=f"leave out {', '.join(given)}{instead}",
        )
    return Ensemble((settle_travel(_person_or_points(load_markers(file), markers), travel),), file.stem)


def _person_or_points(recorded: Markers, markers: Mapping[str, str] | StrPath | None) -> Motion:
    """Return the person who wore the markers, or the markers as points if that person cannot be found."""
    mapping = None if markers is None else read_mapping(markers, "left_knee: LKNE")
    try:
        source = markers_to_rig(recorded, mapping)
    except RigError as error:
        if np.isnan(recorded.positions).all():
            raise
        return markers_to_points(recorded, f"{error.problem}; {error.fix}")
    return fit(Character.from_motion(source), source).clip


def load_for_rig(path: StrPath) -> Motion:
    """Load a motion for its rig: a character of a glTF file comes in its rest pose, if a person stands in it."""
    file = find_file(Path(path))
    if detect_format(file) != "gltf":
        return load(file)
    motion = require_single(read_motions(file, rest_pose=True), file)
    at_rest = replace(motion, q=np.zeros((2, len(motion.skeleton.dofs))))
    return at_rest if _stands(at_rest) else motion


def _stands(motion: Motion) -> bool:
    """Return whether the head of a person is above the hips, and these above the feet, in the first frame."""
    if motion.rig is None:
        return False
    parts, heights = motion.rig.parts, motion[:1].placement.positions[0, :, 2]
    head, hip, foot = (heights[parts[part]] for part in ("head", "left_thigh", "left_foot"))
    return bool(min(head - hip, hip - foot) > _UPRIGHT * np.ptp(heights[motion.body_joints]))


def find_file(path: Path) -> Path:
    """Return the path itself, or the file of the built-in motion of that name."""
    return samples.file(str(path)) if str(path) in samples.names() and not path.exists() else path


def find_files(paths: Iterable[Path], suffixes: Sequence[str] | None = None) -> list[Path]:
    """Return the named files and built-in motions, and all files with these extensions in the named folders.

    By default these are the extensions of motions on a rig, also of formats of other packages.
    """
    files: list[Path] = []
    suffixes = (*MOTION_EXTENSIONS, *find_formats()) if suffixes is None else suffixes
    for path in paths:
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in suffixes and p.is_file())
            if not inside:
                raise InputError("no motion in this folder", file=path, fix=f"searched for {', '.join(suffixes)}")
            files += inside
        else:
            files.append(find_file(path))
    return files


def require_single(motions: Ensemble, file: Path) -> Motion:
    """Return the only motion of a file; raise an error if there are several."""
    if len(motions) > 1:
        names = ", ".join(motion.name for motion in motions)
        raise InputError(
            f"contains {len(motions)} characters ({names})",
            file=file,
            fix="split it with 'gambol convert FILE FOLDER', or use gambol.load_all in Python",
        )
    return motions[0]


def as_motion(source: Source) -> Motion:
    """Return the motion itself, or load it from a file."""
    return source if isinstance(source, Motion) else load(source)


def as_clips(clips: Source | Sequence[Source]) -> Ensemble:
    """Return one or several motions, or every character of files, as an ensemble."""
    return unite_ensembles(as_scenes(clips))


def as_scenes(clips: Source | Sequence[Source | Ensemble]) -> list[Ensemble]:
    """Return the motions that share a world as an ensemble each: those of one file, or of one ensemble."""
    several = [clips] if isinstance(clips, str | PathLike | Motion | Ensemble) else clips
    return [as_ensemble(c) if isinstance(c, Motion | Ensemble) else load_all(c) for c in several]
