"""The form as printed does what its equations say, and that is why it is not the default."""

from __future__ import annotations

import numpy as np
import pytest

from gambol.body.dynamics import Dynamics
from gambol.fit.rig import Fit
from gambol.respond.actuation import compute_actuation, upper_body_columns
from gambol.respond.printed import respond_to_targets_as_printed


def test_no_torque_is_left_in_the_free_directions(walk: Fit) -> None:
    """Equation 2, by an independent inverse dynamics of the poses that came out."""
    actuation, h = compute_actuation(walk), walk.motion.frame_time
    poses = respond_to_targets_as_printed(walk, actuation, [], 3)[:12]
    upper = upper_body_columns(walk.character)[6:]
    clip = walk.motion.q
    for n in range(2, 10):
        acceleration = (clip[n + 1] - 2.0 * clip[n] + clip[n - 1]) / h**2
        acceleration[upper] = (poses[n + 1] - 2.0 * poses[n] + poses[n - 1])[upper] / h**2
        torques = Dynamics(walk.character).torques(poses[n], (poses[n] - poses[n - 1]) / h, acceleration)[upper]
        assert np.abs(actuation.free(3).T @ torques).max() < 1e-6 * np.abs(torques).max()


@pytest.mark.parametrize("squared", [True, False])
def test_unpushed_it_runs_away_from_the_clip(walk: Fit, squared: bool) -> None:
    off = np.abs(respond_to_targets_as_printed(walk, compute_actuation(walk), [], 10, squared=squared) - walk.motion.q)
    assert np.degrees(off.max()) > 90.0
