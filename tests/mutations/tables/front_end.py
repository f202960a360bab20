"""To be."""
front_rows = []
refused_rows = []
