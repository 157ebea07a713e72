"""How somebody moves, learned from one clip and applied to other tasks (L05 chapter 5)."""
