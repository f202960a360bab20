"""Sessions: programs one after the other, called again, and taking turns."""
