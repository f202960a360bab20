"""What programs mean, in NumPy: the value of each node, and how far from it a right answer may lie."""
