"""Navigation of walking agents: heading dynamics with goals, obstacles and predicted collisions (M17 section 2.4)."""
