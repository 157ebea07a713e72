"""Pictures without a browser: strips of poses and short films."""
