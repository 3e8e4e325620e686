"""The way all baselines are fitted; each tells what it finds in rows that were checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from graphpac._constraints import Constraint
from graphpac.estimators._base import Clusterer
from graphpac.fitting.resume import Folder
from graphpac.fitting.run import FitRun, begin_fit


class Baseline(Clusterer, ABC):
    """A method that works on rows alone.

    ``_parameters`` says what each parameter may be, ``_starts`` which names ``init`` may be beside
    labels, memberships and fitted models; None if it may not be those.
    """

    _parameters: ClassVar[Mapping[str, Constraint]]
    _starts: ClassVar[tuple[str, ...] | None] = None

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, data frame or, but for PAC and RCC, sparse matrix, (n_samples, n_features)
            Real, finite numbers of any dtype.
        y : ignored
            Present by convention.

        Returns
        -------
        self
            Fitted.
        """
        return self._fit(X, None)

    def _fit(self, X: Any, checkpoint: Folder | None) -> Self:
        with begin_fit(
            self, self._parameters, X, starts=self._starts, checkpoint=checkpoint
        ) as run:
            found = self._find(run)
        self._store({**run.attributes, "timings_": run.log.timings, **found})
        return self

    @abstractmethod
    def _find(self, run: FitRun) -> dict[str, Any]:
        """Return the attributes of the fitted estimator."""


class GraphBaseline(Baseline):
    """A method that works on a neighbor graph, which a checkpoint can keep."""

    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        checkpoint: Folder | None = None,
    ) -> Self:
        """Cluster the rows of X.

        Parameters
        ----------
        X : array, data frame or, but for PAC and RCC, sparse matrix, (n_samples, n_features)
            Real, finite numbers of any dtype.
        y : ignored
            Present by convention.
        checkpoint : path, optional
            Folder that keeps the neighbor graph, if the parameters ask for one. If the fit does not
            come to its end, the same call takes the graph from there and does the rest again; the
            result is the same to the last bit. A folder of other data or parameters is refused.

        Returns
        -------
        self
            Fitted.
        """
        return self._fit(X, checkpoint)
