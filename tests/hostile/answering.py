"""Run a command, and measure for how long it could not have answered a signal: FILE WORD...

A timer of processor time asks Python to do something every few milliseconds, which it does as soon as a library lets
it, as with signals. The longest wait (s) is written to FILE.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path

from gambol.cli import main

_PERIOD = 0.02


def measure(file: Path) -> None:
    """Run the command of `sys.argv`."""
    last, longest = time.process_time(), 0.0

    def answer(*_: object) -> None:
        nonlocal last, longest
        now = time.process_time()
        last, longest = now, max(longest, now - last)

    signal.signal(signal.SIGPROF, answer)
    signal.setitimer(signal.ITIMER_PROF, _PERIOD, _PERIOD)
    try:
        main()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        answer()
        file.write_text(str(longest))


if __name__ == "__main__":
    place = Path(sys.argv.pop(1))
    measure(place)
