"""Benchmarks: speed of gambol, and of peers in the same run."""
