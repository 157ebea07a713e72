"""Try a reader on damaged files, each within some seconds and 1 GB, in a process that may die of it."""

from __future__ import annotations

import dataclasses
import faulthandler
import multiprocessing
import resource
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from gambol.errors import MAX_MESSAGE, GambolError
from gambol.motion.ensemble import Ensemble
from gambol.motion.motion import Motion
from gambol.motion.recording import Markers, Recording, Table
from tests.hostile.mutate import Mutation

BYTES = 1_000_000_000
_UNBOUNDED = ("lower", "upper", "speeds", "torques")
"""Limits, which may be infinite."""
_GAPS = (Markers, Recording)
"""Recordings may have gaps, which are NaN."""


@dataclass(frozen=True)
class Reader:
    """A function that reads a file, valid files for it, and how they are damaged."""

    read: Callable[[Path], Any]
    suffix: str
    seeds: Callable[[Path], Iterable[Path]]
    """Writes valid files into a folder."""
    mutate: Mutation
    slow: bool = False
    """Whether making its files takes seconds, or reading one a tenth of a second."""


@dataclass
class Tally:
    """What became of the inputs of a reader."""

    inputs: int = 0
    read: int = 0
    slowest: float = 0.0
    """Seconds."""
    megabytes: float = 0.0
    """Most memory above that of the process at its start."""
    failures: list[tuple[int, str]] = field(default_factory=list)
    """Numbers of inputs, and what went wrong."""


def make_input(seeds: Mapping[str, bytes], mutate: Mutation, seed: str) -> bytes:
    """Return a damaged file."""
    random = Random(seed)
    return mutate(seeds[random.choice(sorted(seeds))], random)


def try_file(read: Callable[[Path], Any], path: Path) -> str:
    """Return "read", "refused", or what is wrong with the outcome."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = read(path)
            return "read" if is_finite(found) else f"{type(found).__name__} is not finite"
    except GambolError as error:
        text = str(error)
        return "refused" if text and text.isprintable() and len(text) <= MAX_MESSAGE else f"not a line: {text!r}"
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)
        inside = [spot for spot in where if "/gambol/" in spot.filename] or list(where)
        spot = f"{'/'.join(Path(inside[-1].filename).parts[-2:])}:{inside[-1].lineno}"
        return f"{type(error).__name__} at {spot}: {str(error)[:100]}"


def is_finite(value: Any, gaps: bool = False) -> bool:
    """Return whether all numbers in a value are finite; limits of joints may be infinite, gaps of recordings NaN."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind != "f" or bool((np.isfinite(value) | (gaps & np.isnan(value))).all())
    if isinstance(value, Ensemble):
        return all(is_finite(one) for one in value)
    if isinstance(value, Table):  # columns of any numbers
        return is_finite(value.times)
    if isinstance(value, Motion):
        places = value.placement
        return is_finite([value.q, value.frame_time, places.positions, places.rotations])
    if isinstance(value, float):
        return bool(np.isfinite(value))
    if isinstance(value, Mapping):
        return is_finite(list(value.values()), gaps)
    if isinstance(value, list | tuple | set | frozenset):
        return all(is_finite(one, gaps) for one in value)
    if dataclasses.is_dataclass(value):
        held = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return is_finite(
            [one for name, one in held.items() if name not in _UNBOUNDED], gaps or isinstance(value, _GAPS)
        )
    return not hasattr(value, "to_values") or is_finite(value.to_values())


def try_inputs(name: str, reader: Reader, folder: Path, numbers: range, seconds: float, seed: int = 1) -> Tally:
    """Try numbered inputs of a reader in processes of their own; an input that ends its process is a failure.

    So is one that takes more than some seconds of processor time.
    """
    files = sorted(reader.seeds(folder))
    seeds = {path.name: path.read_bytes() for path in files}
    check_seeds(reader, files)
    tally, first = Tally(), numbers.start
    while first < numbers.stop:
        ours, theirs = multiprocessing.Pipe(duplex=False)
        fork = multiprocessing.get_context("fork")
        rest = range(first, numbers.stop)
        child = fork.Process(target=_work, args=(name, reader, seeds, folder, rest, seconds, seed, theirs))
        child.start()
        theirs.close()
        while True:
            try:
                outcome, spent, megabytes = ours.recv()
            except EOFError:
                break
            first += 1
            tally.inputs += 1
            tally.read += outcome == "read"
            tally.slowest, tally.megabytes = max(tally.slowest, spent), max(tally.megabytes, megabytes)
            if outcome not in ("read", "refused"):
                tally.failures.append((first - 1, outcome))
        child.join()
        if first < numbers.stop:
            code = child.exitcode or 0
            reason = f"more than {seconds:g} s" if code == -signal.SIGPROF else f"the process ended with code {code}"
            tally.failures.append((first, reason))
            tally.inputs += 1
            first += 1
    return tally


def check_seeds(reader: Reader, files: Iterable[Path]) -> None:
    """Raise an AssertionError for a file that cannot be read before it is damaged."""
    for path in files:
        outcome = try_file(reader.read, path)
        assert outcome == "read", f"{path.name}: {outcome}"


def _work(
    name: str,
    reader: Reader,
    seeds: Mapping[str, bytes],
    folder: Path,
    numbers: range,
    seconds: float,
    seed: int,
    out: Connection,
) -> None:
    size = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (size + BYTES, size + BYTES))
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    faulthandler.disable()
    path = folder / f"{name}-{numbers.start}{reader.suffix}"
    for number in numbers:
        path.write_bytes(make_input(seeds, reader.mutate, f"{seed} {name} {number}"))
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        outcome = try_file(reader.read, path)
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start
        out.send((outcome, time.process_time() - begin, used / 1024.0))
    path.unlink()
