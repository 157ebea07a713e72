"""What the stage shows of a body's physics, frame by frame."""

from __future__ import annotations

import numpy as np

from gambol.drawing.overlays import Overlay
from gambol.drawing.server import close_server, open_server
from gambol.fit.physics import estimate_physics
from gambol.io import samples


def test_words_discs_lines_and_centre_follow_the_frame_and_the_figure() -> None:
    physics = estimate_physics(samples.jump())
    top = int(np.argmax(physics.forces.center_of_mass[:, 2]))
    shift = np.array([2.0, -1.0, 0.0])
    server = open_server("127.0.0.1", 0)
    try:
        overlay = Overlay(server, "physics", physics)
        for frame, words in ((0, "both feet"), (top, "flight"), (len(physics.motion) - 1, "both feet")):
            overlay.show(frame, shift)
            assert overlay._label.text == words
            held = physics.contact_places(frame)
            seen = overlay._discs.batched_scales.any(axis=1)
            assert seen.sum() == len(held)
            wanted = np.array([held[point] for point in sorted(held)]).reshape(-1, 3) + shift
            np.testing.assert_allclose(overlay._discs.batched_positions[seen], wanted, atol=1e-6)
            assert overlay._arrows.points.any() == (words != "flight")
            center = physics.forces.center_of_mass[frame] + shift
            np.testing.assert_allclose(overlay._center.position[:2], center[:2], atol=1e-6)
            assert overlay._label.position[2] > physics.motion.placement.positions[frame, :, 2].max()
    finally:
        close_server(server)
