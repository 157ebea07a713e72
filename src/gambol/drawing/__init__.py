"""Draw motions: strips of poses, scenes at a few moments, films, and an HTML page that plays offline."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gambol.drawing.shot import Shot
from gambol.errors import InputError, StrPath
from gambol.progress import Progress, silent

if TYPE_CHECKING:
    from gambol.drawing.forces import Arrow
    from gambol.fit.contact_file import GivenContacts
    from gambol.fit.load import Source, StrPath
    from gambol.judge.finding import Finding
    from gambol.motion.ensemble import Ensemble

STRIPS, FILMS, PAGES = (".png", ".svg", ".pdf"), (".gif", ".mp4"), (".html", ".htm")
DRAWN = (*STRIPS, *FILMS, *PAGES)
"""Extensions that `render` draws."""
MOMENTS = 4
"""Moments at which a picture shows a scene."""
_LONGEST = 1800.0
"""Longest film or page in seconds."""
_USUAL = Shot()


def render(
    clips: Source | Sequence[Source | Ensemble],
    path: StrPath,
    *,
    poses: int = 9,
    moments: int | None = None,
    apart: bool = False,
    physics: bool = False,
    contacts: GivenContacts | None = None,
    judge: bool = False,
    arrows: Sequence[Arrow] = (),
    shot: Shot = _USUAL,
    overwrite: bool = True,
    progress: Progress = silent,
) -> Path:
    """Draw clips into a file and return its path; the extension chooses the kind.

    PNG, SVG and PDF are strips of `poses` poses, one strip per clip; with `moments` all characters are drawn in their
    common world at that many moments, and a scene with poles or walls at 4 without it. GIF and MP4 are films, HTML a
    page that plays offline; `apart` puts the clips of a page side by side. `physics` adds ground forces, contacts,
    support phases and the centre of mass, `contacts` instead of those found; `judge` rings what a viewer would not
    accept; `arrows` are pushes to draw into a film; `shot` is the view, the look, the size and rate of a film, a ghost
    and trails.

    >>> gb.render("jump", "jump.svg", poses=3)
    PosixPath('jump.svg')
    >>> gb.render("jump", "jump.mp4", shot=gb.Shot(view="orbit"))  # doctest: +SKIP
    """
    from gambol.fit.load import as_scenes
    from gambol.io.output import atomic_write, check_writable
    from gambol.motion.ensemble import unite_ensembles

    file = Path(path)
    check_drawable(file, moments, physics, judge, shot)
    check_writable(file, overwrite)
    scenes = as_scenes(clips)
    motions = unite_ensembles(scenes)
    suffix = file.suffix.lower()
    if suffix not in STRIPS and motions.duration > _LONGEST:
        raise InputError(
            f"it would last {motions.duration:.0f} s; films and pages last up to {_LONGEST:.0f} s",
            file=file,
            fix="correct the frame rate of the clip or cut it",
        )
    if moments is None and motions.has_obstacles and shot.ghost is None and not physics:
        moments = MOMENTS
    found = []
    if physics or contacts is not None:
        from gambol.fit.physics import estimate_drawn

        found = estimate_drawn(motions, physics, contacts)
    findings: list[Sequence[Finding]] = []
    if judge:
        from gambol.drawing.faults import assign_findings
        from gambol.judge.judgement import judge_all

        findings = [own for scene in scenes for own in assign_findings(scene, judge_all(scene).findings)]
    with atomic_write(file) as temporary:
        if suffix in STRIPS and moments is not None:
            from gambol.drawing.camera import aim_camera
            from gambol.drawing.moments import save_moments

            save_moments(motions, temporary, moments, aim_camera(motions, shot.view), shot.look, progress)
        elif suffix in STRIPS:
            from gambol.drawing.strip import save_strip

            save_strip(motions, temporary, poses, found, findings, shot, progress)
        elif suffix in FILMS:
            from gambol.drawing.film import Film
            from gambol.drawing.video import save_film

            film = Film(motions, shot, shot.pixels(suffix), found, arrows, findings)
            save_film(film, shot.film_fps, temporary, suffix, progress)
        else:
            from gambol.drawing.player import to_html

            temporary.write_text(to_html(motions, apart=apart, physics=found), encoding="utf-8")
    return file


def check_drawable(
    file: Path, moments: int | None = None, physics: bool = False, judge: bool = False, shot: Shot = _USUAL
) -> None:
    """Raise an error for an extension that cannot be drawn, or options that cannot be drawn into it."""
    suffix = file.suffix.lower()
    if suffix not in DRAWN:
        raise InputError(f"'{suffix}' is not a picture, film or page", file=file, fix=f"choose {', '.join(DRAWN)}")
    if moments is not None and (suffix not in STRIPS or physics):
        raise InputError("moments are drawn into PNG, SVG or PDF, without physics", file=file)
    if judge and (moments is not None or suffix in PAGES):
        raise InputError("faults are marked in strips and films", file=file, fix="name it .png or .mp4")
    if judge and physics and suffix in STRIPS:
        raise InputError("a strip shows faults or physics", file=file, fix="draw one of them, or name it .mp4")
    if moments is not None and shot.ghost is not None:
        raise InputError("moments have no ghost", file=file, fix="leave out --moments, or name it .mp4")
    shot.check(file, film=suffix in FILMS, page=suffix in PAGES)


def check_picture(file: Path) -> None:
    """Raise an error for an extension that is not that of a still picture."""
    if file.suffix.lower() not in STRIPS:
        raise InputError(f"'{file.suffix}' is not a picture", file=file, fix=f"choose {', '.join(STRIPS)}")
