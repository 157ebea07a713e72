"""Recovery from pushes by steps: footholds and contact forces of the whole body, solved as one problem."""
