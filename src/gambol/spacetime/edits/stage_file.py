"""Write the detected stages of a clip to YAML, and read a corrected file (L05 section 4.4.2)::

    stages:
      - {stage: ground, until: 1.15}
      - {stage: flight, until: 1.55}
      - {stage: ground, until: 2.92}

A stage begins where the one before it ends; times are in seconds of the clip, or of the part that is edited.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from gambol.errors import InputError
from gambol.io.output import write_text
from gambol.io.yamls import check_choice, check_list, check_mapping, check_number, read_yaml
from gambol.motion.contacts import StageKind
from gambol.spacetime.contact_plan import FrameMask
from gambol.spacetime.edits.parts import EditableClip


class StageEnd(NamedTuple):
    """The kind of a stage, and when it ends (s)."""

    kind: StageKind
    until: float


def write_stages(clip: EditableClip, path: Path, overwrite: bool = True) -> Path:
    """Write the stages of a clip."""
    lines = [
        f"# Stages of {clip.fitted.source.name}. Correct kinds and times (seconds), add or remove stages, and pass the",
        "# file as --stages FILE. Ground and flight alternate; the last stage ends with the clip.",
        "stages:",
    ]
    for stage in clip.stages:
        until = (stage.last + 1) * clip.frame_time
        lines.append(f"  - {{stage: {stage.kind}, until: {until:.4f}}}  # {stage.name}: {stage.about}")
    return write_text(path, "\n".join(lines) + "\n", overwrite)


def read_stages(path: Path) -> tuple[StageEnd, ...]:
    """Read stages from a YAML file."""
    content = read_yaml(path)
    try:
        return parse_stages(content)
    except InputError as error:
        raise InputError(error.problem, file=path, fix=error.fix) from None


def parse_stages(content: Any) -> tuple[StageEnd, ...]:
    """Make stages from parsed YAML."""
    given = check_mapping(content, "a file of stages", ("stages",))
    out: list[StageEnd] = []
    for entry in check_list(given.get("stages", []), "stages"):
        fields = check_mapping(entry, "a stage", ("stage", "until"))
        kind = check_choice(fields.get("stage"), "stage", get_args(StageKind))
        until = check_number(fields.get("until"), "until", 1e6)
        if until <= (out[-1].until if out else 0.0):
            raise InputError(
                f"a {kind} stage ends at {until:g} s, not after its start", fix="times increase from stage to stage"
            )
        if out and out[-1].kind == kind:
            raise InputError(f"two {kind} stages follow each other at {out[-1].until:g} s", fix="write them as one")
        out.append(StageEnd(kind, until))
    if not any(stage.kind == "ground" for stage in out):
        raise InputError("there is no ground stage", fix="stages: [{stage: ground, until: 1.5}]")
    return tuple(out)


def mark_flights(stages: tuple[StageEnd, ...], frames: int, frame_time: float) -> FrameMask:
    """Return (frames,) whether a frame is in a flight."""
    ends = [round(stage.until / frame_time) for stage in stages]
    if ends[-1] not in (frames - 1, frames):
        raise InputError(
            f"the stages end at {stages[-1].until:g} s, and the clip at {frames * frame_time:.4g} s",
            fix="the last stage ends with the clip",
        )
    ends[-1] = frames
    short = next((n for n, (first, end) in enumerate(zip([0, *ends], ends, strict=False)) if end <= first), None)
    if short is not None:
        raise InputError(
            f"the {stages[short].kind} stage until {stages[short].until:g} s has no frame",
            fix=f"a stage lasts {frame_time:.4g} s or more",
        )
    return np.repeat([stage.kind == "flight" for stage in stages], np.diff([0, *ends]))
