"""What the claims about styles share: recordings, and the styles learned from them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gambol.spacetime.edits.verb import prepare_clip
from gambol.styles.scene import StyleScene, fit_scene
from gambol.styles.task import StyleTask, draft_task, make_scene
from gambol.styles.verb import StyleResult, choose_part, learn_style
from gambol_evidence.reproduce.recordings import load_cmu_clip

STYLED_WALKS = ("02_01", "07_01", "12_01", "16_31", "35_01", "37_01", "82_11")
"""Walks of seven people."""
STYLED_RUN = "09_01"


class StyleSetting:
    """Recordings, and what was learned from them."""

    def __init__(self, data: Path) -> None:
        self.data = data

    @cache  # noqa: B019 (one setting lives as long as the program)
    def learn(self, name: str, start: float | None = None, end: float | None = None) -> StyleResult:
        """Return the style of a recording, or of a part of it (s)."""
        return learn_style(load_cmu_clip(self.data, name), name=name, start=start, end=end)

    @cache  # noqa: B019
    def fit(self, name: str, start: float | None = None, end: float | None = None) -> StyleScene:
        """Return the footprints of a recording, with its motion fitted to physics as reference."""
        motion = load_cmu_clip(self.data, name)
        clip, _ = prepare_clip(motion, *choose_part(motion, start, end))
        scene = make_scene(draft_task(clip, StyleTask()))
        return scene.with_reference(fit_scene(scene).q)
