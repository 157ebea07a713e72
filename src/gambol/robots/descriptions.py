"""Read a robot's description, whichever format it has."""

from __future__ import annotations

from pathlib import Path

from gambol.body.urdf import RobotDescription, read_urdf
from gambol.errors import InputError
from gambol.robots.mjcf_description import read_mjcf

ROBOT_SUFFIXES = (".urdf", ".xml", ".mjcf")


def read_description(path: Path) -> RobotDescription:
    """Read a URDF or MJCF file."""
    if not path.is_file():
        raise InputError("no such file", file=path, fix="check the path")
    if path.suffix.lower() not in ROBOT_SUFFIXES:
        raise InputError("not the description of a robot", file=path, fix=f"give one of {', '.join(ROBOT_SUFFIXES)}")
    return read_urdf(path) if b"<robot" in path.read_bytes()[:4096] else read_mjcf(path)
