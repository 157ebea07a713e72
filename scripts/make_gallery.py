"""Draw the pictures of docs/sketch.md: every sketch that comes with gambol, rough above and solved below."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from gambol.fit.rig import clip_of
from gambol.render.strip import save_strip
from gambol.spacetime import open_poses, read_sketch, realise, sketches

WIDTH, COLOURS = 900, 96
FOLDER = Path(__file__).parent.parent / "docs" / "img"


def main() -> None:
    """Solve and draw all."""
    (FOLDER / "sketches").mkdir(parents=True, exist_ok=True)
    for name in sketches.names():
        found = realise(read_sketch(sketches.file(name)), open_poses())
        clips = [clip_of(found.plan.rough.motion), clip_of(found.outcome.motion)]
        save_strip(clips, FOLDER / "sketches" / f"{name}.png")
        shrink(FOLDER / "sketches" / f"{name}.png")
        print(f"{name}: {found.story}", flush=True)


def shrink(path: Path) -> None:
    """Make a picture small enough for a page with many."""
    picture = Image.open(path).convert("RGB")
    small = picture.resize((WIDTH, round(WIDTH * picture.height / picture.width)), Image.Resampling.LANCZOS)
    small.quantize(COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    main()
