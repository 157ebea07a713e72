"""Certificates of marching crowds (M17 section 2.5): rates at which phases, step sizes, ranks and headings converge."""
