"""Scenes of several actions and several people in one physics (L05 chapter 6)."""
