"""Measure how physical a motion is: figures with acceptable bands, and the sources of the bands."""
