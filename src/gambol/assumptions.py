"""Assumptions about people and the world that several packages share, each with its unit and source.

What only one module assumes stands there, beside its use.
"""

from __future__ import annotations

GRAVITY = 9.81
"""m/s²."""
FREE_FALL = (-11.8, -7.8)
"""Accelerations (m/s²) that count as free fall: a fifth beside gravity, by what flights of recorded jumps show."""
FRICTION = 0.8
"""Coefficient of friction of soles on floors: dry rubber on wood and carpet has 0.6 to 1."""

LEG_SHARE = 0.49
"""Length of thigh and shank as a share of body height (Drillis and Contini, in Winter 2009, figure 4.1: 0.491)."""
TRUNK_SHARE, UPPER_ARM_SHARE = 0.288, 0.186
"""Hip to shoulder, and shoulder to elbow, as shares of body height (Winter 2009, figure 4.1)."""
SOLE_HALF_WIDTH = 0.04
"""Metres from the line of an adult's foot to the edge of its sole."""

REST_SPEED = 0.15
"""Speed (m/s) below which a point of a foot is at rest: noise of recordings is slower."""
TOUCH_SPEED = 0.3
"""Speed (m/s) below which a point of a foot may touch the floor: heels that land and toes that leave roll."""
FASTEST_RUN = 13.0
"""Speed (m/s) that no runner has exceeded."""
CADENCE_POWER = 0.58
"""Of the speed of a walk, to which the rate of steps grows (Grieve 1968)."""

BODY_CUTOFF = 8.0
"""Cut-off (Hz) for the whole body: its movement is slower, noise of recordings is faster."""
POSE_CUTOFF = 10.0
"""Cut-off (Hz) for joint angles that are sampled or fitted: faster components are noise."""
LIMB_CUTOFF = 12.0
"""Cut-off (Hz) for feet and hands: feet brake within about 40 ms at heel strike."""
