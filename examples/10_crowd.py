"""Sixteen walkers fall into step, with a certificate that they must; then three pass each other between poles."""

from __future__ import annotations

from pathlib import Path

import gambol as gb

march = {"march": {"rows": 4, "columns": 4, "start": {"phases": 1.0}}, "seconds": 6}
in_step = gb.crowd(march, certify=True)
print(in_step.certificate)
for note in in_step.notes:
    print(note)

meeting = {
    "walk": {
        "agents": [
            {"start": [0, 0], "goal": [6, 0]},
            {"start": [6, 0.2], "goal": [0, 0]},
            {"start": [3, -3], "goal": [3, 3]},
        ],
        "poles": [[2, 0.8, 0.2], [4, -0.8, 0.3]],
    },
    "seconds": 8,
}
met = gb.crowd(meeting)
print(met.notes[0])

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", *in_step.save(out / "march.glb"))
print("wrote", gb.render(met.motions, out / "meeting.png", moments=4))
