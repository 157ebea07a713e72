"""Draw motions: strips of poses, scenes at a few moments, films, and an HTML page that plays offline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gambol.errors import InputError
from gambol.progress import Progress, silent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gambol.drawing.forces import Arrow
    from gambol.fit.load import Source, StrPath

STRIPS, FILMS, PAGES = (".png", ".svg", ".pdf"), (".gif", ".mp4"), (".html", ".htm")
DRAWN = (*STRIPS, *FILMS, *PAGES)
"""Extensions that `render` draws."""
_LONGEST = 1800.0
"""Longest film or page in seconds."""


def render(
    clips: Source | Sequence[Source],
    path: StrPath,
    *,
    poses: int = 9,
    moments: int | None = None,
    apart: bool = False,
    physics: bool = False,
    arrows: Sequence[Arrow] = (),
    overwrite: bool = True,
    progress: Progress = silent,
) -> Path:
    """Draw clips into a file and return its path; the extension chooses the kind.

    PNG, SVG and PDF are strips of `poses` poses, one strip per clip; with `moments` all characters are drawn in their
    common world at that many moments. GIF and MP4 are films, HTML a page that plays offline; `apart` puts the clips of
    a page side by side. `physics` adds ground forces, contacts, support phases and the centre of mass; `arrows` are
    pushes to draw into a film.
    """
    from gambol.fit.load import as_clips
    from gambol.io.output import atomic_write, check_writable

    file = Path(path)
    check_drawable(file, moments, physics)
    check_writable(file, overwrite)
    motions = as_clips(clips)
    suffix = file.suffix.lower()
    if suffix not in STRIPS and motions.duration > _LONGEST:
        raise InputError(
            f"it would last {motions.duration:.0f} s; films and pages last up to {_LONGEST:.0f} s",
            file=file,
            fix="correct the frame rate (--fps) or cut the clip",
        )
    found = []
    if physics:
        from gambol.fit.physics import estimate_physics

        found = [estimate_physics(motion) for motion in motions]
    with atomic_write(file) as temporary:
        if suffix in STRIPS and moments is not None:
            from gambol.drawing.moments import save_moments

            save_moments(motions, temporary, moments)
        elif suffix in STRIPS:
            from gambol.drawing.strip import save_strip

            save_strip(motions, temporary, poses, found)
        elif suffix in FILMS:
            from gambol.drawing.film import count_pictures, draw_pictures, save_film

            images = _counted(draw_pictures(motions, found, arrows), count_pictures(motions), progress)
            save_film(images, temporary, suffix)
        else:
            from gambol.drawing.player import to_html

            temporary.write_text(to_html(motions, apart=apart, physics=found), encoding="utf-8")
    return file


def check_drawable(file: Path, moments: int | None = None, physics: bool = False) -> None:
    """Raise an error for an extension that cannot be drawn, or moments that cannot be drawn into it."""
    suffix = file.suffix.lower()
    if suffix not in DRAWN:
        raise InputError(f"'{suffix}' is not a picture, film or page", file=file, fix=f"choose {', '.join(DRAWN)}")
    if moments is not None and (suffix not in STRIPS or physics):
        raise InputError("moments are drawn into PNG, SVG or PDF, without physics", file=file)


def check_picture(file: Path) -> None:
    """Raise an error for an extension that is not that of a still picture."""
    if file.suffix.lower() not in STRIPS:
        raise InputError(f"'{file.suffix}' is not a picture", file=file, fix=f"choose {', '.join(STRIPS)}")


def _counted(images: Iterable[NDArray[np.uint8]], total: int, progress: Progress) -> Iterator[NDArray[np.uint8]]:
    for done, image in enumerate(images, start=1):
        yield image
        progress("drawing", done, total)
