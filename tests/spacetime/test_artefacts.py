"""Noise is removed where it is, and what people do is kept: each joint is as smooth as its own movement."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gambol.fit.load import load
from gambol.geometry import quaternions as quat
from gambol.geometry.arrays import Array
from gambol.io import samples
from gambol.motion.channels import replace_rotations
from gambol.motion.kinematics import local_frames
from gambol.motion.motion import Motion
from gambol.spacetime.artefacts import fill_lost_frames, is_noisy, remove_artefacts, remove_noise

CLIPS = ("walk/16_58", "turn/16_13", "jump_hop_leap/118_03", "run/16_37")


def shake(motion: Motion, degrees: float, metres: float) -> Motion:
    """Return a motion with white noise at every joint and of its path."""
    rng = np.random.default_rng(5)
    local = local_frames(motion.skeleton, motion.q).rotations
    turns = quat.exp(np.radians(degrees) * rng.normal(size=(*local.shape[:2], 3)))
    path = motion.placement.positions[:, 0] + metres * rng.normal(size=(len(motion), 3))
    return replace_rotations(motion, quat.multiply(local, turns), path)


def _measure_distance(one: Motion, other: Motion) -> float:
    return float(np.linalg.norm(one.placement.positions - other.placement.positions, axis=2).mean())


def _measure_power(places: Array, frame_time: float, band: tuple[float, float]) -> float:
    """Return the power (m2) of curves (frames, joints, 3) at frequencies (Hz) of a band."""
    curves = np.fft.rfft(places - places.mean(axis=0), axis=0)
    frequencies = np.fft.rfftfreq(len(places), frame_time)
    inside = (frequencies >= band[0]) & (frequencies < band[1])
    return float((np.abs(curves[inside]) ** 2).sum() / len(places) ** 2)


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("name", CLIPS)
def test_noise_is_removed_from_recordings(data: Path, name: str, every: int) -> None:
    sound = load(data / f"cmu_bvh/{name}.bvh")[::every]
    noisy = shake(sound, 1.5, 0.004)
    smooth, cutoff = remove_noise(noisy)
    assert 1.0 <= cutoff <= 10.0
    assert _measure_distance(smooth, sound) < 0.55 * _measure_distance(noisy, sound)
    mine, own = (_measure_power(one.placement.positions, sound.frame_time, (0.5, 4.0)) for one in (smooth, sound))
    assert mine == pytest.approx(own, rel=0.2)


@pytest.mark.parametrize("name", CLIPS)
def test_sound_recordings_are_left_alone(data: Path, name: str) -> None:
    sound = load(data / f"cmu_bvh/{name}.bvh")
    assert not is_noisy(sound)
    assert remove_artefacts(sound).motion is sound


def test_a_fast_joint_is_smoothed_less_than_calm_ones() -> None:
    """One forearm waves at 5 Hz: it keeps nine tenths of its wave, and the rest is as smooth as without it."""
    stand = samples.stand()
    assert stand.rig is not None
    elbow = stand.rig.parts["left_forearm"]
    column = stand.skeleton.columns(elbow, "turn")[0]
    q = stand.q.copy()
    q[:, column] += 0.4 * np.sin(2.0 * np.pi * 5.0 * stand.times)
    waving = Motion(stand.skeleton, q, stand.frame_time, rig=stand.rig)
    calm, waved = (remove_noise(shake(one, 1.0, 0.002))[0] for one in (stand, waving))
    local = quat.multiply(
        quat.conjugate(local_frames(stand.skeleton, stand.q).rotations[:, elbow]),
        local_frames(waved.skeleton, waved.q).rotations[:, elbow],
    )
    assert 0.36 < np.percentile(quat.angle(local), 95.0) < 0.46
    feet = [stand.rig.parts[f"{side}_foot"] for side in ("left", "right")]
    np.testing.assert_allclose(waved.placement.positions[:, feet], calm.placement.positions[:, feet], atol=1e-9)


@pytest.mark.parametrize("frames", [1, 2, 3, 7, 8, 9])
def test_a_few_frames_have_no_noise_that_can_be_told(frames: int) -> None:
    short = samples.walk()[:frames]
    smooth, _ = remove_noise(short)
    assert _measure_distance(smooth, short) < 0.02


def test_the_user_is_told() -> None:
    notes = remove_artefacts(shake(samples.walk(), 1.5, 0.004)).notes
    assert len(notes) == 1
    assert "noise removed: low-passed at" in notes[0]


@pytest.mark.parametrize("name", ["walk/07_06", "run/16_37", "styled_walk/104_28"])
def test_lost_frames_of_recordings_are_found(data: Path, name: str) -> None:
    """Single frames and runs of up to four, every tenth of a second, at each of which the clip stands still."""
    sound = load(data / f"cmu_bvh/{name}.bvh")
    q, lost = sound.q.copy(), 0
    for number, first in enumerate(range(12, len(q) - 12, 12)):
        count = 1 + number % 4
        q[first : first + count] = q[first - 1]
        lost += count
    filled, found = fill_lost_frames(replace(sound, q=q))
    assert lost - 4 <= found <= lost
    assert _measure_distance(filled, sound) < 0.15 * _measure_distance(replace(sound, q=q), sound)


def test_a_body_that_stops_has_lost_nothing() -> None:
    walk = samples.walk()
    q = np.concatenate((walk.q[:40], np.repeat(walk.q[40:41], 6, axis=0), walk.q[40:80]))
    assert fill_lost_frames(replace(walk, q=q))[1] == 0


@pytest.mark.parametrize(("radians", "least", "most"), [(0.04, 0.7, 1.2), (0.004, 0.0, 0.4)])
def test_a_small_wave_stays_if_it_is_stronger_than_the_noise(radians: float, least: float, most: float) -> None:
    """At 5 Hz, with noise of 0.017 radians: a fifteenth of the wave's power at its frequency, or fifteen times."""
    stand = samples.stand()
    assert stand.rig is not None
    elbow = stand.rig.parts["left_forearm"]
    wave = np.sin(2.0 * np.pi * 5.0 * stand.times)
    q = stand.q.copy()
    q[:, stand.skeleton.columns(elbow, "turn")[0]] += radians * wave
    smooth = remove_noise(shake(Motion(stand.skeleton, q, stand.frame_time, rig=stand.rig), 1.0, 0.002))[0]
    turns = quat.log(
        quat.multiply(
            quat.conjugate(local_frames(stand.skeleton, stand.q).rotations[:, elbow]),
            local_frames(smooth.skeleton, smooth.q).rotations[:, elbow],
        )
    )
    kept = np.linalg.norm(turns.T @ wave) / (wave @ wave) / radians
    assert least < kept < most
