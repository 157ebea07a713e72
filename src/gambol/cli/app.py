"""All commands in the order of `gambol --help`: gambol's own, then those of other packages."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from gambol.cli import (
    augment,
    check,
    compose,
    contacts,
    convert,
    crowd,
    demo,
    edit,
    family,
    family_play,  # noqa: F401 (registers subcommands of family)
    fix,
    humanoid,
    info,
    interaction,
    join,
    loop,
    poses,
    primitives,
    push,
    push_map,
    push_stream,
    render,
    retarget,
    retarget_stream,
    rig,
    sketch,
    style,
    view,
    walker,
)
from gambol.cli.methods import MethodCommand
from gambol.cli.options import expand_groups
from gambol.errors import InputError, make_line
from gambol.plugins import find_plugins, load_plugin, name_package
from gambol.version import __version__

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Command = Callable[..., None] | typer.Typer
"""A function whose parameters are arguments and options, or a group of subcommands."""

PANELS: dict[str, dict[str, Command]] = {
    "Look": {
        "info": info.info,
        "check": check.check,
        "contacts": contacts.contacts,
        "view": view.view,
        "render": render.render,
        "demo": demo.demo,
    },
    "Repair": {
        "fix": fix.fix,
        "loop": loop.loop,
        "convert": convert.convert,
        "retarget": retarget.retarget,
        "rig": rig.rig,
    },
    "Push": {"push": push.push, "push-map": push_map.push_map, "push-stream": push_stream.push_stream},
    "Create and edit": {"sketch": sketch.sketch, "edit": edit.edit, "join": join.join, "poses": poses.poses},
    "Learn": {
        "primitives": primitives.primitives_app,
        "walker": walker.walker_app,
        "interaction": interaction.interaction_app,
        "style": style.style_app,
    },
    "Many": {"family": family.family_app, "compose": compose.compose, "crowd": crowd.crowd},
    "Robots": {
        "retarget-stream": retarget_stream.retarget_stream,
        "augment": augment.augment,
        "humanoid": humanoid.humanoid_app,
    },
}
"""The commands as `gambol --help` groups them."""


_ELSEWHERE = {"reproduce": "gambol-evidence", "bench": "gambol-evidence"}
"""Commands of this repository's second package."""


class _Commands(TyperGroup):
    """gambol's own commands in the order of the panels, then those of other packages, loaded where they are used."""

    @cached_property
    def _others(self) -> tuple[dict[str, EntryPoint], list[str]]:
        return find_plugins("gambol.commands", self.commands)

    def list_commands(self, ctx: Any) -> list[str]:
        self._load_others()
        own = [name for names in PANELS.values() for name in names]
        return own + [name for name in self._others[0] if name in self.commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            if entry := self._others[0].get(cmd_name):
                self.commands[cmd_name] = _load_command(entry)
            elif package := _ELSEWHERE.get(cmd_name):
                raise InputError(f"'{cmd_name}' is a command of {package}", fix=f"pip install {package}")
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        super().format_help(ctx, formatter)
        for problem in self._load_others():
            print(f"gambol: {make_line(problem)}", file=sys.stderr)

    def _load_others(self) -> list[str]:
        """Load the commands of other packages; return a line for each that cannot be used."""
        others, problems = self._others
        for name in others:
            try:
                self.get_command(None, name)
            except InputError as error:
                problems = [*problems, str(error)]
        return problems


def _load_command(entry: EntryPoint) -> Any:
    """Return the command of another package; the help lists it under the name of the package."""

    def convert(command: Command) -> Any:
        if not isinstance(command, typer.Typer) and not callable(command):
            raise TypeError("expected a function or a typer.Typer")
        alone = _make_app()
        alone.callback()(lambda: None)
        _add_command(alone, entry.name, command, f"From {name_package(entry)}")
        return typer.main.get_group(alone).commands[entry.name]

    return load_plugin(entry, convert)


def _make_app(**options: Any) -> typer.Typer:
    return typer.Typer(pretty_exceptions_enable=False, rich_markup_mode="markdown", **options)


def _add_command(to: typer.Typer, name: str, command: Command, panel: str) -> None:
    if isinstance(command, typer.Typer):
        to.add_typer(command, name=name, rich_help_panel=panel)
    else:
        kind = MethodCommand if hasattr(command, "takes_method") else None
        to.command(name, cls=kind, rich_help_panel=panel)(expand_groups(command))


app = _make_app(
    cls=_Commands,
    name="gambol",
    help="Give a captured or sketched character motion the physics it lacks.",
    no_args_is_help=True,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
]


@app.callback()
def gambol(version: Version = False) -> None:
    """Give a captured or sketched character motion the physics it lacks."""


for panel, commands in PANELS.items():
    for name, command in commands.items():
        _add_command(app, name, command, panel)
