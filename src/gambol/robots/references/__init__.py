"""Reference motions: clips of people as motions of a humanoid robot, for those who train controllers."""
