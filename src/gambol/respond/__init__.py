"""A character answers pushes in real time."""

from __future__ import annotations

from gambol.respond.clip_responder import NearUnactuated
from gambol.respond.clips import answer, near_unactuated
from gambol.respond.model import Gains, learn
from gambol.respond.responder import Responder
from gambol.respond.stepping import respond, start, step

__all__ = ["Gains", "NearUnactuated", "Responder", "answer", "learn", "near_unactuated", "respond", "start", "step"]
