"""Layer 1: compiled loops over arrays and named tuples of them; threads come from outside."""
