"""BVH, read and written."""
