"""The command line: one thin file a command; what a command does lives in the library."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run `gambol`. Bad input is one line on standard error and exit code 2; Ctrl-C exits with 130."""
    from typer import TyperException

    from gambol.cli.app import app
    from gambol.errors import GambolError

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that temporary files are removed
    try:
        code = app(standalone_mode=False)
    except GambolError as error:
        _fail(str(error))
    except TyperException as error:
        if not error.format_message():  # `gambol` alone has printed its help
            sys.exit(0)
        _fail(f"{error.format_message()} ('gambol --help' lists the commands, 'gambol COMMAND --help' explains one)")
    except OSError as error:
        _fail(f"{error.filename or 'standard output'}: {error.strerror or error}")
    if code == 130:  # Ctrl-C, which typer turns into this code
        print("gambol: stopped", file=sys.stderr)
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    print(f"gambol: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(2)
