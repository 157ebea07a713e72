"""Find robots by name or file, and read their descriptions, whichever format they have.

Names are those of the files of this package, and of entry points of other packages (group `gambol.robots`: a path, or
a function that returns one).
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

from gambol.body.robot_description import RobotDescription
from gambol.body.urdf import EXPAND_XACRO, NOT_XML, read_urdf
from gambol.errors import InputError, missing_file_error
from gambol.io.yaml_entries import YamlEntry, read_yaml_entry
from gambol.plugins import find_plugins, load_plugin
from gambol.robots.mjcf_description import read_mjcf

_DESCRIPTIONS, _FILES = (".urdf", ".xml", ".mjcf"), (".yaml", ".yml")
_BUILT_IN = {path.stem: path for path in (Path(__file__).parent / "library").glob("*.yaml")}
_GROUP = "gambol.robots"


def list_robots() -> list[str]:
    """Return the names of the robots that are known."""
    return sorted({*_BUILT_IN, *find_plugins(_GROUP)[0]})


def is_robot(path: Path) -> bool:
    """Return whether a path is that of a robot's description or file, or the name of a known robot."""
    return path.suffix.lower() in (*_DESCRIPTIONS, *_FILES) or _is_name(path)


def find_robot(path: Path) -> Path:
    """Return the file of a robot that is given by its name, else the path itself."""
    if not _is_name(path):
        return path
    name = str(path)
    return _BUILT_IN[name] if name in _BUILT_IN else load_plugin(find_plugins(_GROUP)[0][name], _convert)


def is_robot_file(path: Path) -> bool:
    """Return whether a path is that of a robot file ('gambol rig ROBOT' writes one)."""
    return path.suffix.lower() in _FILES


def read_description(path: Path) -> RobotDescription:
    """Read a URDF or MJCF file, that of a robot with a name (jvrc1, g1, talos), or the one a robot file names."""
    path = find_robot(path)
    if is_robot_file(path):
        path = _find_described(read_yaml_entry(path, "the robot file"), path)
    if path.suffix.lower() == ".xacro":
        raise InputError("it has macros of xacro", file=path, fix=EXPAND_XACRO)
    if path.suffix.lower() not in _DESCRIPTIONS:
        known = ", ".join((*_DESCRIPTIONS, ".yaml (from 'gambol rig')", *list_robots()))
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


def _is_name(path: Path) -> bool:
    return str(path) in list_robots() and not path.exists()


def _convert(given: Any) -> Path:
    """Return the path that a package gives, or that its function returns."""
    return Path(given() if callable(given) else given)


def _find_described(file: YamlEntry, path: Path) -> Path:
    """Return the description that a robot file names: in a package, relative to the file, or of a known robot."""
    entries = file.read_mapping()
    if "robot" not in entries:
        raise InputError("the file names no robot", file=path, fix="add a line such as 'robot: g1.xml'")
    name = entries["robot"].read_text()
    if "package" in entries:
        return _find_installed(entries["package"], name)
    named = find_robot(Path(name))
    if named == Path(name):
        return path.parent / name
    return _find_described(read_yaml_entry(named, "the robot file"), named) if is_robot_file(named) else named


def _find_installed(package: YamlEntry, name: str) -> Path:
    try:
        return Path(str(distribution(package.read_text()).locate_file(name)))
    except PackageNotFoundError:
        problem = f"the Python package '{package.value}' is not installed"
        raise package.error(problem, f"pip install {package.value}") from None
