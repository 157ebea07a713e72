"""How a picture or film is taken: view, size, pictures per second, ghost and trails."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from gambol.errors import InputError

if TYPE_CHECKING:
    from gambol.motion.motion import Motion

View = Literal["three-quarter", "side", "front", "back", "top", "orbit"]
"""Where a scene is seen from; side is the characters' right side, orbit goes around them."""
VIEWS: tuple[View, ...] = get_args(View)
Look = Literal["plain", "studio"]
"""How a still picture is drawn: painted in milliseconds, or by following light for minutes."""
LOOKS: tuple[Look, ...] = get_args(Look)
FILM_FPS = 30.0
"""Usual number of pictures per second: every frame, every second or every fourth of most recordings."""
_SIZES = {".gif": (640, 400), ".mp4": (1280, 720)}
_NAMED = {"480p": (854, 480), "720p": (1280, 720), "1080p": (1920, 1080), "1440p": (2560, 1440), "4k": (3840, 2160)}
_SMALLEST, _LARGEST = 64, 4096
_FASTEST = {".gif": 50.0, ".mp4": 240.0}


@dataclass(frozen=True)
class Shot:
    """Options of a picture or film; None is the usual value."""

    view: View = "three-quarter"
    """Where it is seen from."""
    size: str | None = None
    """Of a film, in pixels, such as "1920x1080", or "720p", "1080p", "4k"."""
    fps: float | None = None
    """Pictures of a film per second."""
    trails: bool = False
    """Draw the paths of hands and centre of mass into a film."""
    ghost: Motion | None = None
    """A motion to draw translucently behind the others, such as the clip before an edit."""
    look: Look = "plain"
    """How a still picture is drawn."""

    def __post_init__(self) -> None:
        if self.look not in LOOKS:
            raise InputError(f"there is no look '{self.look}'", fix=f"choose {', '.join(LOOKS)}")
        if self.view not in VIEWS:
            raise InputError(f"there is no view '{self.view}'", fix=f"choose {', '.join(VIEWS)}")
        if self.size is not None:
            parse_size(self.size)

    def check(self, file: Path, film: bool, page: bool) -> None:
        """Raise an error for options that a file of this kind cannot show."""
        if page and self != Shot():
            raise InputError(
                "a page has no view, look, size, rate, ghost or trails", file=file, fix="look around in it"
            )
        if self.look == "studio" and (film or self.ghost is not None):
            raise InputError("the look 'studio' is for still pictures without a ghost", file=file, fix="name it .png")
        if film:
            fastest = _FASTEST[file.suffix.lower()]
            if self.fps is not None and not 1.0 <= self.fps <= fastest:
                raise InputError(f"--fps must be 1 to {fastest:g} for {file.suffix}, not {self.fps:g}", file=file)
        elif self.size is not None or self.fps is not None or self.trails:
            raise InputError("size, fps and trails are for films", file=file, fix="name it .mp4 or .gif")
        elif self.view == "orbit":
            raise InputError("a still picture has no orbit", file=file, fix="choose another view, or name it .mp4")

    @property
    def film_fps(self) -> float:
        """Pictures of a film per second."""
        return FILM_FPS if self.fps is None else self.fps

    def pixels(self, suffix: str) -> tuple[int, int]:
        """Return width and height of a film."""
        return _SIZES[suffix] if self.size is None else parse_size(self.size)


def parse_size(text: str) -> tuple[int, int]:
    """Return width and height in pixels of a size such as "1920x1080" or "1080p"."""
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    match = re.fullmatch(r"(\d+)x(\d+)", text.strip().lower())
    if match is None:
        raise InputError(f"'{text}' is not a size", fix=f"write it as 1920x1080, or choose {', '.join(_NAMED)}")
    width, height = int(match[1]), int(match[2])
    if not (min(width, height) >= _SMALLEST and max(width, height) <= _LARGEST):
        raise InputError(f"{text}: width and height must be {_SMALLEST} to {_LARGEST} pixels")
    if width % 2 or height % 2:
        fix = f"choose {width + width % 2}x{height + height % 2}"
        raise InputError(f"{text}: width and height of a film must be even", fix=fix)
    return width, height
