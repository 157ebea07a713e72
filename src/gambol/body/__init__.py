"""Bodies with mass: who moves, what torques a motion takes, what momenta it has."""
