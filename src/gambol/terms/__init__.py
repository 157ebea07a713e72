"""Terms of a motion problem: one cost or one set of constraints each, added to the unknowns of a motion."""
