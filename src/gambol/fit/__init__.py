"""From a rig to a character and back."""
