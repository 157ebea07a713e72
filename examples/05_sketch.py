"""Make a jump from three keyframes, then raise its arms at take-off."""

from __future__ import annotations

from pathlib import Path

import gambol as gb

jump = {
    "seconds": 1.8,
    "fps": 20,
    "keys": [
        {"time": 0.7},
        {"time": 0.93, "x": 0.5, "z": 0.25},
        {"time": 1.16, "x": 1.0, "z": 0.0, "turn": 45},
    ],
}
plain = gb.sketch(jump)
verdict = plain.sketched.verdict
print(plain.sketched.summary)
print(f"peak force {verdict.peak:.1f} body weights, friction {verdict.friction:.2f}")
print(f"in flight the centre of mass deviates from free fall by {verdict.fall:.1e} m/s²")

raised = gb.sketch(jump | {"poses": [{"time": 0.7, "mass": {"arms": [0.0, 0.0, 0.25]}}]})

out = Path("demo")
out.mkdir(exist_ok=True)
print("wrote", gb.render([plain.rough, plain.motion, raised.motion], out / "sketch.png"))
print("wrote", *plain.save(out / "jump.bvh"))
