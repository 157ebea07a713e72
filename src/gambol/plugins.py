"""What other packages add to gambol: objects that they declare as entry points, found by group and name."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

from gambol.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Made = TypeVar("Made")


def find_plugins(group: str, taken: Collection[str] = ()) -> tuple[dict[str, EntryPoint], list[str]]:
    """Return the entry points of a group by name, none loaded, and a line for each whose name is taken."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    ignored = []
    for entry in sorted(entry_points(group=group), key=lambda entry: (name_package(entry), entry.name)):
        if entry.name in taken or entry.name in found:
            owner = "gambol" if entry.name in taken else name_package(found[entry.name])
            ignored.append(f"'{entry.name}' of {name_package(entry)} is ignored: {owner} has one of that name")
        else:
            found[entry.name] = entry
    return found, ignored


def load_plugin(entry: EntryPoint, convert: Callable[[Any], Made]) -> Made:
    """Return what `convert` makes of the object of an entry point."""
    try:
        return convert(entry.load())
    except Exception as error:
        package = name_package(entry)
        problem = f"'{entry.name}' of {package} cannot be loaded: {type(error).__name__}: {error}"
        raise InputError(problem, fix=f"update or uninstall {package}") from error


def name_package(entry: EntryPoint) -> str:
    """Return the name of the distribution that declares an entry point."""
    return str(entry.dist.name) if entry.dist else entry.module
