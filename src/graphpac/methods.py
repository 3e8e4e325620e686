"""Every method of the paper's comparison by its name, with the paper's settings.

>>> from graphpac import methods
>>> model = methods.make("k-sums", n_clusters=10, random_state=0)
>>> type(model).__name__
'KSums'
>>> methods.find("Self-CSC").title
'Self-CSC'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from graphpac._typing import RandomState
from graphpac.exceptions import ParameterError

__all__ = ["METHODS", "Method", "find", "make", "names"]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method of the comparison.

    Attributes
    ----------
    title : str
        How the paper's tables call it; its name here is the same in lower case.
    estimator : str
        Where its class is, "module:class".
    settings : mapping
        The parameters that are set, the others have the defaults of the class.
    setting : str
        The settings in half a sentence, for tables.
    finds_n_clusters : bool
        Whether the number of clusters is an output: `make` then takes and ignores one.
    is_deterministic : bool
        Whether another seed gives the same result, approximate searches apart.
    note : str
        What one must know to compare it with the paper; empty if nothing.
    remark : str
        A word that must stand beside its title in every table, such as "reconstruction".
    """

    title: str
    estimator: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    setting: str
    finds_n_clusters: bool = False
    is_deterministic: bool = False
    note: str = ""
    remark: str = ""

    @property
    def name(self) -> str:
        """What it is called here, in lower case."""
        return self.title.lower()

    @property
    def label(self) -> str:
        """Title and remark, the name of the method in our tables."""
        return f"{self.title} ({self.remark})" if self.remark else self.title

    @property
    def estimator_class(self) -> type:
        """The class, imported when asked for."""
        module, _, name = self.estimator.partition(":")
        found: type = getattr(import_module(module), name)
        return found

    def make(
        self,
        n_clusters: int | None = None,
        *,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        **parameters: Any,
    ) -> Any:
        """Make an estimator that is not fitted yet.

        Parameters
        ----------
        n_clusters : int, optional
            Number of clusters; ignored by methods that find it themselves.
        random_state : int, RandomState or Generator, optional
            Seed; ignored by methods that have none.
        n_jobs : int, optional
            Number of threads; ignored by methods that have no such parameter.
        **parameters
            Instead of the settings of the paper.
        """
        create: Callable[..., Any] = self.estimator_class
        model = create(**{**self.settings, **parameters})
        offered = {"n_clusters": n_clusters, "random_state": random_state, "n_jobs": n_jobs}
        known = model.get_params(deep=False)
        if self.finds_n_clusters:
            offered.pop("n_clusters")
        given = {name: value for name, value in offered.items() if value is not None}
        return model.set_params(**{name: given[name] for name in given.keys() & known.keys()})


_BASELINES = "graphpac.baselines"
METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            title="KM",
            estimator="sklearn.cluster:KMeans",
            settings={"n_init": 1, "max_iter": 300},
            setting="scikit-learn's KMeans, one k-means++ start, rows as they are",
        ),
        Method(
            title="FCM",
            estimator=f"{_BASELINES}:FuzzyCMeans",
            settings={"fuzziness": 1.05},
            setting="m = 1.05, k-means++ seeds, rows as they are",
        ),
        Method(
            title="FCM+LCC",
            estimator=f"{_BASELINES}:FuzzyCMeans",
            settings={"fuzziness": 1.05, "local_weight": "ramp", "metric": "cosine"},
            setting="FCM with GPAC's local term, weight t/50 in iteration t, unit rows",
            note="The paper gives no algorithm for it.",
        ),
        Method(
            title="SPKM",
            estimator=f"{_BASELINES}:SphericalKMeans",
            setting="one k-means++ start, unit rows",
        ),
        Method(
            title="SC",
            estimator=f"{_BASELINES}:NeighborSpectralClustering",
            setting="heat kernel on ten neighbors, unit rows of the embedding, k-means",
            note="The paper says only that a neighbor graph is used.",
        ),
        Method(
            title="RCC",
            estimator=f"{_BASELINES}:RCC",
            setting="mutual ten neighbors under cosine and the spanning forest, min-max features",
            finds_n_clusters=True,
            is_deterministic=True,
            note="The paper does not say how features are scaled.",
        ),
        Method(
            title="FINCH",
            estimator=f"{_BASELINES}:FINCH",
            settings={"searcher": "exact", "early_exit": True, "merge": False},
            setting="exact first neighbors under cosine, early exit, the level nearest in size",
            is_deterministic=True,
            note="The paper does not say which level of the hierarchy it scores.",
        ),
        Method(
            title="Self-CSC",
            estimator=f"{_BASELINES}:SelfCSC",
            setting="a reconstruction: the article's code was never published",
            note="A reconstruction from the abstract and a third party's script.",
            remark="reconstruction",
        ),
        Method(
            title="K-sums",
            estimator=f"{_BASELINES}:KSums",
            setting="1.2 n/c neighbors, at most 200, start from the graph",
            note="The paper does not say how many neighbors it uses.",
        ),
        Method(
            title="PAC",
            estimator=f"{_BASELINES}:PAC",
            settings={"fuzziness": 1.03},
            setting="m = 1.03, nearly uniform start, unit rows",
            note="The paper does not say which m it uses.",
        ),
        Method(
            title="SCAN",
            estimator=f"{_BASELINES}:SCANHead",
            setting="linear heads on the given rows, not the image pipeline",
            note="The paper trains on images; here only the heads on given features are trained.",
            remark="heads only",
        ),
        Method(
            title="GPAC",
            estimator="graphpac.estimators:GPAC",
            settings={"variant": "published"},
            setting="m = 1.05, alpha = 1, ten neighbors, ramp over 50 iterations, unit rows",
            note='The published start is init="k-means++".',
        ),
        Method(
            title="BFG",
            estimator=f"{_BASELINES}:BalancedFuzzyGraph",
            settings={"certainty": 0.2},
            setting="our reading of GBFC: fuzzy cut with a balance term, certainty 0.2",
            note="Not in the paper's tables; our reading of GBFC and FFCAG.",
            remark="our reading",
        ),
        Method(
            title="AP",
            estimator=f"{_BASELINES}._affinity_propagation:SmallAffinityPropagation",
            setting="scikit-learn's AffinityPropagation, at most 15,000 rows",
            finds_n_clusters=True,
            note="Not in the paper's tables.",
        ),
    )
}


def names() -> list[str]:
    """Names of all methods."""
    return list(METHODS)


def find(name: str) -> Method:
    """Find a method by its name, its title or the name of its class, in any case.

    Parameters
    ----------
    name : str
        Such as "k-sums", "K-sums", "ksums" or "KSums".
    """
    wanted = _plain(name)
    for method in METHODS.values():
        if wanted == _plain(method.title):
            return method
    for method in METHODS.values():  # of two settings of one class, the plain one stands first
        if wanted == _plain(method.estimator.partition(":")[2]):
            return method
    msg = f"there is no method {name!r}: choose one of {', '.join(METHODS)}."
    raise ParameterError(msg)


def make(name: str, n_clusters: int | None = None, **parameters: Any) -> Any:
    """Make the estimator of a method with the paper's settings; see `Method.make`.

    Parameters
    ----------
    name : str
        As `find` takes it.
    n_clusters : int, optional
        Number of clusters; ignored by methods that find it themselves.
    **parameters
        ``random_state``, ``n_jobs``, and parameters of the estimator to change.
    """
    return find(name).make(n_clusters, **parameters)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").replace(" ", "")
