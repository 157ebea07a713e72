"""Problems in, solutions out: every solver and every one of its settings lives here."""
