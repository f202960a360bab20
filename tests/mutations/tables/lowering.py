"""To be."""
bounded_rows = []
lowered_rows = []
target_rows = []
