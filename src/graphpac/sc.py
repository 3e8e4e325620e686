"""GPAC in the manner of scanpy's tools: cells in, annotations of the same cells out."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import numpy as np

from graphpac._optional import require
from graphpac._typing import RandomState
from graphpac.estimators import GPAC
from graphpac.graph import NeighborGraph

_MOST_DENSE_ENTRIES = 50_000_000  # 200 MB; beyond, memberships are stored sparse
_OF_ROWS_ONLY = ("n_neighbors", "metric", "searcher")

Annotated = TypeVar("Annotated")


def gpac(
    adata: Annotated,
    n_clusters: int | Literal["auto"],
    *,
    random_state: RandomState = 0,
    key_added: str = "gpac",
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_rep: str | None = None,
    copy: bool = False,
    **parameters: Any,
) -> Annotated | None:
    """Cluster cells into a given number of groups, with memberships that sum to one.

    Works on the rows that ``scanpy.pp.neighbors`` searched, by default the principal components, or
    on its graph if that is asked for or there are no such rows.

    Parameters
    ----------
    adata : AnnData
        Annotated cells.
    n_clusters : int or "auto"
        Number of clusters, as for `GPAC`.
    random_state : int, RandomState or Generator, optional
        Seed; the same seed gives the same clusters.
    key_added : str
        Name of what is added.
    neighbors_key : str, optional
        Cluster the graph stored under this name in ``adata.uns``, such as "neighbors", by its
        distances. Right for a graph that says more than the rows, as one corrected for batches.
    obsp : str, optional
        Cluster this entry of ``adata.obsp``. Entries whose name ends in "connectivities" are
        similarities, all others distances.
    use_rep : str, optional
        Cluster the rows of ``adata.obsm[use_rep]`` ("X": of ``adata.X``). By default those that
        ``adata.uns["neighbors"]`` names, or "X_pca", as many columns as its n_pcs.
    copy : bool
        Return an annotated copy instead of annotating adata.
    **parameters
        Parameters of `GPAC`, such as alpha=8 for groups of very different sizes; n_neighbors,
        metric and searcher for rows only, as a graph has them behind it.

    Returns
    -------
    adata : AnnData or None
        The copy, if one was asked for, with

        - ``obs[key_added]``: the clusters, a categorical of the strings "0", "1", ..., the largest
          cluster first;
        - ``obs[f"{key_added}_probability"]``: each cell's largest membership;
        - ``obsm[f"X_{key_added}"]``: all memberships, float32, dense up to 50 million entries and
          CSR beyond;
        - ``uns[key_added]["params"]``: what was asked for.

    Examples
    --------
    >>> import scanpy as sc  # doctest: +SKIP
    >>> import graphpac.sc
    >>> sc.pp.pca(adata)  # doctest: +SKIP
    >>> graphpac.sc.gpac(adata, n_clusters=16)  # doctest: +SKIP
    """
    cells: Any = adata.copy() if copy else adata  # type: ignore[attr-defined]
    model = GPAC(n_clusters, random_state=random_state, **parameters)
    n_pcs = None
    if use_rep is None and neighbors_key is None and obsp is None:
        use_rep, n_pcs = _usual_rows(cells)
    if use_rep is None:
        _refuse_parameters_of_rows(parameters)
        model.fit_graph(NeighborGraph.from_anndata(cells, neighbors_key=neighbors_key, obsp=obsp))
    else:
        _refuse_two_sources(use_rep, neighbors_key, obsp)
        model.fit(_rows(cells, use_rep)[:, :n_pcs])
    asked = {
        "n_clusters": n_clusters,
        "random_state": random_state,
        "neighbors_key": neighbors_key,
        "obsp": obsp,
        "use_rep": use_rep,
        "n_pcs": n_pcs,
        **parameters,
    }
    _annotate(cells, model, key_added, asked)
    return cells if copy else None


def _usual_rows(cells: Any) -> tuple[str | None, int | None]:
    """Name the rows that scanpy's neighbors are those of, and how many columns; None for all.

    None instead of a name if the cells have no such rows.
    """
    told = cells.uns.get("neighbors", {}).get("params", {})
    n_pcs = told.get("n_pcs")
    if n_pcs == 0:  # how scanpy is asked for the matrix itself
        return "X", None
    searched = told.get("use_rep") or "X_pca"
    if searched == "X":
        return "X", None
    if searched not in cells.obsm:
        return None, None
    return searched, None if n_pcs is None else int(n_pcs)  # of NumPy in a file that was read


def _rows(cells: Any, use_rep: str) -> Any:
    if use_rep == "X":
        return cells.X
    if use_rep not in cells.obsm:
        there = ", ".join(sorted(cells.obsm.keys())) or "nothing"
        msg = (
            f"use_rep={use_rep!r} is not in adata.obsm, which holds {there}: name one of these, "
            'or "X" for the matrix itself.'
        )
        raise ValueError(msg)
    return cells.obsm[use_rep]


def _refuse_two_sources(use_rep: str, neighbors_key: str | None, obsp: str | None) -> None:
    given = [f"{n}={v!r}" for n, v in (("neighbors_key", neighbors_key), ("obsp", obsp)) if v]
    if given:
        msg = f"use_rep={use_rep!r} asks for rows but {given[0]} for a graph: pass one of them."
        raise ValueError(msg)


def _refuse_parameters_of_rows(parameters: dict[str, Any]) -> None:
    for name in _OF_ROWS_ONLY:
        if name in parameters:
            msg = (
                f"{name} has no effect on a graph that exists already: set it in "
                "scanpy.pp.neighbors, or pass use_rep to cluster rows."
            )
            raise ValueError(msg)


def _annotate(cells: Any, model: GPAC, key: str, asked: dict[str, Any]) -> None:
    pandas = require("pandas", extra="single-cell", needed_for="graphpac.sc.gpac")
    by_size = np.argsort(-model.cluster_sizes_, kind="stable")
    places = np.argsort(by_size)
    # Numbers in their order: sorted as strings, "10" would come before "2".
    names = [str(place) for place in range(np.count_nonzero(model.cluster_sizes_))]
    cells.obs[key] = pandas.Categorical.from_codes(places[model.labels_], categories=names)
    cells.obs[f"{key}_probability"] = model.probabilities_
    memberships = model.memberships_[:, by_size]
    n_cells, n_clusters = memberships.shape
    dense = n_cells * n_clusters <= _MOST_DENSE_ENTRIES
    cells.obsm[f"X_{key}"] = memberships.toarray() if dense else memberships
    cells.uns[key] = {
        "params": {name: _storable(value) for name, value in asked.items() if value is not None}
    }


def _storable(value: Any) -> str | bool | int | float:
    """Return what an .h5ad file can hold; of an object its description."""
    return value if isinstance(value, str | bool | int | float) else repr(value)
