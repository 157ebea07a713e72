"""Built-in scenes: walkers among poles, in flows and at a door, marches, a dance."""

from pathlib import Path

from gambol.io.library import Library

_LIBRARY = Library(Path(__file__).parent, "scene")
names, find, about = _LIBRARY.names, _LIBRARY.find, _LIBRARY.about
