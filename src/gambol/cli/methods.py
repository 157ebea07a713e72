"""`--method NAME`: a command that takes a method shows and accepts the options of that method only."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import wraps
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Optional, Union, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperCommand

from gambol.cli.options import expand_groups
from gambol.errors import InputError
from gambol.plugins import find_plugins, load_plugin

Method = Any
"""The parameter of a command that is a method, made of the options of its class."""
_GROUP, _DEFAULT = "gambol.methods", "near-unactuated"
_ELSEWHERE = {"as-printed": "gambol-evidence"}
"""Methods of this repository's second package."""


class MethodCommand(TyperCommand):
    """A command whose options follow from the method in its arguments."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Take the options of the method that is asked for."""
        chosen = _find_asked(args)
        if chosen in find_plugins(_GROUP)[0] or not extra.get("resilient_parsing"):
            command: Any = self.callback
            alone = typer.Typer(add_completion=False)
            alone.command()(expand_groups(take_method(command.takes_method, chosen)))
            made = typer.main.get_command(alone)
            self.params, self.callback = made.params, made.callback
        try:
            return super().make_context(info_name, args, parent, **extra)
        except typer.TyperException as error:
            option = str(getattr(error, "option_name", ""))
            if owners := [name for name in _list_others(chosen) if option in _name_options(name)]:
                problem = f"{option} is an option of --method {' and '.join(owners)}, not of {chosen}"
                raise InputError(problem, fix=f"leave it out, or pass --method {owners[0]}") from None
            raise


def take_method(command: Callable[..., None], name: str | None = None) -> Callable[..., None]:
    """Return a command whose parameter `method` became `--method` and the options of the method of a name."""
    hints = get_type_hints(command, include_extras=True)
    kind, options = None, list[inspect.Parameter]()
    if name is not None:
        kind = load_method(name)
        options = [option for _, option in _list_options(name, kind)]
    asked = inspect.Parameter("method", inspect.Parameter.KEYWORD_ONLY, default=_DEFAULT, annotation=_Name)
    own = inspect.signature(command).parameters
    if clash := [option.name for option in options if option.name in own]:
        raise InputError(f"the option '{clash[0]}' of --method {name} is one of the command", fix="rename its field")
    parameters = []
    for parameter in own.values():
        keyword = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[parameter.name])
        parameters += [asked, *options] if parameter.name == "method" else [keyword]

    @wraps(command)
    def taking(**values: Any) -> None:
        given = {option.name: values.pop(option.name) for option in options}
        assert kind is not None
        for field in fields(kind):
            if _find_type(kind, field) is _Clip and given.get(field.name) is not None:
                given[field.name] = values["reading"].load(given[field.name], values["writing"])
        values["method"] = kind(**given)
        command(**values)

    taking.takes_method = command  # type: ignore[attr-defined]
    taking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    taking.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return taking


def load_method(name: str) -> Any:
    """Return the class of a method."""
    found = find_plugins(_GROUP)[0]
    if name not in found and name in _ELSEWHERE:
        raise InputError(f"'{name}' is a method of {_ELSEWHERE[name]}", fix=f"pip install {_ELSEWHERE[name]}")
    if name not in found:
        raise InputError(f"no method '{name}'", fix=f"choose one of {', '.join(found)}")
    return load_plugin(found[name], _check_class)


def _check_class(found: Any) -> Any:
    if not (isinstance(found, type) and is_dataclass(found) and callable(getattr(found, "respond", None))):
        raise TypeError("expected a dataclass with a function respond(task)")
    return found


def _complete(incomplete: str) -> list[str]:
    return [name for name in find_plugins(_GROUP)[0] if name.startswith(incomplete)]


_Name = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        autocompletion=_complete,
        help="How pushes are answered: near-unactuated keeps the feet; replan takes steps; learned takes steps in real "
        "time, by a model. '--method NAME --help' shows the options of one.",
    ),
]


def _find_asked(args: list[str]) -> str:
    """Return the method that the arguments of a command ask for."""
    chosen = _DEFAULT
    for before, word in pairwise(["", *args]):
        if before == "--method":
            chosen = word
        elif word.startswith("--method="):
            chosen = word.removeprefix("--method=")
    return chosen


def _list_others(chosen: str) -> list[str]:
    return [name for name in find_plugins(_GROUP)[0] if name != chosen]


def _name_options(name: str) -> list[str]:
    """Return the options of a method as they are written; none of one that cannot be loaded."""
    try:
        kind = load_method(name)
    except InputError:
        return []
    return [f"--{option.name.replace('_', '-')}" for _, option in _list_options(name, kind)]


def _list_options(name: str, kind: Any) -> Iterator[tuple[Field[Any], inspect.Parameter]]:
    """Yield the fields of a method that a command line can give, each as a parameter of a command."""
    for field in fields(kind):
        if not field.init or (taken := _find_type(kind, field)) is None:
            continue
        default = field.default if field.default_factory is MISSING else field.default_factory()
        flag = [f"--{field.name.replace('_', '-')}"] if taken is bool and default is False else []
        option = typer.Option(*flag, help=field.metadata.get("help", ""), rich_help_panel=f"Method {name}")
        taken = Path if taken is _Clip else taken
        annotation: Any = Annotated[Optional[taken] if default is None else taken, option]  # noqa: UP045
        given = inspect.Parameter.empty if default is MISSING else default
        yield field, inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=given, annotation=annotation)


class _Clip:
    """Stands for a motion, which the command line takes as a file and reads as it reads its own clip."""


def _find_type(kind: Any, field: Field[Any]) -> Any:
    """Return the type that the command line takes for a field, without None; None if it can take none."""
    taken = field.metadata.get("type", field.type)
    if isinstance(taken, str):
        try:
            alone = type("Alone", (), {"__annotations__": {field.name: taken}})
            taken = get_type_hints(alone, vars(sys.modules[kind.__module__]), include_extras=True)[field.name]
        except NameError:  # imported for type checkers only
            return None
    if get_origin(taken) in (Union, UnionType):
        several = [one for one in get_args(taken) if one is not NoneType]
        taken = several[0] if len(several) == 1 else None
    if getattr(taken, "__qualname__", "") == "Motion":
        return _Clip
    parts = get_args(taken) if get_origin(taken) is tuple else (taken,)
    simple = all(part in (int, float, str, bool, Path) for part in parts)
    return taken if simple or get_origin(taken) is Literal else None
