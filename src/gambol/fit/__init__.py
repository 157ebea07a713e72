"""Fit characters to rigs and markers, map their motions back, and estimate ground forces."""
