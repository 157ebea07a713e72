"""Models that know arrays and no skeletons."""
