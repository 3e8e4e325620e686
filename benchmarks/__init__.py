"""Time, memory and quality, measured together: ``python -m benchmarks.run``."""
