"""Features of motions: gait cycles at common phases, channels of a body, encodings of rotations."""
