"""The built-in scenes: those of L05 section 6.4, and some more."""

from pathlib import Path

from gambol.io.library import Library

_LIBRARY = Library(Path(__file__).parent, "scene")
names, find, about = _LIBRARY.names, _LIBRARY.find, _LIBRARY.about
