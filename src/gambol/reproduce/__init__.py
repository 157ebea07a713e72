"""Claims, each measured anew: what a paper, a plate or another engine says, and what comes out here."""
