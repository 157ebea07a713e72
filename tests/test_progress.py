"""A stop is repeated until it arrives, unless the best result so far is returned."""

from __future__ import annotations

import signal

import pytest

from gambol import cli
from gambol.progress import accept_stop, pass_messages, silent
from tests.waiting import LIMIT, wait_for


def test_a_stop_that_is_accepted_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is done with the best so far may take longer than the time after which others are raised again."""
    monkeypatch.setattr(cli, "_AGAIN", 0.02)
    ends = []

    def run(accepted: bool) -> int:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as stop:
            if accepted:
                accept_stop(stop)
        wait_for(lambda: False, 5.0 * cli._AGAIN if accepted else LIMIT)
        ends.append(accepted)
        return 0

    for accepted in (True, False):
        monkeypatch.setattr(cli, "_run", lambda accepted=accepted: run(accepted))
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert left.value.code == (0 if accepted else 130)
    assert ends == [True]


def test_only_messages_of_a_part_are_passed_on() -> None:
    told: list[tuple[str, int, int | None]] = []
    report = pass_messages(lambda *words: told.append(words))
    report("compiling", 0, None)
    report("solving: iteration", 3, None)
    report("solving frames", 0, 9)
    assert told == [("compiling", 0, None)]
    assert pass_messages(silent) is silent
