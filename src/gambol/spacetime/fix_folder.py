"""`fix_folder`: repair every clip of a folder, in many processes if asked for; a stopped run goes on where it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gambol.clips.result import FolderResult, Result, finite_or_none
from gambol.errors import InputError, StrPath
from gambol.fit.load import find_files, load
from gambol.io.archive import hash_file
from gambol.io.formats import WRITABLE
from gambol.io.lock import lock_output
from gambol.io.manifest import KEPT, MANIFEST, Manifest, make_folder
from gambol.io.packed import digest
from gambol.motion.ensemble import as_ensemble
from gambol.progress import Progress, silent
from gambol.solve.workers import check_workers, open_cluster, solve_all
from gambol.spacetime.fix import choose_repairs, fix
from gambol.version import __version__


@dataclass(frozen=True)
class _Clip:
    """A clip of the folder."""

    name: str
    """Its file, in the folder of clips."""
    file: Path
    target: str
    """The repaired file, in the folder of results."""
    key: str
    """Identifies its content and how it is repaired."""


@dataclass(frozen=True)
class _Settings:
    """How clips are read and repaired."""

    reading: Mapping[str, Any]
    repair: Mapping[str, Any]


def fix_folder(
    clips: StrPath,
    folder: StrPath,
    *,
    only: Sequence[str] = (),
    retime: bool = False,
    keep_path: bool = False,
    mass: float | None = None,
    reading: Mapping[str, Any] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    overwrite: bool = False,
    progress: Progress = silent,
) -> FolderResult:
    """Repair every clip of a folder, and of the folders in it, into the same places of another folder.

    FOLDER/manifest.jsonl has a row per clip: the file, its figures and what a viewer would not accept, or why it could
    not be repaired. Clips that are there are not repaired again; those that have changed since, or are repaired in
    another way, are replaced with `overwrite` only. `reading` are options of `load`; `only`, `retime`, `keep_path` and
    `mass` are those of `fix`, `workers` and `scheduler` those of `family`.

    >>> gb.fix_folder("captured", "fixed", workers=8)  # doctest: +SKIP
    """
    check_workers(workers, scheduler)
    choose_repairs(only, retime, ())
    place = Path(folder)
    repair = {"only": tuple(only), "retime": retime, "keep_path": keep_path, "mass": mass}
    settings = _Settings(dict(reading or {}), repair)
    found = _list_clips(Path(clips), place, settings)
    make_folder(place)
    with lock_output(place / MANIFEST):
        manifest = Manifest(place, str)
        todo = [one for one in found if not _is_done(manifest.rows.get(one.name), one, place, overwrite)]
        done = len(found) - len(todo)
        if done:
            progress(f"{done} of {len(found)} clips were repaired before", 0, None)
        with open_cluster(workers, scheduler) as client:
            for clip, (row, repaired) in solve_all(client, _fix_clip, settings, todo):
                # The row comes first: if the program is killed now, the clip is repaired again, since its file lacks.
                target = place / clip.target
                target.unlink(missing_ok=True)
                manifest.add(row)
                if repaired is not None:
                    make_folder(target.parent)
                    repaired.save(target)
                done += 1
                progress("repairing clips", done, len(found))
        manifest.sort()
    rows = [manifest.rows[one.name] for one in found]
    kept = [row for row in rows if row["status"] == KEPT]
    if not kept:
        raise InputError(f"no clip could be repaired; {rows[0]['member']}: {rows[0]['status']}", file=Path(clips))
    return FolderResult(
        motions=as_ensemble(load(place / kept[0]["file"])),
        figures={
            "clips_count": float(len(rows)),
            "repaired_count": float(len(kept)),
            "accepted_count": float(sum(row["seen"] == "" for row in kept)),
        },
        files={row["member"]: place / row["file"] for row in kept},
        refused={row["member"]: row["status"] for row in rows if row["status"] != KEPT},
    )


def _list_clips(source: Path, place: Path, settings: _Settings) -> list[_Clip]:
    """Return the clips of a folder, and the files that they become."""
    if source.resolve() in (place.resolve(), *place.resolve().parents):
        raise InputError("the repaired clips would be among the clips", file=place, fix="choose a folder beside it")
    out: list[_Clip] = []
    for file in find_files([source]):
        inside = file.relative_to(source)
        ending = file.suffix if file.suffix.lower() in WRITABLE else ".bvh" if file.suffix.lower() == ".amc" else ".glb"
        key = digest(__version__, hash_file(file), settings.reading, settings.repair)[:32]
        out.append(_Clip(inside.as_posix(), file, inside.with_suffix(ending).as_posix(), key))
    targets = [one.target for one in out]
    twice = next((one for n, one in enumerate(targets) if one in targets[:n]), None)
    if twice is not None:
        raise InputError("two clips would become this file", file=place / twice, fix="rename one of them")
    return out


def _is_done(row: Mapping[str, Any] | None, clip: _Clip, place: Path, overwrite: bool) -> bool:
    """Return whether a clip was repaired before; refuse to replace anything else."""
    if row is not None and row["key"] == clip.key:
        return row["file"] is None or (place / row["file"]).is_file()
    if not overwrite and (place / clip.target).exists():
        raise InputError(
            "exists already" if row is None else "is of another clip, or was repaired in another way",
            file=place / clip.target,
            fix="choose another folder, or pass --overwrite to replace it",
        )
    return False


def _fix_clip(settings: _Settings, clip: _Clip) -> tuple[dict[str, Any], Result | None]:
    """Return the row of a clip and its repair, or None where there is none."""
    row = {"member": clip.name, "file": None, "key": clip.key}
    try:
        fixed = fix(load(clip.file, **settings.reading), **settings.repair)
        repaired = Result(motions=fixed.motions, figures=fixed.figures, notes=fixed.notes, originals=fixed.originals)
        seen = repaired.judgement.verdict
    except InputError as error:
        return row | {"status": error.problem}, None
    except Exception as error:  # whatever it is: one clip of ten thousand does not stop the others
        return row | {"status": f"{type(error).__name__}: {error}"}, None
    figures = {name: finite_or_none(value) for name, value in repaired.figures.items()}
    told = {"file": clip.target, "status": KEPT, "seen": seen, "notes": list(repaired.notes)}
    return row | told | figures, repaired
