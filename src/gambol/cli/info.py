"""`gambol info`: what is in a file."""

from __future__ import annotations

from gambol.cli.options import Clips, Reading, Writing


def info(clips: Clips, reading: Reading, writing: Writing) -> None:
    """Print what is in a file: rig, joints, frames, units, animations, and what was decided while loading.

    Example: gambol info walk.bvh
    """
    from gambol.fit.load import find_files
    from gambol.fit.summary import describe_file
    from gambol.io.formats import READABLE, find_formats

    writing.check_outputs()
    facts = []
    missing_rig = None
    for path in find_files(clips, (*READABLE, *find_formats())):
        for report in describe_file(path, **reading.options):
            missing_rig = missing_rig or report.rig_error
            facts.append(report.facts)
            _print(report.facts, writing)
    writing.write_json(facts)
    if missing_rig is not None:
        raise missing_rig


def _print(facts: dict[str, object], writing: Writing) -> None:
    width = max(len(key) for key in facts)
    for key, value in facts.items():
        if isinstance(value, list):
            for n, line in enumerate(value or ["none"]):
                writing.line(f"{key if n == 0 else '':<{width}}  {line}")
        else:
            writing.line(f"{key:<{width}}  {value}")
    writing.line("")
