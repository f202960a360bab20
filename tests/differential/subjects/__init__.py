"""Draws programs that have a subject."""
