"""Families of motions (L05 sections 4.4.3 and 4.4.4): a clip edited on a grid, with blends between the members."""
