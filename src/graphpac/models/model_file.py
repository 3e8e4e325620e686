"""A model as one file: what `predict` needs of a fit, and nothing else.

It is a file of `graphpac.io.container` of the kind "model". The header tells the method, its
parameters and how new rows are compared; the arrays are memberships, sizes of clusters and,
unless new rows come with their distances, the training rows, all of them or representatives.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy.sparse as sp

from graphpac._typing import AnyArray, GraphKind, LocalKernel, Metric, OffsetVector
from graphpac._wording import short_path
from graphpac.exceptions import FileFormatError
from graphpac.graph.searchers import BY_SIZE, SEARCHERS, NeighborSearcher, RememberingSearcher
from graphpac.graph.weights import KERNELS
from graphpac.io.checks import (
    demand,
    is_text,
    matrix,
    stored_one_of,
    stored_positive,
    stored_real,
    stored_whole,
    taken,
    vector,
)
from graphpac.io.container import Contents, read_file, write_file
from graphpac.io.csr import check_shares, pack_csr, unpack_csr
from graphpac.models.stored_rows import FLOAT32, ROW_TYPES, exact_type

KIND = "model"
MODEL_VERSION = 1

Searcher: TypeAlias = str | NeighborSearcher
ModelMetric: TypeAlias = Metric | Literal["precomputed"]

_PLAIN = {bool, int, float, type(None)}
_LARGEST_NUMBER = 2**31 - 1  # of rows, features and clusters: what int32 counts
_LARGEST_ROW_VALUE = 2.0**51  # row_scale keeps prepared rows below
_LARGEST_RATIO = 2.0**100  # of scale and unit, which both follow from the largest value


@dataclass(frozen=True)
class ModelRows:
    """Training rows as they are stored, and how new ones are compared with them."""

    values: Any  # array or CSR matrix, made by pack_rows
    unit: float | None
    scale: float
    searcher: Searcher
    seed: int


@dataclass(frozen=True)
class Model:
    """What a file holds: see `graphpac.prediction.average.NeighborAverage` for the meaning."""

    method: str
    parameters: dict[str, Any]
    metric: ModelMetric
    n_neighbors: int
    kernel: LocalKernel
    kernel_scale: float
    n_features: int
    feature_names: tuple[str, ...] | None
    memberships: sp.csr_matrix
    cluster_sizes: OffsetVector  # of all training rows
    agreement: float | None  # share of training rows that keep their label; None if all are there
    rows: ModelRows | None

    @property
    def n_training_rows(self) -> int:
        """Number of rows of the fit, stored or not."""
        return int(self.cluster_sizes.sum())


def kind_of(metric: ModelMetric) -> GraphKind:
    """Tell what the distances between rows are."""
    return "euclidean" if metric == "precomputed" else metric


def write_model(path: Path, model: Model) -> None:
    """Write a model file, in place of one that exists."""
    write_file(path, KIND, encode(model))


def read_model(path: Path) -> Model:
    """Read a model file and check all of it; raise FileFormatError for any other file."""
    contents = read_file(path, KIND)
    try:
        return decode(contents)
    except ValueError as error:
        msg = f"{short_path(path)} does not hold a model that can be used: {error}."
        raise FileFormatError(msg) from error


def encode(model: Model) -> Contents:
    """Turn a model into arrays and metadata."""
    metadata = {
        "version": MODEL_VERSION,
        "method": model.method,
        "parameters": model.parameters,
        "metric": model.metric,
        "n_neighbors": model.n_neighbors,
        "kernel": model.kernel,
        "kernel_scale": model.kernel_scale,
        "n_features": model.n_features,
        "feature_names": None if model.feature_names is None else list(model.feature_names),
        "agreement": model.agreement,
    }
    arrays: dict[str, AnyArray] = {
        "cluster_sizes": model.cluster_sizes,
        **pack_csr(model.memberships, model.memberships.data, "memberships"),
    }
    if model.rows is not None:
        metadata["search"] = {
            "unit": model.rows.unit,
            "scale": model.rows.scale,
            "searcher": describe_searcher(model.rows.searcher),
            "seed": model.rows.seed,
        }
        arrays |= _encode_rows(model.rows.values)
    return Contents(arrays, metadata)


def decode(contents: Contents) -> Model:
    """Turn arrays and metadata into a model; raise ValueError if they do not make one."""
    arrays, fields = contents
    version = stored_whole(fields, "version", least=1)
    demand(
        version <= MODEL_VERSION,
        f"it has the model version {version}, but this graphpac knows versions up to "
        f"{MODEL_VERSION}, so read it with a newer one",
    )
    metric = stored_one_of(fields, "metric", (*get_args(Metric), "precomputed"))
    sizes = vector(arrays, "cluster_sizes", (np.dtype(np.int64),))
    demand(0 < sizes.size <= _LARGEST_NUMBER, "it has no clusters")
    demand(
        bool(((sizes >= 0) & (sizes <= _LARGEST_NUMBER)).all()), "sizes of clusters make no sense"
    )
    memberships = unpack_csr(arrays, "memberships", sizes.size, (FLOAT32,))
    check_shares(memberships)
    n_rows = memberships.shape[0]
    n_features = stored_whole(fields, "n_features", least=1, most=_LARGEST_NUMBER)
    rows = None
    if metric == "precomputed":
        demand(n_features == n_rows, "there are not as many rows as distances to them")
    else:
        rows = _decode_rows(arrays, taken(fields, "search"), (n_rows, n_features), metric)
    model = Model(
        method=_method(fields),
        parameters=_parameters(fields),
        metric=metric,
        n_neighbors=stored_whole(fields, "n_neighbors", least=1, most=n_rows),
        kernel=stored_one_of(fields, "kernel", KERNELS[kind_of(metric)]),
        kernel_scale=_kernel_scale(fields),
        n_features=n_features,
        feature_names=_feature_names(fields, n_features),
        memberships=memberships,
        cluster_sizes=sizes,
        agreement=None if taken(fields, "agreement") is None else stored_real(fields, "agreement"),
        rows=rows,
    )
    _check_completeness(model)
    return model


def describe_searcher(searcher: Any) -> dict[str, Any] | None:
    """Return the name and the options of one of our searchers, None for anybody else's."""
    if isinstance(searcher, str):
        return {"name": searcher}
    if isinstance(searcher, RememberingSearcher):
        return describe_searcher(searcher.searcher)
    name = next((name for name, ours in SEARCHERS.items() if type(searcher) is ours), None)
    if name is None:
        return None
    options: dict[str, Any] = asdict(searcher)
    return {"name": name} | {o: v if v == "auto" else int(v) for o, v in options.items()}


def _encode_rows(values: Any) -> dict[str, AnyArray]:
    if not sp.issparse(values):
        return {"rows": values}
    kind = exact_type(values.data) or FLOAT32
    return pack_csr(values, values.data.astype(kind), "rows")


def _decode_rows(
    arrays: dict[str, AnyArray], fields: Any, shape: tuple[int, int], metric: Metric
) -> ModelRows:
    demand(isinstance(fields, dict), "search makes no sense")
    values: Any
    if "rows" in arrays:
        values = loose = matrix(arrays, "rows", ROW_TYPES)
    else:
        values = unpack_csr(arrays, "rows", shape[1], ROW_TYPES)
        loose = values.data
    demand(values.shape == shape, "rows, features and memberships do not match")
    scale = stored_positive(fields, "scale")
    unit = None if taken(fields, "unit") is None else stored_positive(fields, "unit")
    own_scale = scale / (unit or 1.0)
    demand(0.0 < own_scale < math.inf, "scale and unit do not match")
    if unit is not None:
        demand(1.0 / _LARGEST_RATIO < own_scale < _LARGEST_RATIO, "scale and unit do not match")
    limit = math.inf if metric == "cosine" else _LARGEST_ROW_VALUE * own_scale
    largest = max(abs(float(loose.max(initial=0))), abs(float(loose.min(initial=0))))
    # NaN is not below anything.
    demand(largest < limit and largest * (unit or 1.0) < math.inf, "rows hold values out of range")
    return ModelRows(
        values=values,
        unit=unit,
        scale=scale,
        searcher=_searcher(taken(fields, "searcher")),
        seed=stored_whole(fields, "seed"),
    )


def _searcher(described: Any) -> Searcher:
    demand(isinstance(described, dict), "searcher makes no sense")
    options = dict(described)
    name: str = stored_one_of(options, "name", (*BY_SIZE, *SEARCHERS))
    del options["name"]
    if not options:
        return name
    for option, value in options.items():
        if value != "auto":
            stored_whole(options, option, least=1, most=_LARGEST_NUMBER)
    demand(name in SEARCHERS, "searcher makes no sense")
    try:
        return SEARCHERS[name](**options)
    except (TypeError, ValueError) as error:
        reason = "searcher has options that are not known"
        raise ValueError(reason) from error


def _kernel_scale(fields: dict[str, Any]) -> float:
    scale = stored_positive(fields, "kernel_scale")
    # Squares of float32 distances are within these bounds, and so are their means.
    demand(1e-100 < scale < 1e100, "kernel_scale is out of range")
    return scale


def _method(fields: dict[str, Any]) -> str:
    method = taken(fields, "method")
    demand(is_text(method) and method.isidentifier(), "method makes no sense")
    return str(method)


def _parameters(fields: dict[str, Any]) -> dict[str, Any]:
    parameters = taken(fields, "parameters")
    demand(
        isinstance(parameters, dict)
        and all(map(is_text, parameters))
        and all(is_text(value) or type(value) in _PLAIN for value in parameters.values()),
        "parameters make no sense",
    )
    return dict(parameters)


def _feature_names(fields: dict[str, Any], n_features: int) -> tuple[str, ...] | None:
    names = taken(fields, "feature_names")
    if names is None:
        return None
    demand(
        isinstance(names, list) and len(names) == n_features and all(map(is_text, names)),
        "feature_names make no sense",
    )
    return tuple(names)


def _check_completeness(model: Model) -> None:
    """See to it that what is told of all training rows goes with those that are stored."""
    n_rows = model.memberships.shape[0]
    if model.agreement is None:
        complete = n_rows == model.n_training_rows
    else:
        complete = 0.0 <= model.agreement <= 1.0 and n_rows <= model.n_training_rows
    demand(complete, "sizes of clusters and rows do not match")
