"""Suites of claims: what papers, force plates and other engines say, measured on this program."""
