"""Arguments and options that several commands have, declared once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import typer


class Metric(StrEnum):
    """What near means."""

    cosine = "cosine"
    euclidean = "euclidean"
    inner_product = "inner_product"


class Sizes(StrEnum):
    """Whether clusters are of similar size."""

    even = "even"
    uneven = "uneven"


class Variant(StrEnum):
    """What follows the ramp."""

    best = "best"
    ramp = "ramp"
    published = "published"


def flag(*names: str, about: str, panel: str | None = None) -> Any:
    """Declare an option without a value; typer would write <bool> beside it."""
    return typer.Option(*names, help=about, metavar="", rich_help_panel=panel)


def valued(metavar: str, about: str, *names: str, panel: str | None = None, **more: Any) -> Any:
    """Declare an option with a value."""
    return typer.Option(*names, metavar=metavar, help=about, rich_help_panel=panel, **more)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Rows to read: .npy, .npz, .parquet, .csv or .h5ad, or a folder of .parquet files; "
        "- is CSV on standard input.",
        show_default=False,
    ),
]
CLUSTERS = "Number of clusters, or auto to count them: often not the number you have in mind."
Clusters = Annotated[str, valued("C", CLUSTERS, "--clusters", "-c", show_default=False)]

READING = "Reading"
COLUMNS = (
    "Columns with the features, or patterns such as emb_*, separated by commas; default all "
    "columns of numbers."
)
KEPT = "Columns to carry into the table of labels, or patterns, separated by commas."
IDS = "Column with an id for each row; default none: rows are numbered from 0."
KEYS = "Which array of an .npz file, or which entry of an .h5ad file."
Columns = Annotated[list[str] | None, valued("NAMES", COLUMNS, panel=READING)]
IdColumn = Annotated[str | None, valued("NAME", IDS, panel=READING)]
TextColumn = Annotated[
    str | None, valued("NAME", "Column with texts, shown in the report.", panel=READING)
]
KeepColumns = Annotated[list[str] | None, valued("NAMES", KEPT, panel=READING)]
Key = Annotated[str | None, valued("NAME", KEYS, panel=READING)]

METHOD = "Method"
NEAR = "What near means: cosine, euclidean or inner_product."
NEIGHBORS = "Neighbors of each row in the graph; default 10, and fewer where clusters are small."
MetricOption = Annotated[Metric, valued("NAME", NEAR, panel=METHOD)]
Neighbors = Annotated[int | None, valued("K", NEIGHBORS, panel=METHOD, min=1, show_default=False)]
Fuzziness = Annotated[
    float, valued("M", "Above 1, at most 10: the larger, the softer.", panel=METHOD)
]
Alpha = Annotated[
    float, valued("ALPHA", "Raise it when groups differ much in size.", panel=METHOD, min=0)
]
SIZES = "Whether clusters are of similar size: even, or uneven if they differ tenfold or more."
SizesOption = Annotated[Sizes, valued("NAME", SIZES, panel=METHOD)]
VARIANT = (
    "What follows the ramp: best lets communities compete, ramp does not, published stops there."
)
VariantOption = Annotated[Variant, valued("NAME", VARIANT, panel=METHOD)]
Starts = Annotated[int, valued("N", "Starts, of which the best is kept.", panel=METHOD, min=1)]
ITERATIONS = "Iterations; default 40, and 50 for the published variant."
MaxIter = Annotated[int | None, valued("N", ITERATIONS, panel=METHOD, min=1, show_default=False)]
Seed = Annotated[int, valued("N", "The same seed gives the same result.", panel=METHOD, min=0)]

REPORT = "Report"
NoReport = Annotated[bool, flag("--no-report", about="Without the report.", panel=REPORT)]
ImageShape = Annotated[
    str | None, valued("HxW[xC]", "Rows are images of this shape: show them as such.", panel=REPORT)
]
Title = Annotated[
    str | None, valued("TEXT", "Heading; default the name of the file.", panel=REPORT)
]

Threads = Annotated[
    int | None, valued("N", "Threads; default all cores.", min=1, show_default=False)
]
Overwrite = Annotated[bool, flag("--overwrite", about="Replace what is there already.")]
Json = Annotated[bool, flag("--json", about="Print one JSON object and nothing else.")]
Quiet = Annotated[bool, flag("--quiet", "-q", about="Print warnings and errors only.")]
NoBars = Annotated[bool, flag("--quiet", "-q", about="Show no bars, only what was found.")]


def parse_clusters(given: str) -> int | Literal["auto"]:
    """Read a number of clusters, or the word that leaves it open."""
    if given == "auto":
        return "auto"
    if not given.isdecimal() or int(given) < 1:
        msg = f"{given} must be a whole number from 1 up, or auto."
        raise typer.BadParameter(msg, param_hint="--clusters")
    return int(given)


def split_names(option: str, given: list[str] | None) -> tuple[str, ...] | None:
    """Take apart names separated by commas; None if the option was not given."""
    if not given:
        return None
    names = tuple(name.strip() for item in given for name in item.split(",") if name.strip())
    if not names:
        msg = "names nothing: give a name, several with commas between, or leave it out."
        raise typer.BadParameter(msg, param_hint=option)
    return names


def parse_image_shape(given: str | None) -> tuple[int, ...] | None:
    """Take apart a shape such as 28x28 or 32x32x3."""
    if given is None:
        return None
    sides = given.lower().split("x")
    are_numbers = all(side.isdecimal() and int(side) > 0 for side in sides)
    if not are_numbers or len(sides) not in {2, 3} or sides[2:] not in ([], ["1"], ["3"]):
        msg = f"{given} must be HEIGHTxWIDTH, such as 28x28, or HEIGHTxWIDTHx3 for colors."
        raise typer.BadParameter(msg, param_hint="--image-shape")
    return tuple(map(int, sides))
