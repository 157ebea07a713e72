"""Reader of C3D files: markers, analogue channels and force plates."""
