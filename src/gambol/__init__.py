"""Give a captured or sketched character motion the physics it lacks."""
