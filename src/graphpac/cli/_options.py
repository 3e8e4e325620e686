"""Arguments and options that several commands have, declared once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer


class Metric(StrEnum):
    """What near means."""

    cosine = "cosine"
    euclidean = "euclidean"
    inner_product = "inner_product"


def flag(*names: str, about: str, panel: str | None = None) -> Any:
    """Declare an option without a value; typer would write <bool> beside it."""
    return typer.Option(*names, help=about, metavar="", rich_help_panel=panel)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="Rows to read: .npy, .npz, .parquet, .csv or .h5ad, or a folder of .parquet files; "
        "- is CSV on standard input.",
        show_default=False,
    ),
]
Clusters = Annotated[
    int,
    typer.Option(
        "--clusters", "-c", min=1, metavar="C", help="Number of clusters.", show_default=False
    ),
]

READING = "Reading"
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Columns with the features, or patterns such as emb_*, separated by commas; "
        "default all columns of numbers.",
        rich_help_panel=READING,
    ),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Column with an id for each row; default none: rows are numbered from 0.",
        rich_help_panel=READING,
    ),
]
TextColumn = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Column with texts, shown in the report.", rich_help_panel=READING
    ),
]
KeepColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Columns to carry into the table of labels, or patterns, separated by commas.",
        rich_help_panel=READING,
    ),
]
Key = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Which array of an .npz file, or which entry of an .h5ad file.",
        rich_help_panel=READING,
    ),
]

METHOD = "Method"
MetricOption = Annotated[
    Metric,
    typer.Option(
        metavar="NAME",
        help="What near means: cosine, euclidean or inner_product.",
        rich_help_panel=METHOD,
    ),
]
Neighbors = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="K",
        help="Neighbors of each row in the graph; default 10, and fewer where clusters are small.",
        show_default=False,
        rich_help_panel=METHOD,
    ),
]
Fuzziness = Annotated[
    float,
    typer.Option(
        metavar="M", help="Above 1, at most 10: the larger, the softer.", rich_help_panel=METHOD
    ),
]
Alpha = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="ALPHA",
        help="Raise it when groups differ much in size.",
        rich_help_panel=METHOD,
    ),
]
MaxIter = Annotated[
    int, typer.Option(min=1, metavar="N", help="Iterations.", rich_help_panel=METHOD)
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="The same seed gives the same result.", rich_help_panel=METHOD
    ),
]

REPORT = "Report"
NoReport = Annotated[bool, flag("--no-report", about="Without the report.", panel=REPORT)]
ImageShape = Annotated[
    str | None,
    typer.Option(
        metavar="HxW[xC]",
        help="Rows are images of this shape: show them as such.",
        rich_help_panel=REPORT,
    ),
]
Title = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="Heading; default the name of the file.", rich_help_panel=REPORT
    ),
]

Threads = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Threads; default all cores.", show_default=False),
]
Overwrite = Annotated[bool, flag("--overwrite", about="Replace what is there already.")]
Json = Annotated[bool, flag("--json", about="Print one JSON object and nothing else.")]
Quiet = Annotated[bool, flag("--quiet", "-q", about="Print warnings and errors only.")]
NoBars = Annotated[bool, flag("--quiet", "-q", about="Show no bars, only what was found.")]


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
