"""Find contacts, ground and flight stages, and gait events of a motion."""
