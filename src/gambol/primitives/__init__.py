"""Movement primitives: learned, generated online, morphed, steered, and crowds of them in step (M17 section 2)."""
