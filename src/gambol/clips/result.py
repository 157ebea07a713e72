"""The result of a public function: motions, figures by name and notes, to be saved or shown in a notebook."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Generic

from gambol.drawing import DRAWN, MOMENTS, STRIPS, render
from gambol.drawing.forces import Arrow
from gambol.drawing.shot import Shot
from gambol.errors import InputError, StrPath, make_line
from gambol.geometry.arrays import LONGEST_REPR
from gambol.io import list_outputs, save
from gambol.io.formats import WRITABLE, check_writable_format, find_formats, unwritable_format_error
from gambol.io.models import Fitted, find_model_suffix, save_model
from gambol.judge.judgement import Judgement, Original, judge_all
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from gambol.progress import Progress, silent

_USUAL = Shot()


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """What a public function returns; subclasses add what is specific to a function."""

    motions: Ensemble
    """On their original rig."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Numbers about the result; the name ends in the unit. NaN where nothing could be measured."""
    notes: tuple[str, ...] = ()
    """Messages for the user."""
    sources: tuple[Motion, ...] = ()
    """Clips that the motions were made of: their faults are not counted as faults of the motions."""

    originals: tuple[Original, ...] = ()
    """Motions, or their beginnings, that should look like a clip."""

    excerpt: Motion | None = None
    """What is looked at of a motion that only repeats it."""

    @property
    def judgement(self) -> Judgement:
        """What a viewer would see in the motions."""
        return self._judgement

    @cached_property
    def _judgement(self) -> Judgement:
        shown = self.motions if self.excerpt is None else (self.excerpt,)
        return judge_all(shown, self.sources, self.originals)

    @property
    def motion(self) -> Motion:
        """The only motion; raises an error if there are several."""
        if len(self.motions) > 1:
            raise InputError(f"the result has {len(self.motions)} motions", fix="use .motions")
        return self.motions[0]

    @property
    def arrows(self) -> tuple[Arrow, ...]:
        """Pushes to draw into films."""
        return ()

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Write the motions, or draw them (PNG, SVG, PDF, GIF, MP4, HTML); the extension chooses the format."""
        if Path(path).suffix.lower() in DRAWN:
            return [self.draw(path, overwrite=overwrite)]
        return save(self.motions, path, overwrite=overwrite)

    def draw(self, path: StrPath, *, shot: Shot = _USUAL, overwrite: bool = True, progress: Progress = silent) -> Path:
        """Draw a picture, film or page; a picture of several characters shows their scene at a few moments."""
        scene = len(self.motions) > 1 and Path(path).suffix.lower() in STRIPS and shot.ghost is None
        return render(
            self.motions,
            path,
            moments=MOMENTS if scene else None,
            arrows=self.arrows,
            shot=shot,
            overwrite=overwrite,
            progress=progress,
        )

    def facts(self) -> dict[str, Any]:
        """Return figures, notes and names as plain JSON types."""
        return {
            "motions": [{"name": m.name, "frames": len(m), "frame_time": m.frame_time} for m in self.motions],
            "figures": {name: finite_or_none(value) for name, value in self.figures.items()} | self.judgement.figures,
            "notes": [*self.notes, *self.judgement.worst],
            "judgement": self.judgement.facts(),
        }

    def __repr__(self) -> str:
        names = ", ".join(motion.name for motion in self.motions[:3]) + (", ..." if len(self.motions) > 3 else "")
        figures = ", ".join(f"{name}={value:.4g}" for name, value in self.figures.items())
        return make_line(f"{type(self).__name__}({names}: {figures})", LONGEST_REPR)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__repr__ = Result.__repr__  # type: ignore[method-assign] # or @dataclass would make another, of all fields

    def _repr_html_(self) -> str:
        """Return the offline player, for notebooks."""
        from gambol.drawing.player import embed

        return embed(self.motions)


@dataclass(frozen=True, eq=False, kw_only=True)
class ModelResult(Result, Generic[Fitted]):
    """A learned model, or a family; its motions show what is in it."""

    model: Fitted

    @property
    def judgement(self) -> Judgement:
        """Nothing is judged: what is made with the model is."""
        return Judgement(judged=False)

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Save the model as .npz (a style as .json), or its motions as files or pictures."""
        if Path(path).suffix.lower() != find_model_suffix(self.model):
            return super().save(path, overwrite=overwrite)
        return [save_model(self.model, path, overwrite)]


@dataclass(frozen=True, eq=False, kw_only=True)
class FolderResult(Result):
    """Many models or motions that were written into a folder, one by one.

    Its motions are the clips they are from, or the first of them where they are too many to be in memory.
    """

    files: Mapping[str, Path]
    """By the name of each."""
    refused: Mapping[str, str]
    """Why others were not made, or not kept, by their names."""

    @property
    def judgement(self) -> Judgement:
        """Nothing is judged: the motions are the clips."""
        return Judgement(judged=False)

    def save(self, path: StrPath, *, overwrite: bool = True) -> list[Path]:
        """Raise an error: the files are written already."""
        raise InputError("the files of this result are written already", fix="use .files")

    def facts(self) -> dict[str, Any]:
        """Return the files and what was refused too."""
        return super().facts() | {
            "files": {name: str(file) for name, file in self.files.items()},
            "refused": dict(self.refused),
        }


def finite_or_none(value: float) -> float | None:
    """Return the number, or None for NaN and infinity, which JSON cannot represent."""
    return value if math.isfinite(value) else None


def list_output_files(path: Path, characters: int = 1, own: tuple[str, ...] = ()) -> list[Path]:
    """Return the files that `Result.save` would write; raise an error for an unknown extension.

    `own` are extensions that only this kind of result is written with.
    """
    if path.suffix.lower() in (*own, *DRAWN):
        return [path]
    if path.suffix.lower() not in (known := (*WRITABLE, *find_formats())):
        raise unwritable_format_error(path, (*own, *known, *DRAWN))
    check_writable_format(path)
    return list_outputs(path, characters)
