"""Families of motions (L05 sections 4.4.3 and 4.4.4): a clip edited many times, and all between by blending."""
