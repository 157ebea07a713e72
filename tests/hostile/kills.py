"""Stop and kill every long command at random moments, and let it go on: `python -m tests.hostile.kills`.

Ctrl-C and SIGTERM end a command with one line and leave nothing but parts that it resumes from. `kill -9` leaves no
output or a whole one. When a run is at last left alone, its output has the same bytes as that of a run that nobody
disturbed, and parts that were stored are not solved again. Commands run on a terminal, as a user's.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import signal
import statistics
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

import gambol as gb
from gambol.io import samples, save
from gambol.io.models import save_model
from gambol.motion.cycles import close_cycle, find_cycle, repeat_cycle
from gambol_evidence.provenance import describe_run
from tests.hostile.attempt import Attempt, LongCommand
from tests.interaction.meetings import make_model, make_people
from tests.primitives.learned import moving
from tests.respond.latent.walkers import make_test_walker
from tests.waiting import LIMIT

PLAN = "axes: [{stage: ground 2, forward: [-0.3, 0.3], count: 13}]\n"
CYCLES = 12
"""Strides of the long walk, enough for several windows."""
STARTING = 0.5
"""Seconds in which Python may not have begun to run the program."""
PATIENT = 0.8
"""Share of the runs that are killed only after they have stored a part."""
ANSWERING = str(Path(__file__).with_name("answering.py"))
PROGRESS = {"estimate": re.compile(r"\d:\d\d:\d\d left|about \d+ s|\d s left"), "steps": re.compile(r"\d/\?")}


COMMANDS = {
    "push": LongCommand("push long.bvh --body chest --force 150 0 0 --start 2 -o out.bvh"),
    "push --method replan": LongCommand("push walk --body chest --force 150 0 0 --method replan -o out.bvh"),
    "push --method learned": LongCommand(
        "push walk.bvh --body chest --force 60 0 0 --method learned --model walker.npz -o out.bvh"
    ),
    "push --live": LongCommand("push walk --live --no-open --port 0", page=True),
    "push-map": LongCommand("push-map walk -o out.html"),
    "fix": LongCommand("fix long.bvh -o out.bvh", parts="out.bvh.part"),
    "edit": LongCommand("edit jump spin -o out.bvh"),
    "sketch": LongCommand("sketch running -o out.bvh"),
    "join": LongCommand("join jump jump -o out.bvh"),
    "loop": LongCommand("loop long.bvh -o out.bvh"),
    "retarget": LongCommand("retarget long.bvh --to run -o out.bvh"),
    "family": LongCommand("family jump plan.yaml -o out.npz", parts="out.npz.part/*.npz"),
    "family --workers 2": LongCommand("family jump plan.yaml -o out.npz --workers 2", parts="out.npz.part/*.npz"),
    "crowd": LongCommand("crowd march -o out.glb"),
    "compose": LongCommand("compose walk-to-run -o out.bvh", parts="out.bvh.part", interim=True),
    "primitives learn": LongCommand("primitives learn walk run -o out.npz"),
    "primitives play": LongCommand("primitives play primitives.npz --seconds 60 -o out.bvh"),
    "walker learn": LongCommand("walker learn walk -o out.npz", parts="out.examples/*.npz"),
    "style learn": LongCommand("style learn walk -o out.json --steps 1", interim=True),
    "style learn-each": LongCommand("style learn-each a.bvh b.bvh c.bvh -o out --steps 0", parts="out/*.json"),
    "style apply": LongCommand("style apply style.json -o out.bvh"),
    "interaction learn": LongCommand("interaction learn one.bvh two.bvh -o out.npz"),
    "interaction live": LongCommand("interaction live meeting.npz --no-open --port 0", page=True),
    "augment": LongCommand(
        "augment walk --to jvrc1 -o out --fast --stride 0.9:1.1 --members 6",
        parts="out/outside/*.npz",
        journal="out/manifest.jsonl",
    ),
    "humanoid walk": LongCommand("humanoid walk --to 1 0 -o out.bvh"),
    "check": LongCommand("check long.bvh --json out.json"),
    "convert": LongCommand("convert long.bvh out.csv --physics"),
    "render, film": LongCommand("render walk -o out.gif --size 320x200"),
    "render, studio": LongCommand("render walk -o out.png --look studio"),
    "render, page": LongCommand("render long.bvh -o out.html"),
    "view": LongCommand("view walk --no-open --port 0", page=True),
    "demo": LongCommand("demo -o out --overwrite"),
    "reproduce": LongCommand("reproduce near-unactuated"),
    "bench": LongCommand("bench body"),
}
"""Commands that take longer than 2 s, on inputs that come with gambol or that these tests make."""


@dataclass
class Endings:
    """How the runs of a command ended."""

    id: str
    seconds: float = 0.0
    """Of a run that was left alone; of a page, in which it was stopped."""
    progress: str = ""
    """Whether the time that is left is shown, or else how many steps were made."""
    longest: float = 0.0
    """Processor time (s) in which that run could not have answered a signal."""
    to_stop: list[float] = field(default_factory=list)
    """Seconds from a signal until no process is left."""
    processor: list[float] = field(default_factory=list)
    """Seconds of processor time in that, which do not depend on what else the machine does."""
    resumes: bool = False
    kills: int = 0
    kills_between: int = 0
    """Kills that found parts stored, and others yet to be solved."""
    failures: list[str] = field(default_factory=list)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commands", nargs="*", help=f"of {', '.join(COMMANDS)}; all of them by default")
    parser.add_argument("--stops", type=int, default=4, help="runs of each command that are stopped by a signal")
    parser.add_argument("--kills", type=int, default=10, help="runs of a command that resumes that are killed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for number, one in enumerate(given.commands or COMMANDS):
            inputs = Path(name) / str(number)
            prepare(COMMANDS[one], inputs)
            rows.append(try_command(one, inputs, given.stops, given.kills, given.seed))
            show(rows[-1])
            if given.json is not None:
                facts = {"name": "kills", **describe_run(), "seed": given.seed, "rows": [make_row(one) for one in rows]}
                given.json.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    raise SystemExit(any(one.failures for one in rows))


def show(found: Endings) -> None:
    """Print how the runs of a command ended."""
    stops = " ".join(f"{a:.2f} ({b:.2f})" for a, b in zip(found.to_stop, found.processor, strict=True))
    kills = f"{found.kills} kills, {found.kills_between} between parts" if found.resumes else f"{found.kills} kills"
    shown = f"progress: {found.progress:<9} longest {found.longest:.2f} s  stops: {stops} s  {kills}"
    print(f"{found.id:<24} {found.seconds:6.1f} s  {shown}", flush=True)
    for failure in found.failures:
        print(f"    {failure}", flush=True)


def make_row(found: Endings) -> dict[str, object]:
    """Return what is written about a command."""
    row = asdict(found)
    for name in ("to_stop", "processor"):
        seconds = row.pop(name)
        row |= {f"{name}_median": round(statistics.median(seconds), 3), f"{name}_largest": round(max(seconds), 3)}
    return row | {"stops": len(found.to_stop)}


def try_command(name: str, inputs: Path, stops: int, kills: int, seed: int) -> Endings:
    """Stop a command by signals, then kill it until it is left alone."""
    command, random = COMMANDS[name], np.random.default_rng(seed)
    found = Endings(name, seconds=10.0, resumes=bool(command.parts), progress="none")
    expected: dict[str, bytes] = {}
    if not command.page:
        answers = inputs.with_suffix(".txt")
        with Attempt(command, inputs, (sys.executable, ANSWERING, str(answers))) as whole:
            found.seconds, expected = whole.wait(LIMIT), whole.read_outputs()
            found.longest = float(answers.read_text())
            found.progress = next((kind for kind, shown in PROGRESS.items() if shown.search(whole.said)), "none")
            if whole.code != 0:
                found.failures.append(f"code {whole.code}: {whole.said[-300:]}")
    moments = random.uniform(STARTING, max(found.seconds, STARTING), stops)
    for number, moment in enumerate(moments):
        while len(found.to_stop) == number:  # again, and earlier, where it ended before
            with Attempt(command, inputs) as attempt:
                stop(attempt, float(moment), (signal.SIGINT, signal.SIGTERM)[number % 2], expected, found)
            moment /= 2.0
    if not command.page:
        kill(command, inputs, kills if command.parts else min(kills, 1), expected, found, random)
    return found


def stop(attempt: Attempt, moment: float, number: signal.Signals, expected: dict[str, bytes], found: Endings) -> None:
    """Stop a run by a signal at a moment (s), and note what is wrong with how it ends; one that has ended is left."""
    if attempt.wait(moment) < moment:
        return
    begun, spent = time.monotonic(), attempt.read_processor_time()
    # The terminal sends Ctrl-C to all processes of a command; a program that ends one sends SIGTERM to that.
    (os.killpg if number == signal.SIGINT else os.kill)(attempt.pid, number)
    attempt.wait(LIMIT)
    seconds = time.monotonic() - begun
    where = f"{number.name} after {moment:.2f} s: "
    if attempt.code == 0 or (expected and attempt.read_outputs() == expected):  # it was about to end
        return
    found.to_stop.append(seconds)
    found.processor.append(attempt.read_processor_time() - spent)
    if attempt.code != 128 + number:
        found.failures.append(f"{where}code {attempt.code}")
    last = attempt.said.strip().rpartition("\n")[2].strip()
    if last != "gambol: stopped" or "Traceback" in attempt.said or "Exception ignored" in attempt.said:
        found.failures.append(f"{where}says {attempt.said[-600:]!r}")
    interim = number == signal.SIGINT and attempt.command.interim
    if others := attempt.find_leftovers(attempt.read_outputs() if interim else expected):
        found.failures.append(f"{where}leaves {', '.join(others)}")


def kill(
    command: LongCommand,
    inputs: Path,
    kills: int,
    expected: dict[str, bytes],
    found: Endings,
    random: np.random.Generator,
) -> None:
    """Kill a command several times, and let it end: parts are not solved again, and the output has the same bytes.

    Most runs of a command that resumes are killed while it works on the part after one that it has stored.
    """
    with Attempt(command, inputs) as attempt:
        for _ in range(kills):
            stored, moment = attempt.read_parts(), float(random.uniform(STARTING, found.seconds))
            if command.parts and random.random() < PATIENT:
                moment = attempt.wait_for_parts(stored) + moment / kills
            if attempt.wait(moment) < moment:
                break
            os.killpg(attempt.pid, signal.SIGKILL)
            attempt.wait(LIMIT)
            now = attempt.read_parts()
            found.kills += 1
            found.kills_between += bool(now)
            outputs = attempt.read_outputs()
            if outputs == expected:  # it was about to end
                return
            if any(outputs[name] != expected.get(name) for name in outputs if name != command.journal):
                found.failures.append(f"killed after {moment:.2f} s: half a file of {', '.join(outputs)}")
            if "*" in command.parts and any(now.get(name) != file for name, file in stored.items()):
                found.failures.append(f"killed after {moment:.2f} s: a stored part was written again")
            attempt.start()
        attempt.wait(LIMIT)
        if attempt.code != 0 or attempt.read_outputs() != expected:
            found.failures.append(
                f"resumed: code {attempt.code}, {attempt.said[-300:]!r}, other bytes than undisturbed"
            )


def prepare(command: LongCommand, folder: Path) -> None:
    """Write the files that a command reads."""
    folder.mkdir()
    for word in shlex.split(command.words):
        if Path(word).suffix in (".bvh", ".yaml", ".npz", ".json") and Path(word).stem != "out":
            make_input(folder / word)


def make_input(path: Path) -> None:
    """Write an input of a command."""
    walk = samples.walk()
    match path.name:
        case "plan.yaml":
            path.write_text(PLAN, encoding="utf-8")
        case "long.bvh":
            save(repeat_cycle(close_cycle(walk, find_cycle(walk)), CYCLES), path)
        case "one.bvh" | "two.bvh":
            save(make_people()[path.name == "two.bvh"], path)
        case "style.json":
            gb.learn_style(walk, steps=0).save(path)
        case "walker.npz":
            save_model(make_test_walker(), path)
        case "primitives.npz":
            save_model(moving(), path)
        case "meeting.npz":
            save_model(make_model(), path)
        case _:
            save(walk, path)


if __name__ == "__main__":
    main()
