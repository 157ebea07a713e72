"""One cost or one law each, to be added to the space of a motion's unknowns."""
