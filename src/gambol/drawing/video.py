"""Write the pictures of a film: GIF, or MP4 with the `video` extra."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gambol.errors import MissingExtra
from gambol.progress import Progress, silent

Image = NDArray[np.uint8]
"""A picture (height, width, 4): red, green, blue, opaque."""
_COLORS, _SAMPLES = 128, 6
"""Colours of a GIF, and pictures that they are chosen from."""
_BT709 = 1
"""Number of the colour space of HD video: without it players guess."""


def save_film(film: Sequence[Image], fps: float, path: Path, suffix: str, progress: Progress = silent) -> None:
    """Write pictures as they are drawn, as ".gif" or ".mp4" with `fps` pictures per second."""
    if suffix == ".gif":
        _save_gif(film, fps, path, progress)
    else:
        _save_mp4(film, fps, path, progress)


def _report(film: Sequence[Image], progress: Progress) -> Iterator[Image]:
    for number in range(len(film)):
        yield film[number]
        progress("drawing", number + 1, len(film))


def _save_gif(film: Sequence[Image], fps: float, path: Path, progress: Progress) -> None:
    from PIL import Image as Pillow

    # One palette for all pictures: colours do not flicker, and what stands still takes no room.
    chosen = np.unique(np.linspace(0, len(film) - 1, _SAMPLES).round().astype(int))
    sample = Pillow.fromarray(np.concatenate([film[n][..., :3] for n in chosen.tolist()]))
    palette = sample.quantize(_COLORS, Pillow.Quantize.FASTOCTREE)  # keeps rare colours, such as those of arrows
    frames = [
        Pillow.fromarray(image[..., :3]).quantize(palette=palette, dither=Pillow.Dither.NONE)
        for image in _report(film, progress)
    ]
    # A GIF counts hundredths of a second: the delays differ where these do not divide the interval.
    times = np.round(100.0 / fps * np.arange(len(frames) + 1)).astype(int)
    delays = (10 * np.diff(times)).tolist()
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=delays, loop=0, optimize=True)


def _save_mp4(film: Sequence[Image], fps: float, path: Path, progress: Progress) -> None:
    try:
        import av
    except ImportError:
        raise MissingExtra("writing MP4", "video") from None

    height, width = film[0].shape[:2]
    with av.open(str(path), "w", format="mp4", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=Fraction(fps).limit_denominator(1001))
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": "superfast", "crf": "20"}
        tagged = stream.codec_context
        tagged.colorspace = tagged.color_primaries = tagged.color_trc = _BT709
        for image in _report(film, progress):
            frame = av.VideoFrame.from_ndarray(image, format="rgba")
            container.mux(stream.encode(frame.reformat(format="yuv420p", dst_colorspace="ITU709")))
        container.mux(stream.encode())
