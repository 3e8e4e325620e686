"""What is measured together: data sets, contenders and limits."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.contenders import centers, density, graphs, methods
from graphpac.measuring.own_process import Limits

EVERYBODY = ("GPAC", *centers.CONTENDERS, *graphs.CONTENDERS, *density.CONTENDERS)


@dataclass(frozen=True)
class Suite:
    """Every contender meets every data set.

    Where the data sets grow, smallest first, who was killed at one size is not tried at the next.
    """

    title: str
    datasets: tuple[str, ...]
    contenders: tuple[str, ...]
    limits: Limits
    growing: bool = False


SUITES = {
    "default": Suite(
        title="GPAC beside KMeans and EVoC",
        datasets=(
            "mnist",
            "tinyimagenet100a_effnetlite2",
            "clinc150_minilm",
            "banking77_minilm",
            "mixture-100000x128-100",
            "mixture-300000x128-100",
        ),
        contenders=("GPAC", "KMeans", "EVoC"),
        limits=Limits(seconds=600, gigabytes=16),
    ),
    "real": Suite(
        title="Real data",
        datasets=(
            "mnist",
            "news20_minilm",
            "clinc150_minilm",
            "banking77_minilm",
            "cifar10_effnetlite2_20k",
            "tinyimagenet100a_effnetlite2",
        ),
        contenders=EVERYBODY,
        limits=Limits(seconds=600, gigabytes=16),
    ),
    "growth": Suite(
        title="128 features, 100 clusters",
        datasets=tuple(f"mixture-{n}x128-100" for n in (10_000, 30_000, 100_000, 300_000)),
        contenders=EVERYBODY,
        limits=Limits(seconds=600, gigabytes=16),
        growing=True,
    ),
    # Pendigits and USPS with five seeds, MNIST with one: see docs/methods.md.
    "methods": Suite(
        title="The methods of the paper",
        datasets=("pendigits", "usps", "mnist"),
        contenders=tuple(methods.CONTENDERS),
        limits=Limits(seconds=1800, gigabytes=15),
    ),
    # The size of the largest experiment of the paper, and two steps on the way.
    "large": Suite(
        title="512 features, 1,000 clusters",
        datasets=tuple(f"mixture-{n}x512-1000" for n in (100_000, 300_000, 1_281_167)),
        contenders=("GPAC", "KMeans", "MiniBatchKMeans", "faiss k-means"),
        limits=Limits(seconds=7200, gigabytes=16),
        growing=True,
    ),
    # With 500 clusters both sizes have three hops, so that doubling is all that changes.
    "threads": Suite(
        title="512 features, 500 clusters",
        datasets=("mixture-250000x512-500", "mixture-500000x512-500"),
        contenders=("GPAC, 1 thread", "GPAC, 2 threads"),
        limits=Limits(seconds=3600, gigabytes=16),
        growing=True,
    ),
}
