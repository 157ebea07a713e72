"""Try every reader on many damaged files, on all cores: `python -m tests.hostile.torture`.

Prints a table, writes it as JSON with the machine, and ends with code 1 if an input failed. An input that failed is
made again by its number: `make_input` with the seed "SEED READER NUMBER".
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gambol_evidence.provenance import describe_run
from tests.hostile.readers import list_readers
from tests.hostile.trial import BYTES, Tally, try_inputs

SECONDS = 10.0
"""Processor time that an input may take."""
SLOW = 10
"""How many times fewer inputs a slow reader gets."""


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=100_000, help="inputs of all readers together, at least")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="processes at a time")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    readers = list_readers()
    share = -(-given.inputs // sum(1.0 / SLOW if reader.slow else 1.0 for reader in readers.values()))
    with ProcessPoolExecutor(given.workers, multiprocessing.get_context("fork")) as pool:
        asked = {
            name: pool.submit(run_reader, name, -(-int(share) // (SLOW if reader.slow else 1)), given.seed)
            for name, reader in readers.items()
        }
        rows = [show(name, future.result()) for name, future in asked.items()]
    total = {key: sum(row[key] for row in rows) for key in ("inputs", "read", "refused", "failed")}
    print(f"{'all':<14} " + "  ".join(f"{count} {key}" for key, count in total.items()))
    if given.json is not None:
        limits = {"seed": given.seed, "seconds": SECONDS, "bytes": BYTES}
        facts = {"name": "torture", **describe_run(), **limits, **total, "rows": rows}
        given.json.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    raise SystemExit(total["failed"] > 0)


def run_reader(name: str, count: int, seed: int) -> Tally:
    """Try inputs of a reader in a folder of their own."""
    with tempfile.TemporaryDirectory() as folder:
        return try_inputs(name, list_readers()[name], Path(folder), range(count), SECONDS, seed)


def show(name: str, tally: Tally) -> dict[str, Any]:
    """Print what became of the inputs of a reader, and return it for JSON."""
    found = asdict(tally)
    failures = found.pop("failures")
    row = {"id": name, **found, "refused": tally.inputs - tally.read - len(failures), "failed": len(failures)}
    print(
        f"{name:<14} {row['inputs']} inputs  {row['read']} read  {row['refused']} refused  {row['failed']} failed  "
        f"slowest {row['slowest']:.2f} s  {row['megabytes']:.0f} MB",
        flush=True,
    )
    for number, outcome in failures[:20]:
        print(f"    {number}: {outcome}", flush=True)
    return row


if __name__ == "__main__":
    main()
