"""Responses to pushes in real time: a character deviates from its clip and recovers (YL08)."""
