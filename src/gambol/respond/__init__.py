"""A character answers pushes in real time."""
