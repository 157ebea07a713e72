"""How gambol makes its own motions: planned feet, a planned centre of mass, and a body fitted between."""
