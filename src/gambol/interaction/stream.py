"""A partner over lines of JSON, for a tracker or a game engine: a sample of a hand in, a pose out.

The first line out is a header: joints of the rig, styles, frame time. Then every line in gets exactly one line out: a
pose, or an error that leaves the state unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gambol.errors import InputError
from gambol.interaction.model import InteractionModel
from gambol.interaction.partner import Partner, PartnerFrame, place_partner
from gambol.interaction.trials import NEUTRAL
from gambol.io.json_lines import check_keys, parse_numbers, parse_object
from gambol.judge.recent import RecentFrames
from gambol.version import __version__

_EXAMPLE = '{"hand": [0.9, 0.1, 1.2]} is a sample, {"hand": null} a missing one'
_KEYS = ("hand", "style", "seconds")
_FARTHEST = 1e3
_LONGEST = 10.0
"""Largest coordinate (m) of a hand, and longest time (s) between samples."""


class PartnerStream:
    """Answers lines of JSON with the poses of person 1."""

    def __init__(self, model: InteractionModel, style: Mapping[str, float] = NEUTRAL) -> None:
        self._partner = Partner(model)
        self._style = dict(style)
        self._time = 0.0
        self._state = self._partner.start(self._style)
        _, frame = self._partner.step(self._state, None, self._style)
        self._recent = RecentFrames(place_partner(model, frame))

    @property
    def header(self) -> dict[str, Any]:
        """The first line out."""
        model = self._partner.model
        skeleton = model.people[0].arm.skeleton
        return {
            "gambol": __version__,
            "frame_time": model.frame_time,
            "styles": ["neutral", *model.emotions],
            "joints": list(skeleton.names),
            "parents": list(skeleton.parents),
            "offsets": skeleton.offsets.tolist(),
        }

    def answer(self, line: str | bytes) -> dict[str, Any]:
        """Answer a line with the pose, or with an error."""
        try:
            return self._advance(parse_object(line, _EXAMPLE))
        except InputError as error:
            return {"error": str(error)}

    def _advance(self, asked: dict[str, Any]) -> dict[str, Any]:
        check_keys(asked, _KEYS, "a sample")
        if "hand" not in asked:
            raise InputError("a sample has no hand", fix=_EXAMPLE)
        hand = None if asked["hand"] is None else np.array(parse_numbers(asked["hand"], "a hand"))
        if hand is not None and (hand.shape != (3,) or np.abs(hand).max() > _FARTHEST):
            raise InputError("a hand has three numbers, in metres from person 1", fix=_EXAMPLE)
        style = self._parse_style(asked["style"]) if "style" in asked else self._style
        seconds = self._partner.model.frame_time
        if "seconds" in asked:
            (seconds,) = parse_numbers([asked["seconds"]], "seconds")
            if not 0.0 < seconds <= _LONGEST:
                raise InputError(f"{seconds:g} seconds since the last sample", fix=f"use 0 to {_LONGEST:g}")
        self._state, frame = self._partner.step(self._state, hand, style, seconds)
        self._style, self._time = style, self._time + seconds
        self._recent.add(place_partner(self._partner.model, frame).q[0], seconds)
        return self._describe(frame)

    def judge(self) -> dict[str, Any]:
        """Return the last line out: what a viewer would see in the last minute."""
        return {"judgement": self._recent.judge().facts()}

    def _parse_style(self, style: Any) -> dict[str, float]:
        if not isinstance(style, dict):
            raise InputError("a style is not an object", fix='{"happy": 0.5, "sad": 0.5}, or {} for neutral')
        shares = dict(zip(style, parse_numbers(list(style.values()), "a style"), strict=True))
        shares.pop("neutral", None)
        self._partner.model.course.share_styles(shares)
        return shares

    def _describe(self, frame: PartnerFrame) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "time": round(self._time, 6),
            "phase": frame.estimate.phase,
            "contact": frame.estimate.goal.tolist(),
            "root": frame.local.positions[0, 0].tolist(),
            "rotations": frame.local.rotations[0].tolist(),
        }
        return facts | ({"outside": frame.outside} if frame.outside else {})
