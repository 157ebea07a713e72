"""Whole clips: what a verb returns (`Result`), and the verbs that need no solver (`loop`, `retarget`)."""
