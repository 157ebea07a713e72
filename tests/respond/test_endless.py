"""A clip without end: its poses repeat, and its travel goes on."""

from __future__ import annotations

import numpy as np

from gambol.fit.rig import Fit
from gambol.respond.endless import make_endless


def test_an_endless_clip_repeats_its_poses_and_goes_on_with_its_travel(walk: Fit) -> None:
    clip = make_endless(walk)
    count = len(clip)
    frames = np.array([[-1, 0, 5], [count, 2 * count + 5, -count]])
    world = clip.at(frames)
    for index in np.ndindex(frames.shape):
        frame = int(frames[index])
        np.testing.assert_allclose(world[index][3:], clip.target(frame)[3:])
        np.testing.assert_allclose(world[index][:3], clip.target(frame)[:3] + clip.place(frame))
        rounds = frame // count
        np.testing.assert_allclose(clip.place(frame), clip.places[frame % count] + rounds * clip.travel)
        np.testing.assert_allclose(clip.target(frame), clip.poses[frame % count] + rounds * clip.turned)
    q, cycle = walk.motion.q, clip.cycle
    assert cycle is not None
    assert count == cycle.stop - cycle.start
    np.testing.assert_allclose(clip.travel, (q[cycle.stop] - q[cycle.start])[:3] * [1.0, 1.0, 0.0])
    steps = np.diff([clip.place(frame) for frame in range(-3, count + 3)], axis=0)
    np.testing.assert_allclose(steps, np.tile(clip.travel / count, (len(steps), 1)), atol=1e-12)
    np.testing.assert_allclose(clip.poses[:, :2].mean(axis=0), 0.0, atol=1e-12)
    assert np.abs(clip.turned).max() == 0.0
