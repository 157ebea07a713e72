"""Humanoid robots: walking patterns, balance, whole-body tasks and their simulation (M17 section 3)."""
