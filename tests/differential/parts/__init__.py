"""Draws programs that put arrays together or take them apart."""
