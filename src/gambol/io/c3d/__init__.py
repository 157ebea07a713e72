"""C3D: markers, analogue channels and force plates."""
