"""Reader and writer of BVH files."""
