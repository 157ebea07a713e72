"""What touches what and when: contacts, flight and ground stages, gait events."""
