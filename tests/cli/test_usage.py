"""Usage errors name the command, what the option takes and what it was given."""

from __future__ import annotations

import pytest

HIT = ("push", "walk", "--body", "head", "-o", "x.bvh")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*HIT, "--force", "0", "60", "--start", "1"), "push: '--force' takes 3 numbers, and '--start' is not one"),
        ((*HIT, "--force", "0,60,0", "--start", "1"), "push: '--force' takes 3 numbers, and '0,60,0' is not one"),
        ((*HIT, "--force", "0", "60"), "push: Option '--force' requires 3 arguments"),
        ((*HIT, "--start", "soon"), "push: '--start' takes a number, and 'soon' is not one"),
        ((*HIT, "--free", "2.5"), "push: '--free' takes a whole number, and '2.5' is not one"),
        ((*HIT, "--axes", "moon"), "push: Invalid value for '--axes': 'moon' is not one of 'world', 'body'"),
        ((*HIT, "--froce", "1"), "push: No such option: --froce"),
        (("family", "play"), "family play: Missing argument 'FAMILY'"),
        (("push-map", "walk"), "push-map: Missing option"),
        (("psuh", "walk"), ": No such command 'psuh'. Did you mean 'push'?"),
    ],
)
def test_the_command_at_hand_is_named(gambol, words: tuple[str, ...], said: str) -> None:
    code, out, err = gambol(*words)
    assert (code, out) == (2, "")
    command = f"gambol {said.partition(':')[0]}".strip()
    assert err.startswith(f"gambol {said}" if command != "gambol" else f"gambol{said}")
    assert err.endswith(f" (see {command} --help)\n")
    assert err.count("\n") == 1
