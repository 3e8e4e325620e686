"""Time, memory and quality, measured together: ``python -m benchmarks.run``."""

import argparse
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"


def parser_of(module: str, about: str | None) -> argparse.ArgumentParser:
    """Make the parser of ``python -m benchmarks.MODULE``; the help is what the module is about."""
    return argparse.ArgumentParser(
        prog=f"python -m benchmarks.{module}",
        description=about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
