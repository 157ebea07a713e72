"""What touches what, and when: the one table of contacts of a motion."""
