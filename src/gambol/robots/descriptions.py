"""Read a robot's description, whichever format it has."""

from __future__ import annotations

from pathlib import Path

from gambol.body.robot_description import RobotDescription
from gambol.body.urdf import read_urdf
from gambol.errors import InputError
from gambol.robots.mjcf_description import read_mjcf
from gambol.robots.robot import list_robots, load_robot

_SUFFIXES = (".urdf", ".xml", ".mjcf")


def is_robot(path: Path) -> bool:
    """Return whether a path is that of a robot's description, or the name of a robot that is configured."""
    return path.suffix.lower() in _SUFFIXES or (str(path) in list_robots() and not path.exists())


def read_description(path: Path) -> RobotDescription:
    """Read a URDF or MJCF file, or that of a robot that is configured (jvrc1, g1, talos)."""
    if str(path) in list_robots() and not path.exists():
        return load_robot(str(path)).description
    if not is_robot(path):
        raise InputError(
            "not the description of a robot", file=path, fix=f"give {', '.join((*_SUFFIXES, *list_robots()))}"
        )
    if not path.is_file():
        raise InputError("no such file", file=path, fix="check the path")
    return read_urdf(path) if b"<robot" in path.read_bytes()[:4096] else read_mjcf(path)
