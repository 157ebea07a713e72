"""`learn_each_style`: one style from each of many clips, in a folder. A run that was stopped goes on where it was."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gambol.clips.result import FolderResult
from gambol.errors import InputError, StrPath
from gambol.fit.load import Source, as_motion
from gambol.io.lock import lock_output
from gambol.io.models import as_model, save_model
from gambol.motion.ensemble import as_ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent
from gambol.solve.workers import check_workers, open_cluster, solve_all
from gambol.styles.learning import STEPS
from gambol.styles.style import PhysicalStyle
from gambol.styles.verb import learn_style


class _Settings(NamedTuple):
    start: float | None
    end: float | None
    mass: float | None
    steps: int


def learn_each_style(
    *clips: Source,
    folder: StrPath,
    start: float | None = None,
    end: float | None = None,
    mass: float | None = None,
    steps: int = STEPS,
    workers: int = 1,
    scheduler: str | None = None,
    progress: Progress = silent,
) -> FolderResult:
    """Learn a style from each clip, on several workers, into FOLDER/NAME.json; styles that are there already are kept.

    The other arguments are those of `learn_style` and of `populate`.

    >>> gb.learn_each_style("tired.bvh", "happy.bvh", folder="styles", workers=2)  # doctest: +SKIP
    """
    check_workers(workers, scheduler)
    motions, place = [as_motion(clip) for clip in clips], Path(folder)
    _check_names(motions)
    place.mkdir(parents=True, exist_ok=True)
    files = {motion.name: place / f"{motion.name}.json" for motion in motions}
    with lock_output(place / "styles"), open_cluster(workers, scheduler) as client:
        done, refused = {motion.name for motion in motions if _is_learned(files[motion.name], motion)}, {}
        todo = [motion for motion in motions if motion.name not in done]
        progress("learning styles", len(done), len(motions))
        for motion, found in solve_all(client, _learn_one, _Settings(start, end, mass, steps), todo):
            if isinstance(found, PhysicalStyle):
                save_model(found, files[motion.name])
                done.add(motion.name)
            else:
                refused[motion.name] = found
            progress("learning styles", len(done) + len(refused), len(motions))
    return FolderResult(
        motions=as_ensemble(motions),
        figures={"clips": len(motions), "learned_styles": len(done)},
        files={name: file for name, file in files.items() if name in done},
        refused=refused,
    )


def _learn_one(settings: _Settings, motion: Motion) -> PhysicalStyle | str:
    """Return the style of a clip, or why there is none."""
    try:
        return learn_style(motion, **settings._asdict()).model
    except InputError as error:
        return error.problem


def _check_names(motions: Sequence[Motion]) -> None:
    names = [motion.name for motion in motions]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two clips are called '{twice}'", fix="rename one, or learn them into different folders")


def _is_learned(file: Path, motion: Motion) -> bool:
    """Return whether a file has the style of a clip."""
    if not file.exists():
        return False
    other = as_model(file, PhysicalStyle).clip
    if Path(other).stem != Path(motion.origin.file or motion.name).stem:
        raise InputError(f"this is the style of {other}", file=file, fix="choose another folder")
    return True
