"""Layer 5: the experiments of the paper."""
