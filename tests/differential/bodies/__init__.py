"""Draws programs whose bodies are graphs: loops, choices, reductions and scans by bodies."""
