"""Edit a clip by its stages (L05 chapter 4): move, turn, raise, prolong them, or change gravity."""
