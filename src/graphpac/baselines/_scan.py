"""The estimator of SCAN's clustering step on fixed features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import scipy.sparse as sp

from graphpac._constraints import none, one_of, real_number, whole_number
from graphpac._costs import Cost
from graphpac._threads import Workers, resolve_n_jobs
from graphpac._typing import Metric, RandomState
from graphpac.baselines._fit import GraphBaseline
from graphpac.estimators._base import MembershipClusterer
from graphpac.fitting.attributes import membership_attributes
from graphpac.fitting.costs import graph_fit_costs
from graphpac.fitting.parameters import constraints_of, shared_constraint, weight
from graphpac.fitting.run import FitRun
from graphpac.graph.centered import RowFrame
from graphpac.graph.data_size import DataSize
from graphpac.graph.searchers import NeighborSearcher
from graphpac.solvers.linear_heads import LinearHead, RowMoments
from graphpac.solvers.scan import Schedule, scan_memory, solve_scan
from graphpac.solvers.scan_self_labels import learn_own_labels

# The entropy of the clusters is estimated on every batch, and too low where a batch is small.
_SMALLEST_BATCH = 512
_BATCH_PER_CLUSTER = 10


class SCANHead(GraphBaseline, MembershipClusterer):
    """The clustering step of SCAN on features as they are: a linear head that neighbors agree on.

    This is not the image pipeline of the paper. It learns no features, sees no images and no
    augmentations of them: it expects good features, such as embeddings of a network trained
    without labels, and learns a linear map of them followed by a softmax. Its outputs q, the
    memberships, are to be alike for neighbors and to use all clusters: the loss is
    ``-mean log(q_i . q_j) - entropy_weight * H(mean q)`` over pairs of a sample and a neighbor
    drawn among its nearest and itself. Several heads learn at once from random starts, and the one
    of the lowest loss, there with the entropy weighted by one, is kept.

    Steps are those of Adam and shrink to zero along a cosine. Features are seen from their mean and
    in units of their mean deviation, so that neither their scale nor their number matters to
    ``learning_rate``.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, at most the number of samples.
    n_neighbors : int
        Number of nearest neighbors of a sample, 20 in the paper, 50 for its larger data.
    metric : {"cosine", "euclidean", "inner_product"}
        What makes rows near each other. Under "cosine" the head sees rows divided by their length.
    searcher : str or searcher object
        How neighbors are found; "auto" chooses by the size of the data.
    entropy_weight : float
        How much it costs to use clusters unequally. The larger, the more alike the clusters in
        size; with 0 nothing keeps clusters from being lost.
    n_heads : int
        Number of heads to choose from.
    max_iter : int
        Number of steps. Time grows with it, not with the number of samples: as many steps as there
        are batches in the data visit every sample once.
    batch_size : int or "auto"
        Number of samples of a step. The entropy is estimated on it, which needs many samples of
        each cluster: "auto" takes ten for each, 512 at least.
    learning_rate : float
        How far the first step may move the logits of an average sample.
    self_label : float, optional
        Let the head learn its own labels of the samples with an output above this, 0.99 in the
        paper, in as many steps again. Without augmented images it only makes memberships more
        certain: it lowered the agreement with the classes a little on all data we tried, which is
        why it is off.
    n_jobs : int, optional
        Number of threads; None means all usable cores. The result is the same for any number.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same result to the last bit.
    verbose : int
        1 shows a progress bar and logs the stages.

    Attributes
    ----------
    labels_ : int32 array of shape (n_samples,)
        Cluster of the largest membership of each sample.
    memberships_ : CSR float32 matrix of shape (n_samples, n_clusters)
        Outputs of the head; rows sum to one.
    probabilities_ : float32 array of shape (n_samples,)
        The largest membership of each sample.
    cluster_sizes_ : int64 array of shape (n_clusters,)
        Number of samples of each label.
    objective_ : float
        The loss by which the head was chosen, before self-labeling; -log(n_clusters) at best.
    head_losses_ : float64 array of shape (n_heads,)
        This loss of every head.
    history_ : tuple of float
        The loss of the kept head on the batch of each step, with the entropy weight of the fit.
    n_iter_ : int
        Number of steps made.
    timings_ : dict
        Seconds spent on "graph", "optimize" and, if asked for, "self-labels".

    References
    ----------
    W. Van Gansbeke, S. Vandenhende, S. Georgoulis, M. Proesmans, L. Van Gool (2020), SCAN: Learning
    to classify images without labels.

    Examples
    --------
    >>> from graphpac import SCANHead
    >>> from graphpac.datasets import load
    >>> model = SCANHead(n_clusters=10, max_iter=100, random_state=0).fit(load("digits").X)
    >>> model.memberships_.shape
    (1797, 10)
    """

    _parameters = constraints_of(
        entropy_weight=weight(),
        n_heads=shared_constraint("n_init"),
        batch_size=one_of("auto") | whole_number(at_least=1),
        learning_rate=real_number(above=0.0, at_most=1e6),
        self_label=none() | real_number(at_least=0.0, below=1.0),
    )

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_neighbors: int = 20,
        metric: Metric = "cosine",
        searcher: str | NeighborSearcher = "auto",
        entropy_weight: float = 5.0,
        n_heads: int = 10,
        max_iter: int = 2000,
        batch_size: int | Literal["auto"] = "auto",
        learning_rate: float = 5.0,
        self_label: float | None = None,
        n_jobs: int | None = None,
        random_state: RandomState = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.searcher = searcher
        self.entropy_weight = entropy_weight
        self.n_heads = n_heads
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.self_label = self_label
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _find(self, run: FitRun) -> dict[str, Any]:
        with Workers(run.n_jobs) as workers:
            graph = run.connect(self.n_neighbors).graph
            schedule = Schedule(self.max_iter, self._samples_of_a_step(), self.learning_rate)
            with run.log.stage("optimize") as progress:
                frame = RowFrame.of(run.X, self.metric)
                rows = frame.rows(run.X, run.n_jobs)
                moments = RowMoments.of(rows, workers)
                result = solve_scan(
                    rows,
                    graph,
                    self.n_clusters,
                    n_heads=self.n_heads,
                    entropy_weight=self.entropy_weight,
                    schedule=schedule,
                    moments=moments,
                    rng=run.streams.start,
                    workers=workers,
                    progress=progress,
                )
                head = result.head
            if self.self_label is not None:
                with run.log.stage("self-labels"):
                    head = learn_own_labels(
                        head,
                        rows,
                        threshold=self.self_label,
                        schedule=schedule,
                        moments=moments,
                        rng=run.streams.optimize,
                    )
            memberships = head.memberships(rows, workers)
        return {
            **membership_attributes(memberships, cure="or raise entropy_weight"),
            "objective_": float(result.losses.min()),
            "head_losses_": result.losses,
            "history_": result.history,
            "n_iter_": len(result.history),
            "_predictor": HeadOutputs(frame, head, self.n_jobs),
        }

    def _costs(self, size: DataSize, n_jobs: int) -> dict[str, Cost]:
        batch_size = min(size.n_samples, self._samples_of_a_step())
        heads = scan_memory(size.n_features, self.n_clusters, self.n_heads, batch_size)
        return graph_fit_costs(self, size, n_jobs, self.n_neighbors, keep_rows=True, optimize=heads)

    def _samples_of_a_step(self) -> int:
        if self.batch_size == "auto":
            return max(_SMALLEST_BATCH, _BATCH_PER_CLUSTER * self.n_clusters)
        return self.batch_size


@dataclass(frozen=True)
class HeadOutputs:
    """Gives rows the outputs of a head as memberships."""

    frame: RowFrame
    head: LinearHead
    n_jobs: int | None

    def predict(self, X: Any) -> sp.csr_matrix:
        """Return the memberships of rows that were checked."""
        n_jobs = resolve_n_jobs(self.n_jobs)
        with Workers(n_jobs) as workers:
            return self.head.memberships(self.frame.rows(X, n_jobs), workers)
