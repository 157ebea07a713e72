"""Sixteen walkers fall into step, with a certificate that they must; then three pass each other between poles."""

from __future__ import annotations

from pathlib import Path

import gambol as gb
from gambol.drawing.moments import save_moments
from gambol.features.strides import strides
from gambol.io import samples
from gambol.primitives.crowd.gaits import STRAIGHT, walker_prototypes
from gambol.primitives.crowd.performance import certify_scene, perform
from gambol.primitives.crowd.scene import scene_of
from gambol.primitives.prototypes import prototypes_of

clip = samples.walk()
prototypes = walker_prototypes(prototypes_of(clip, {STRAIGHT: strides(clip)}))

march = scene_of({"march": {"rows": 4, "columns": 4, "start": {"phases": 1.0}}, "seconds": 6}, "march")
print(certify_scene(march, prototypes))
in_step = perform(march, prototypes)
for line in in_step.told:
    print(line)

meeting = scene_of(
    {
        "walk": {
            "agents": [
                {"start": [0, 0], "goal": [6, 0]},
                {"start": [6, 0.2], "goal": [0, 0]},
                {"start": [3, -3], "goal": [3, 3]},
            ],
            "poles": [[2, 0.8, 0.2], [4, -0.8, 0.3]],
        },
        "seconds": 8,
    },
    "meeting",
)
met = perform(meeting, prototypes)
print(met.told[0])

out = Path("demo")
out.mkdir(exist_ok=True)
gb.save(list(in_step.motions), out / "march.glb")
save_moments(met.motions, out / "meeting.png", poles=met.poles)
print("wrote", out / "march.glb")
print("wrote", out / "meeting.png")
