"""Movement primitives: learning, online generation, morphing, navigation and crowds (M17 section 2)."""
