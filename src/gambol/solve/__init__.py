"""Optimisation problems and solvers: all solvers and their settings are in this package."""
