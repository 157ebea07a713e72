"""Certificates of marching crowds (M17 section 2.5): how fast phases, steps, distances and headings converge."""
