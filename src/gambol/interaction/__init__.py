"""Two people who meet: learned interactions with a style, and a partner who reacts to a hand (M17 section 4)."""
