"""Usage errors in one line: what was given, what the option takes, and where the help of the command is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from gambol.errors import make_line

if TYPE_CHECKING:
    from typer import TyperException

_NUMBERS = {"float_parsing": "number", "int_parsing": "whole number", "int_from_float": "whole number"}
"""What an option takes, by the kind of the error that its parser reports."""


def name_command(error: TyperException) -> str:
    """Return the command that was used wrongly, such as "gambol push"."""
    context = getattr(error, "ctx", None)
    if context is None:  # an option at the end of the line that lacks values
        return " ".join(("gambol", *sys.argv[1:2]))
    return str(context.command_path)


def describe_usage_error(error: TyperException) -> str:
    """Return what is wrong with the arguments of a command, and where its help is."""
    advice = f" (see {name_command(error)} --help)"
    problem = _describe_number(error) or error.format_message().replace("Value error, ", "").rstrip(".")
    return make_line(problem, 230) + advice


def _describe_number(error: TyperException) -> str:
    """Return the message for a value that is not a number where one or several are expected; empty for other errors."""
    parser: Any = error.__cause__
    option: Any = getattr(error, "param", None)
    found = parser.errors()[0] if option is not None and hasattr(parser, "errors") else {"type": ""}
    if found["type"] not in _NUMBERS:
        return ""
    count = f"{option.nargs} " if option.nargs > 1 else "a "
    wanted = count + _NUMBERS[found["type"]] + "s" * (option.nargs > 1)
    return f"{option.get_error_hint()} takes {wanted}, and '{found['input']}' is not one"
