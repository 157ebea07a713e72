"""Speed, beside its peers, as ratios from one run."""
