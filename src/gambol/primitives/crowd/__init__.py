"""Crowds whose headings, step sizes, gait phases and step frequencies are controlled together (M17 section 2.5)."""
