"""Legs of pushed characters: feet stay on the clip's path, and knees do not rotate fast near full stretch."""

from __future__ import annotations

import numpy as np

from gambol.body.character import Character
from gambol.fit.rig import fit
from gambol.io import samples
from gambol.legs.character import find_character_legs
from gambol.motion.kinematics import place
from gambol.respond.equations import feet_function


def test_hips_that_move_away_stretch_a_leg_smoothly_and_leave_the_feet() -> None:
    clip = samples.walk()
    found = fit(Character.from_motion(clip, 70.0), clip)
    skeleton, legs = found.character.skeleton, find_character_legs(found.character)
    run = feet_function(found.character, 0.12)
    soles = [j for j, name in enumerate(skeleton.names) if name.endswith(("heel_tip", "ball_tip"))]
    there, step = np.linspace(0.0, 0.2, 401, retstep=True)
    for frame in (20, 40, 60):
        own = found.motion.q[frame]
        for direction in ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
            moved = np.zeros((6, len(there)))
            moved[:3] = np.outer(direction, there)
            poses = np.array(run(np.tile(own[:, None], (1, len(there))), moved)).T
            np.testing.assert_array_equal(poses[0], own)
            places = place(skeleton, poses).positions[:, soles]
            np.testing.assert_allclose(places, np.broadcast_to(places[0], places.shape), atol=1e-6)
            knees = poses[:, [leg.columns[3] for leg in legs]]
            rates = np.diff(knees, axis=0) / step
            # Beyond the first centimetre. Legs that stop at their largest reach have jumps of 3 to 27 rad/m per step of
            # half a millimetre.
            assert np.abs(rates[20:]).max() < 15.0
            assert np.abs(np.diff(rates[20:], axis=0)).max() < 1.0
