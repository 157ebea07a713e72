"""The command line: one thin file a command; what a command does lives in the library."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from types import FrameType

from gambol.progress import is_accepted

_AGAIN = 0.5
"""Seconds after which a signal that has not ended the program is raised again."""


def main() -> None:
    """Run `gambol`. Bad input is one line on standard error and exit code 2; Ctrl-C exits with 130, SIGTERM 143."""
    handlers = {number: signal.signal(number, _stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        code = _run()
    except KeyboardInterrupt:
        code = 130
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if code in (130, 143):
        print("gambol: stopped", file=sys.stderr)
    sys.exit(code)


def _run() -> int:
    """Run the command that was asked for; return its exit code."""
    from typer import TyperException

    from gambol.cli.app import app
    from gambol.cli.usage import describe_usage_error, name_command
    from gambol.errors import GambolError, InputError

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the program that started this one
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    try:
        if "" in sys.argv[1:]:  # as a path it would be the current folder
            before = sys.argv[sys.argv.index("", 1) - 1]
            option = f" of {before}" if before.startswith("-") else ""
            raise InputError(f"an argument{option} is empty", fix="check the quotes and variables of the command")
        code = app(prog_name="gambol", standalone_mode=False)
        return code if isinstance(code, int) else 0  # Ctrl-C is the code 130
    except GambolError as error:
        return _fail(str(error))
    except TyperException as error:
        if not error.format_message():  # `gambol` alone has printed its help
            return 0
        return _fail(describe_usage_error(error), name_command(error))
    except OSError as error:
        return _fail(f"{error.filename or 'standard output'}: {error.strerror or error}")


def _stop(number: int, _: FrameType | None) -> None:
    """Leave the program by an exception, so that temporary files are removed, and see to it that it is left.

    CasADi ignores exceptions that are raised while it converts arguments: the signal is raised again until the
    exception arrives, or is accepted by a function that returns its best result so far.
    """
    stop = KeyboardInterrupt()
    signal.signal(signal.SIGALRM, lambda *_: None if is_accepted(stop) else signal.raise_signal(number))
    signal.setitimer(signal.ITIMER_REAL, _AGAIN)
    if isinstance(sys.exception(), KeyboardInterrupt | SystemExit):
        return  # it arrived, and what it ends is being cleaned up
    if number == signal.SIGTERM:
        sys.exit(143)
    raise stop


def _fail(message: str, command: str = "gambol") -> int:
    from gambol.errors import make_line

    print(f"{command}: {make_line(message)}", file=sys.stderr)
    return 2
