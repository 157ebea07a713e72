"""Jerk against calculus, and its bands against recordings, noise and spikes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.errors import InputError
from gambol.fit.load import load
from gambol.io import samples
from gambol.metrics.check import check
from gambol.metrics.jerk import compute_strongest_jerks
from gambol.motion.motion import Motion
from gambol.motion.skeleton import Dof, Skeleton


def swinging(amplitude: float, frequency: float, rate: float) -> Motion:
    """Two joints: one rests, one swings to and fro along a slanted line."""
    axis = (0.6, 0.0, 0.8)
    skeleton = Skeleton(("base", "bob"), (-1, 0), np.array([[0.0, 0, 0], [0, 0, 1]]), (Dof(1, "slide", axis),))
    times = np.arange(int(4.0 * rate)) / rate
    return Motion(skeleton, amplitude * np.sin(2.0 * np.pi * frequency * times)[:, None], 1.0 / rate)


@pytest.mark.parametrize("rate", [60.0, 120.0, 240.0])
def test_jerk_of_a_sine_is_that_of_calculus(rate: float) -> None:
    """The third derivative of A sin(wt) is A w³ at most, and that over the root of two in the mean square."""
    amplitude, frequency = 0.3, 1.5
    jerks = compute_strongest_jerks(swinging(amplitude, frequency, rate))
    highest = amplitude * (2.0 * np.pi * frequency) ** 3
    inner = jerks[len(jerks) // 8 : -len(jerks) // 8]
    assert inner.max() == pytest.approx(highest, rel=0.02)
    assert np.sqrt(np.mean(inner**2)) == pytest.approx(highest / np.sqrt(2.0), rel=0.02)


def test_what_is_faster_than_any_limb_is_filtered_out() -> None:
    """A hum of 0.1 mm at 50 Hz would be 3100 m/s³ to a program that does not filter; 1e-4 m cannot be seen."""
    assert compute_strongest_jerks(swinging(1e-4, 50.0, 240.0)).max() < 100.0


def shaken(motion: Motion, noise: float = 0.0, spike: float = 0.0) -> Motion:
    """Every angle wrong by `noise` radians in every frame, or the hips by `spike` in a single one."""
    q = motion.q.copy()
    q[:, 3:] += noise * np.random.default_rng(0).normal(size=q[:, 3:].shape)
    q[len(q) // 2, 3:6] += spike
    return replace(motion, q=q)


def verdict(motion: Motion) -> dict[str, bool]:
    return {f.name: f.passes for f in check(motion).measures if f.name.endswith("jerk")}


@pytest.mark.parametrize("step", [1, 2])
def test_noise_and_a_spike_fail_each_its_own_figure(step: int) -> None:
    """At 60 and at 30 frames a second: half a degree of jitter everywhere, and 11 degrees in one frame."""
    walk = samples.walk()[:130:step]
    assert verdict(walk) == {"typical jerk": True, "strongest jerk": True}
    assert verdict(shaken(walk, noise=0.01)) == {"typical jerk": False, "strongest jerk": True}
    assert verdict(shaken(walk, spike=0.2)) == {"typical jerk": True, "strongest jerk": False}


def test_more_noise_is_more_jerk() -> None:
    typical = [
        float(np.median(compute_strongest_jerks(shaken(samples.run(), noise=n)))) for n in (0.0, 0.005, 0.01, 0.02)
    ]
    assert typical == sorted(typical)
    assert typical[-1] > 5.0 * typical[0]


def test_recorded_walks_runs_and_jumps_lie_in_the_bands(cmu_clips: list[Path]) -> None:
    """All but two: in 16_15 a hand jumps 0.7 m between two frames, in 75_01 a foot trembles by 8 cm."""
    outside, judged = set(), 0
    for path in cmu_clips:
        if path.parent.name in ("walk", "run", "jump_hop_leap"):
            slow = path.stem.split("_")[0] in ("75", "143")  # recorded at 60 frames a second, see PROVENANCE.md
            jerks = compute_strongest_jerks(load(path, fps=60.0 if slow else None))
            judged += 1
            if jerks.max() > 12000.0 or np.median(jerks) > 2000.0:
                outside.add(path.stem)
    assert judged > 40
    assert outside == {"16_15", "75_01"}


def test_three_frames_have_no_jerk() -> None:
    with pytest.raises(InputError, match="jerk cannot be measured on 3 frames"):
        compute_strongest_jerks(swinging(0.1, 1.0, 60.0)[:3])
