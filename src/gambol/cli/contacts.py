"""`gambol contacts`: what touches the ground, and when."""

from __future__ import annotations

from typing import Any

from gambol.cli.options import Clip, ContactsFile, Mass, MaybeOutput, Reading, Writing
from gambol.errors import InputError


def contacts(
    clip: Clip,
    reading: Reading,
    writing: Writing,
    output: MaybeOutput = None,
    contacts: ContactsFile = None,
    mass: Mass = None,
) -> None:
    """List what touches the ground, when, where and how: heels, balls and hands, fixed or rolling, and flights.

    With -o the list is written as YAML. Correct it by hand and pass it as --contacts to fix, edit and other commands.

    Example: gambol contacts walk.bvh -o contacts.yaml

    Example: gambol fix walk.bvh --contacts contacts.yaml -o fixed.bvh
    """
    from gambol.fit.contact_file import write_contacts
    from gambol.geometry.arrays import find_runs
    from gambol.spacetime.find_contacts import find_contacts

    if output is not None and output.suffix.lower() not in (".yaml", ".yml"):
        raise InputError("contacts are written as YAML", file=output, fix="name the file .yaml")
    writing.check_outputs(output, inputs=[clip, contacts])
    motion = reading.load(clip, writing)
    found = find_contacts(motion, contacts=contacts, mass=mass)
    step = found.frame_time
    writing.line(f"{'part':<16}{'start':>8}{'end':>8}  {'kind':<9}{'surface':<9}{'x':>7}{'y':>7}{'z':>7}  certainty")
    rows: list[dict[str, Any]] = []
    for one in sorted(found.items, key=lambda row: (row.first, row.last, row.part)):
        start, end, (x, y, z) = one.first * step, (one.last + 1) * step, one.place
        sure = "given" if one.given else f"{one.certainty:.2f}"
        writing.line(
            f"{one.part:<16}{start:8.2f}{end:8.2f}  {one.kind:<9}{one.surface:<9}{x:7.2f}{y:7.2f}{z:7.2f}  {sure}"
        )
        rows.append(
            {
                "part": one.part,
                "start_s": start,
                "end_s": end,
                "kind": one.kind,
                "along": None if one.slide is None else one.slide.tolist(),
                "surface": one.surface,
                "grip": one.grip,
                "place_m": [x, y, z],
                "certainty": None if one.given else one.certainty,
            }
        )
    flights = [{"start_s": first * step, "end_s": (last + 1) * step} for first, last in find_runs(found.flight)]
    for flight in flights:
        writing.line(f"{'flight':<16}{flight['start_s']:8.2f}{flight['end_s']:8.2f}")
    for first, last in find_runs(found.unseen):
        writing.note(f"{first * step:.2f}-{(last + 1) * step:.2f} s: supported by something other than feet and hands")
    if output is not None:
        writing.wrote(write_contacts(found, output, motion.name))
    writing.write_json({"contacts": rows, "flights": flights})
