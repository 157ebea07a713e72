"""M17 Fig. 3: thirty-six walkers fall into step and into a formation where the conditions hold, and do not elsewhere.

Order parameters are taken over seeded starts: any phases, places up to 0.6 m off, headings up to 0.5 rad, step
frequencies within 10 %. The bodies are looked at too: what their feet do while they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from gambol.errors import InputError
from gambol.geometry.quaternions import Array
from gambol.io import load
from gambol.metrics.figures import Band
from gambol.primitives.bodies import Bodies
from gambol.primitives.crowd import library
from gambol.primitives.crowd.gaits import STRAIGHT, Gaits, walker_prototypes
from gambol.primitives.crowd.march import Marched, Order, march
from gambol.primitives.crowd.performance import RATE, troop_of
from gambol.primitives.crowd.scene import March, read_scene
from gambol.primitives.crowd.ways import Ways, performed
from gambol.primitives.prototypes import prototypes_of
from gambol.primitives.strides import POINTS, strides
from gambol.reproduce.claims import Claim
from gambol.stages.feet import foot_points, track

SEEDS, SECONDS, BROKEN = 20, 40.0, 5
WALK = "35_01"
_SETTLED = 10.0
"""Seconds at the end over which a crowd that does not settle is measured."""

_HELD = 0.55
"""Contact from which a point is surely held: blends lag behind what is wanted by a few frames."""


def run(data: Path) -> Iterator[Claim]:
    """Rows as they are measured."""
    plane, told = gaits(data), f"walk of {WALK}, 36 walkers, {SEEDS} seeded starts, {SECONDS:g} s"
    runs = [marched(plane, "march", seed) for seed in range(SEEDS)]
    last = np.array([run.orders[-1] for run in runs])
    first = np.array([run.orders[0] for run in runs])
    for name, unit, text, band in (
        ("in_step", "", "all walk in step in the end: length of the mean phase, the worst", Band(low=0.999)),
        ("out_of_rank", "m", "all are in their ranks in the end: root mean square, the worst", Band(high=0.02)),
        ("out_of_row", "m", "all are in their rows in the end: root mean square, the worst", Band(high=0.05)),
        ("turned", "rad", "all look ahead in the end: root mean square, the worst", Band(high=0.01)),
    ):
        column = Order._fields.index(name)
        worst = last[:, column].min() if name == "in_step" else last[:, column].max()
        begun = f"{told}; at first {first[:, column].mean():.2g} on the average"
        yield Claim(f"march-{name.replace('_', '-')}", "M17", text, float(worst), unit, begun, band)
    slip = slipping(plane, runs[0].ways)
    yield Claim("march-slip", "M17", "held heels and balls stay: 99 in 100", slip, "m/s", told, Band(high=0.05))
    yield from _violated(plane)


def _violated(plane: Gaits) -> Iterator[Claim]:
    """One condition after the other, with the rest of the crowd as it is."""
    told = f"walk of {WALK}, 36 walkers, {BROKEN} seeded starts"
    deaf = [marched(plane, "march", seed, deaf=True) for seed in range(BROKEN)]
    best = max(float(run.orders[-1, 0]) for run in deaf)
    text = "k lambda_2 below alpha: phases do not agree in the end, the best of the starts"
    yield Claim("violated-phases", "M17", text, best, "", told, Band(high=0.9))
    hard = [marched(plane, "stampede", seed) for seed in range(BROKEN)]
    tail = round(_SETTLED * RATE)
    least = min(float(run.orders[-tail:, 1].mean()) for run in hard)
    text = "c v T lambda_N above 2: ranks never settle, the least disorder of the starts"
    yield Claim("violated-steps", "M17", text, least, "m", told, Band(low=0.1))


@cache
def gaits(data: Path) -> Gaits:
    """Walkers with the steps of a recorded walk."""
    file = next((data / "cmu_bvh").glob(f"*/{WALK}.bvh"), None)
    if file is None:
        raise InputError(f"there is no recording {WALK}", file=data, fix="the recordings of CMU as BVH, in cmu_bvh/")
    clip = load(file)
    return Gaits(walker_prototypes(prototypes_of(clip, {STRAIGHT: strides(clip)})))


def marched(plane: Gaits, scene: str, seed: int, deaf: bool = False) -> Marched:
    """A scene that comes with gambol; with agents who hardly mind the phases and frequencies of others, if `deaf`."""
    act = read_scene(library.file(scene)).act
    assert isinstance(act, March)
    control = replace(act.control, coupling=0.02, frequency=0.002) if deaf else act.control
    troop = troop_of(replace(act, control=control), plane)
    return march(troop, plane, troop.begin(act.start, seed), SECONDS, RATE)


def slipping(plane: Gaits, ways: Ways) -> float:
    """Metres a second that 99 in 100 moments of heels and balls stay below while they are held, after two seconds."""
    bodies, begin = Bodies(plane.prototypes), round(2.0 * RATE)
    speeds: list[Array] = []
    for one, motion in enumerate(performed(bodies, ways, 1.0 / RATE)):
        contacts = bodies.rows(ways.phases[:, one], ways.blends[:, one]).contacts
        points = {point.name: track(motion, point) for point in foot_points(motion)}
        for column, name in enumerate(POINTS):
            speed = np.linalg.norm(np.diff(points[name][:, :2], axis=0), axis=1) * RATE
            down = (contacts[1:, column] > _HELD) & (contacts[:-1, column] > _HELD)
            speeds.append(speed[begin:][down[begin:]])
    return float(np.quantile(np.concatenate(speeds), 0.99))
