"""Read a robot's description, whichever format it has."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

from gambol.body.robot_description import RobotDescription
from gambol.body.urdf import EXPAND_XACRO, NOT_XML, read_urdf
from gambol.errors import InputError, missing_file_error
from gambol.io.yaml_entries import read_yaml_entry
from gambol.robots.mjcf_description import read_mjcf
from gambol.robots.robot import list_robots, load_robot

_DESCRIPTIONS, _MAPPINGS = (".urdf", ".xml", ".mjcf"), (".yaml", ".yml")


def is_robot(path: Path) -> bool:
    """Return whether a path is that of a robot's description or mapping file, or the name of a configured robot."""
    return path.suffix.lower() in (*_DESCRIPTIONS, *_MAPPINGS) or _is_configured(path)


def is_mapping(path: Path) -> bool:
    """Return whether a path is that of a mapping file ('gambol rig ROBOT' writes one)."""
    return path.suffix.lower() in _MAPPINGS


def read_description(path: Path) -> RobotDescription:
    """Read a URDF or MJCF file, that of a robot that is configured (jvrc1, g1, talos), or the one a mapping names."""
    if is_mapping(path):
        path = _find_mapped(path)
    if _is_configured(path):
        return load_robot(str(path)).description
    if path.suffix.lower() == ".xacro":
        raise InputError("it has macros of xacro", file=path, fix=EXPAND_XACRO)
    if path.suffix.lower() not in _DESCRIPTIONS:
        known = ", ".join((*_DESCRIPTIONS, ".yaml (a mapping)", *list_robots()))
        raise InputError("not the description of a robot", file=path, fix=f"give {known}")
    if not path.is_file():
        raise missing_file_error(path)
    return read_urdf(path) if _find_root(path) == "robot" else read_mjcf(path)


def _find_root(path: Path) -> str:
    """Return the name of the outermost element; of a file that is not XML, what its suffix says."""
    try:
        with path.open("rb") as stream:
            _, root = next(Xml.iterparse(stream, ("start",)))
            return root.tag.rpartition("}")[2]
    except OSError as error:
        raise InputError("cannot be read", file=path, fix=str(error.strerror)) from None
    except NOT_XML:  # MuJoCo reads some that no other parser does, such as '--' in comments
        return "robot" if path.suffix.lower() == ".urdf" else "mujoco"


def _is_configured(path: Path) -> bool:
    return str(path) in list_robots() and not path.exists()


def _find_mapped(path: Path) -> Path:
    """Return the robot that a mapping file names: a file relative to it, or a name."""
    entry = read_yaml_entry(path, "the mapping").read_mapping().get("robot")
    if entry is None:
        raise InputError("the mapping names no robot", file=path, fix="add a line such as 'robot: g1.xml'")
    name = Path(entry.read_text())
    return name if _is_configured(name) else path.parent / name
