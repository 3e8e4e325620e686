"""Time, memory and quality, measured together: ``python -m benchmarks.run``."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
