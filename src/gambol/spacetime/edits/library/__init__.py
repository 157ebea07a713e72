"""The built-in edits: those of L05 section 4.5, and two of walks."""

from pathlib import Path

from gambol.io.library import Library

_LIBRARY = Library(Path(__file__).parent, "edit")
names, find, about = _LIBRARY.names, _LIBRARY.find, _LIBRARY.about
