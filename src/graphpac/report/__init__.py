"""Layer above the estimators: facts of a fitted model, pictures of it, and a page to look at."""

from graphpac.report.facts import (
    ReportFacts,
    collect_facts,
    facts_from_contents,
    facts_to_contents,
)
from graphpac.report.html import write_report

__all__ = [
    "ReportFacts",
    "collect_facts",
    "facts_from_contents",
    "facts_to_contents",
    "write_report",
]
