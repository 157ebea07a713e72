"""Editing a clip by its stages (L05 chapter 4): moved, turned, raised, higher, longer, under another gravity."""
