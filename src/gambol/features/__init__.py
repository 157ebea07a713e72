"""A motion as arrays of numbers: gait cycles at common phases, a body's channels, and encodings of rotations."""
