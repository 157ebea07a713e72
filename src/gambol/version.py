"""The version of the package, also written into outputs."""

__version__ = "0.1.0"
