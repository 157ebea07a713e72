"""Kill long commands at random moments, and let them go on: `python -m tests.hostile.kills`.

Every run that is killed leaves no output or a whole one. When a run is at last left alone, its output has the same
bytes as that of a run that nobody killed, and it took less time than that: what was solved is not solved again.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from gambol.io import samples, save
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle

COMMANDS = {
    "family": ["family", "jump", "plan.yaml", "-o", "out.npz"],
    "fix": ["fix", "long.bvh", "-o", "out.bvh"],
    "compose": ["compose", "walk-to-run", "-o", "out.bvh"],
    "push": ["push", "long.bvh", "--body", "chest", "--force", "150", "0", "0", "--at", "2", "-o", "out.bvh"],
    "film": ["render", "walk", "-o", "out.gif", "--size", "320x200"],
}
"""Long commands; the last two do not resume, and write their output when it is complete."""
PLAN = "axes: [{stage: ground 2, forward: [-0.3, 0.3], count: 5}]\n"
CYCLES = 12
"""Strides of the long walk, enough for several windows."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", help=f"of {', '.join(COMMANDS)}; all of them by default")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    for name in given.commands or COMMANDS:
        print(f"{name:<8} {try_command(COMMANDS[name], given.kills, given.seed)}", flush=True)


def try_command(command: list[str], kills: int, seed: int) -> str:
    """Kill a command several times, let it end, and return what was measured; an assertion fails if something broke."""
    random = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as alone, tempfile.TemporaryDirectory() as attacked:
        for folder in (alone, attacked):
            prepare(Path(folder))
        whole = run(command, Path(alone), None)
        expected, spent = read_output(Path(alone)), 0.0
        for _ in range(kills):
            spent += run(command, Path(attacked), float(random.uniform(0.05, 0.5)) * whole)
            found = read_output(Path(attacked))
            assert found is None or found == expected, "a killed run left half a file"
            if found is not None:
                break
        last = 0.0 if read_output(Path(attacked)) else run(command, Path(attacked), None)
        assert read_output(Path(attacked)) == expected, "the resumed run has other bytes"
        left = sorted(path.name for path in Path(attacked).iterdir() if path.name.startswith("out."))
    return f"{whole:.1f} s alone; {spent:.1f} s in runs that were killed, then {last:.1f} s; leaves {', '.join(left)}"


def prepare(folder: Path) -> None:
    """Write the inputs of all commands."""
    (folder / "plan.yaml").write_text(PLAN, encoding="utf-8")
    walk = samples.walk()
    save(repeat_cycle(close_cycle(walk, find_cycle(walk)), CYCLES), folder / "long.bvh")


def run(command: list[str], folder: Path, seconds: float | None) -> float:
    """Run a command for some seconds, or to its end; return how long it ran."""
    start = time.monotonic()
    running = subprocess.Popen(
        ["gambol", *command], cwd=folder, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        _, said = running.communicate(timeout=seconds)
        assert running.returncode == 0, said.decode()[-500:]
    except subprocess.TimeoutExpired:
        os.killpg(running.pid, signal.SIGKILL)
        running.communicate()
    return time.monotonic() - start


def read_output(folder: Path) -> bytes | None:
    """Return the output of a run; None if there is none."""
    files = [path for path in folder.glob("out.*") if path.suffix in (".npz", ".bvh", ".gif")]
    return files[0].read_bytes() if files else None


if __name__ == "__main__":
    main()
