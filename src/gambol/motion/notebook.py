"""The player that notebooks show for motions.

Drawing imports motions, and not the other way: `gambol/__init__.py`, which knows both, sets the function on import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

embed_player: Callable[[Any], str]
"""Returns the player of a motion, or of several, as HTML for a cell of a notebook."""
