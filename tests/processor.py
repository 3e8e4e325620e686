"""What the last bits of a result may depend on beside the code."""

import hashlib

from llvmlite import binding


def cpu() -> str:
    """Name what compiled sums of rounded numbers may depend on."""
    features = binding.get_host_cpu_features().flatten()
    return f"{binding.get_host_cpu_name()}-{hashlib.sha256(features.encode()).hexdigest()[:8]}"
