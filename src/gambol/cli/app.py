"""All commands in the order of `gambol --help`."""

from __future__ import annotations

from typing import Annotated

import typer

from gambol.cli import (
    bench,
    check,
    convert,
    crowd,
    demo,
    edit,
    family,
    family_drive,
    family_play,
    family_reach,
    fix,
    info,
    join,
    loop,
    poses,
    primitives,
    push,
    push_map,
    push_stream,
    render,
    reproduce,
    retarget,
    rig,
    sketch,
    view,
)
from gambol.version import __version__

app = typer.Typer(
    name="gambol",
    help="Give a captured or sketched character motion the physics it lacks.",
    no_args_is_help=True,
    add_completion=False,
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


for command in (
    demo.demo,
    info.info,
    check.check,
    push.push,
    push_map.push_map,
    push_stream.push_stream,
    fix.fix,
    sketch.sketch,
    edit.edit,
    crowd.crowd,
    convert.convert,
    loop.loop,
    join.join,
    retarget.retarget,
    view.view,
    render.render,
    rig.rig,
    reproduce.reproduce,
    bench.bench,
):
    app.command()(command)
for use in (family_play.play, family_reach.reach, family_drive.drive):
    family.family_app.command(context_settings=family_play.NEGATIVE)(use)
app.add_typer(family.family_app, name="family")
app.add_typer(primitives.primitives_app, name="primitives")
app.add_typer(poses.poses, name="poses")
