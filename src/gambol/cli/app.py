"""All commands in the order of `gambol --help`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gambol.cli import (
    augment,
    bench,
    check,
    compose,
    convert,
    crowd,
    demo,
    edit,
    family,
    family_play,  # noqa: F401 (registers subcommands of family)
    fix,
    humanoid,
    info,
    interact,
    join,
    loop,
    poses,
    primitives,
    push,
    push_map,
    push_stream,
    render,
    reproduce,
    responder,
    retarget,
    retarget_stream,
    rig,
    sketch,
    style,
    view,
)
from gambol.cli.options import expand_groups
from gambol.version import __version__

PANELS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Look": {
        "info": info.info,
        "check": check.check,
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
        "responder": responder.responder_app,
        "interact": interact.interact_app,
        "style": style.style_app,
    },
    "Many": {"family": family.family_app, "compose": compose.compose, "crowd": crowd.crowd},
    "Robots": {
        "retarget-stream": retarget_stream.retarget_stream,
        "augment": augment.augment,
        "humanoid": humanoid.humanoid_app,
    },
    "Evidence": {"reproduce": reproduce.reproduce, "bench": bench.bench},
}
"""The commands as `gambol --help` groups them."""


class _InPanels(TyperGroup):
    """Lists the commands in the order of the panels."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for names in PANELS.values() for name in names]


app = typer.Typer(
    cls=_InPanels,
    name="gambol",
    help="Give a captured or sketched character motion the physics it lacks.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
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
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name, rich_help_panel=panel)
        else:
            app.command(name, rich_help_panel=panel)(expand_groups(command))
