"""Read a C3D and plot the vertical force under each foot, with the centre of pressure on the plates."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import gambol as gb

if len(sys.argv) < 2:
    sys.exit("usage: python examples/02_force_plates.py WALK.c3d")
recording = gb.load_recording(sys.argv[1])

figure, (over_time, on_floor) = plt.subplots(1, 2, figsize=(11, 4))
for number, plate in enumerate(recording.plates, start=1):
    times = np.arange(len(plate.force)) * plate.frame_time
    over_time.plot(times, plate.force[:, 2], label=f"plate {number}")
    on_floor.plot(*np.vstack((plate.corners, plate.corners[:1]))[:, :2].T, color="0.7")
    on_floor.plot(*plate.center_of_pressure[:, :2].T, ".", markersize=2)
over_time.set(xlabel="time (s)", ylabel="vertical force on the body (N)")
over_time.legend()
on_floor.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="centre of pressure")

out = Path("demo")
out.mkdir(exist_ok=True)
figure.savefig(out / "forces.png", dpi=120)
print("wrote", out / "forces.png")
