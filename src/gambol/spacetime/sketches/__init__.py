"""The sketches that come with gambol: those of L05 section 3.9.1."""

from pathlib import Path

from gambol.io.library import Library

_LIBRARY = Library(Path(__file__).parent, "sketch")
names, find, about = _LIBRARY.names, _LIBRARY.find, _LIBRARY.about
