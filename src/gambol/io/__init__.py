"""Read and write motion files. The reader is chosen by extension, else by content; the writer by extension."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from gambol.errors import InputError, StrPath
from gambol.io.formats import (
    GLTF_EXTENSIONS,
    SCENE_EXTENSIONS,
    WRITABLE,
    check_writable_format,
    detect_format,
    read_foreign,
    write_foreign,
)
from gambol.io.normalise import drop_artificial_pose, normalise_motion
from gambol.io.output import atomic_write, check_writable
from gambol.io.yamls import read_yaml
from gambol.motion.ensemble import Ensemble, as_ensemble
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers, Recording, Table
from gambol.motion.rig import rig_from_mapping


def read_motions(
    path: StrPath,
    *,
    scale: float | None = None,
    up: str | None = None,
    fps: float | None = None,
    rig: Mapping[str, str] | StrPath | None = None,
    skeleton: StrPath | None = None,
    animation: str | None = None,
    rest_pose: bool = False,
) -> Ensemble:
    """Read every character of a motion file, in metres, z up, on its own rig; `gambol.load` documents the options.

    With `rest_pose`, characters of a glTF file without animations are read as they rest.
    """
    file = Path(path)
    if fps is not None and not 0.01 <= fps <= 1e5:
        raise InputError(f"the frame rate must be 0.01 to 100000 frames per second, got {fps}")
    if detect_format(file) == "run":
        return _read_run(
            file, fps, {"scale": scale, "up": up, "rig": rig, "skeleton": skeleton, "animation": animation}
        )
    scene, loaded = as_ensemble(_read_raw(file, skeleton, animation, rest_pose)), []
    for raw in scene:
        if len(raw) < 2:
            raw = dataclasses.replace(raw, q=np.repeat(raw.q, 2, axis=0)).add_notes("a single pose: read as two frames")
        mapped = None if rig is None else rig_from_mapping(raw.skeleton, read_mapping(rig, "pelvis: Hips"))
        if fps is not None:
            raw = dataclasses.replace(raw, frame_time=1.0 / fps)
        loaded.append(drop_artificial_pose(normalise_motion(raw, scale=scale, up=up, rig=mapped)))
    return dataclasses.replace(scene, motions=tuple(loaded), name=file.stem)


def _read_run(file: Path, fps: float | None, others: Mapping[str, object]) -> Ensemble:
    from gambol.io.runs import read_run

    if given := [name for name, value in others.items() if value is not None]:
        raise InputError(
            "a recorded run has its own unit, axes and joints", file=file, fix=f"leave out {', '.join(given)}"
        )
    motion = read_run(file).motion
    return Ensemble((motion if fps is None else dataclasses.replace(motion, frame_time=1.0 / fps),), file.stem)


def holds_motion(path: StrPath, skeleton: StrPath | None = None) -> bool:
    """Return whether a file holds a motion on a rig, not a recording; `skeleton` as for `read_motions`."""
    kind = detect_format(Path(path))
    if kind != "table":
        return kind not in ("c3d", "trc")
    from gambol.io.coordinates import find_model

    return find_model(Path(path), None if skeleton is None else Path(skeleton)) is not None


def load_recording(path: StrPath) -> Recording | Markers | Table:
    """Load a laboratory recording: C3D (markers, plates, analogue channels), TRC (markers), MOT or STO (columns).

    >>> recorded = gb.load_recording("gait.c3d")  # doctest: +SKIP
    >>> recorded.markers.names, len(recorded.plates)  # doctest: +SKIP
    """
    file = Path(path)
    kind = detect_format(file)
    if kind == "c3d":
        from gambol.io.c3d.read import read_c3d as read_c3d

        return read_c3d(file)
    if kind in ("trc", "table"):
        from gambol.io import opensim

        return opensim.read_trc(file) if kind == "trc" else opensim.read_table(file)
    raise InputError("the file holds a motion, not a recording", file=file, fix="use gambol.load")


def load_markers(path: StrPath) -> Markers:
    """Load the markers of a C3D or TRC file."""
    recording = load_recording(path)
    if isinstance(recording, Table):
        raise InputError("the file holds columns of numbers, not markers", file=path)
    return recording.markers if isinstance(recording, Recording) else recording


def _read_raw(file: Path, skeleton: StrPath | None, animation: str | None, rest_pose: bool) -> Sequence[Motion]:
    kind = detect_format(file)
    if kind.startswith("."):
        return read_foreign(file)
    if animation is not None and kind != "gltf":
        raise InputError("only glTF files hold named animations", file=file, fix="leave the animation name out")
    if kind == "bvh":
        from gambol.io.bvh.read import read_bvh as read_bvh

        return read_bvh(file)
    if kind == "amc":
        from gambol.io import asf_amc

        return asf_amc.read_amc(file, None if skeleton is None else Path(skeleton))
    if kind == "gltf":
        from gambol.io.gltf.read import read_gltf as read_gltf

        return read_gltf(file, animation, rest_pose=rest_pose)
    if kind == "table":
        from gambol.io.coordinates import find_model, read_coordinates

        model = find_model(file, None if skeleton is None else Path(skeleton))
        if model is not None:
            return read_coordinates(file, model)
        raise InputError(
            "the file holds columns of numbers, not a motion on a rig",
            file=file,
            fix="pass the OpenSim model whose coordinates they are as --osim, or use gambol.load_recording in Python",
        )
    raise InputError("the file holds markers, not a motion on a rig", file=file, fix="use gambol.load")


def read_mapping(mapping: Mapping[str, str] | StrPath, example: str) -> Mapping[str, str]:
    """Return a mapping, or read it from a YAML file, without empty entries; `example` is a line of such a file."""
    if isinstance(mapping, Mapping):
        return mapping
    entries = read_yaml(Path(mapping))
    if not isinstance(entries, dict):
        raise InputError(f"a mapping must hold lines such as '{example}'", file=mapping)
    return {str(key): str(value) for key, value in entries.items() if value}


def save(
    motions: Motion | Sequence[Motion],
    path: StrPath,
    *,
    onto: StrPath | None = None,
    replace: bool = False,
    overwrite: bool = True,
) -> list[Path]:
    """Write one or several motions in the format given by the extension; return the files written.

    GLB, glTF and USD hold several characters; other formats get one numbered file per character. Motions that were
    loaded from one glTF file, on skeletons that this file still has, are written as .glb or .gltf onto that file's
    scene: meshes, materials, nodes and animations stay, and the motions are one more animation, named after the one
    that was read and the verb that changed it ("Walk push"). Several motions on one skeleton, as of a crowd, move
    copies of its character, which share its meshes. With `replace` the new animation takes the place of the one that
    was read. `onto` names another glTF file with the same joints to use instead. With `overwrite=False` an existing
    file is an error.

    >>> gb.save(gb.load("walk"), "walk.glb")
    [PosixPath('walk.glb')]
    """
    file = Path(path)
    written = as_ensemble(motions)
    suffix = check_writable_format(file)
    files = list_outputs(file, len(written))
    for target in files:
        check_writable(target, overwrite)
    asset = Path(onto) if onto is not None else _own_asset(written, suffix)
    if asset is not None:
        _write_onto(written, file, asset, replace)
    elif suffix in SCENE_EXTENSIONS:
        _write_scene(written, file)
    else:
        for one, target in zip(written, files, strict=True):
            _write_one(one, target)
    return files


def _own_asset(motions: Ensemble, suffix: str) -> Path | None:
    """Return the glTF file that all motions were loaded from, if it still has their skeletons; None with props."""
    origins = {(motion.origin.format, motion.origin.file) for motion in motions}
    kind, name = origins.pop()
    alone = not origins and not any(motion.props for motion in motions)
    if not alone or suffix not in GLTF_EXTENSIONS or kind != "gltf" or not Path(name).is_file():
        return None
    from gambol.io.gltf.onto import has_skeletons_of

    return Path(name) if has_skeletons_of(Path(name), motions) else None


def list_outputs(path: Path, characters: int) -> list[Path]:
    """Return the files that `save` would write for a number of characters."""
    if characters == 1 or path.suffix.lower() in SCENE_EXTENSIONS:
        return [path]
    return [path.with_stem(f"{path.stem}_{n}") for n in range(1, characters + 1)]


def _write_onto(motions: Ensemble, file: Path, character: Path, replace: bool) -> None:
    from gambol.io.gltf.onto import write_onto
    from gambol.io.gltf.pack import build_glb, build_gltf

    suffix = file.suffix.lower()
    if suffix not in GLTF_EXTENSIONS or detect_format(character) != "gltf":
        raise InputError("`onto` takes a glTF file, and writes a .glb or .gltf", file=file)
    document, data = write_onto(character, motions, replace=replace)
    content = build_glb(document, data) if suffix == ".glb" else build_gltf(document, data).encode()
    with atomic_write(file) as temporary:
        temporary.write_bytes(content)


def _write_scene(motions: Ensemble, file: Path) -> None:
    with atomic_write(file) as temporary:
        if file.suffix.lower() in GLTF_EXTENSIONS:
            from gambol.io.gltf.write import to_glb, to_gltf_json

            glb = file.suffix.lower() == ".glb"
            temporary.write_bytes(to_glb(motions) if glb else to_gltf_json(motions).encode())
        else:
            from gambol.io import usd

            usd.write_usd(motions, temporary)


def _write_one(motion: Motion, file: Path) -> None:
    if file.suffix.lower() == ".bvh":
        from gambol.io.bvh.write import format_bvh

        with atomic_write(file) as temporary:
            temporary.write_text(format_bvh(motion), encoding="utf-8", newline="\n")
    elif file.suffix.lower() not in WRITABLE:
        with atomic_write(file) as temporary:
            write_foreign(motion, file, temporary)
    else:
        from gambol.io.tables import save_table, tabulate_joints

        save_table(tabulate_joints(motion), file)
