"""Kinematic pattern synthesis: actions of a robot's upper body, learned from edited human motions (M17 section 3.3)."""
