"""What commands say on the side: notes, and how a solver gets on."""

from __future__ import annotations

import sys

import typer


def say(line: str) -> None:
    """A line for a person."""
    typer.echo(line, err=True)


def show_iteration(iteration: int, cost: float, violation: float) -> None:
    """Where a solver is, in one line that is written over."""
    if sys.stderr.isatty():
        typer.echo(f"\riteration {iteration}: cost {cost:.4g}, off by {violation:.1e}   ", err=True, nl=False)


def clear_line() -> None:
    """End that line."""
    if sys.stderr.isatty():
        typer.echo("\r" + " " * 60 + "\r", err=True, nl=False)
