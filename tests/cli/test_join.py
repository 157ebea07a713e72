"""`gambol join` at the command line."""

from __future__ import annotations

import re

from gambol import load
from gambol.io import samples


def test_join_writes_one_clip_and_tells_where(gambol, tmp_path):
    out = tmp_path / "twice.bvh"
    code, printed, told = gambol("join", "jump", "jump", "-o", out)
    assert (code, printed.strip()) == (0, str(out))
    assert "joined 'jump' up to" in told
    assert "cm apart on average" in told
    assert load(out).duration > load(samples.file("jump")).duration
    code, _, told = gambol("join", "jump", "jump", "-o", out)
    assert code == 2
    assert "exists already" in told


def test_join_at_given_times(gambol, tmp_path):
    out = tmp_path / "told.bvh"
    code, _, told = gambol("join", "walk", "walk", "-o", out, "--leave", "2", "--enter", "0.93")
    assert code == 0
    assert "up to 2.00 s" in told
    assert "from 0.93 s" in told


def test_join_refuses_in_one_line(gambol, tmp_path):
    code, _, told = gambol("join", "jump", "jump", "-o", tmp_path / "x.bvh", "--leave", "99")
    assert code == 2
    assert "99 s is outside the clip" in told.strip().splitlines()[-1]
    assert not (tmp_path / "x.bvh").exists()


def test_a_seam_that_is_too_far_is_refused_with_one_that_is_not(gambol, tmp_path):
    out = tmp_path / "x.bvh"
    code, _, told = gambol("join", "walk", "walk", "-o", out, "--leave", "1", "--enter", "0.5")
    assert code == 2
    last = told.strip().splitlines()[-1]
    found = re.search(r"28 cm apart at the seam, more than 25 cm; (--leave 1.00 --enter \S+) are 0 cm apart", last)
    assert found
    assert not out.exists()
    assert gambol("join", "walk", "walk", "-o", out, *found[1].split())[0] == 0
