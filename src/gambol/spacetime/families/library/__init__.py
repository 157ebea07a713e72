"""The built-in families: line, grid and circle of L05 figure 4.4, and pairs of jumps to steer."""

from pathlib import Path

from gambol.io.library import Library

_LIBRARY = Library(Path(__file__).parent, "family")
names, find, about = _LIBRARY.names, _LIBRARY.find, _LIBRARY.about
