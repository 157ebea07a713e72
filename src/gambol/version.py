"""The version, for everybody: outputs carry it."""

__version__ = "0.1.0"
