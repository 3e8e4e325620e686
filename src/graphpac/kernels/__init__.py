"""Layer 1: compiled loops. Plain arrays in, plain arrays out; threads come from outside."""
