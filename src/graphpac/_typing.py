"""Array aliases and names shared by all layers.

The aliases state the canonical types: offsets into arrays are int64, sample and
cluster numbers int32, values float32. Whatever a caller passes is converted once,
where it enters.
"""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatMatrix: TypeAlias = NDArray[np.float32]
FloatVector: TypeAlias = NDArray[np.float32]
IntMatrix: TypeAlias = NDArray[np.int32]
IntVector: TypeAlias = NDArray[np.int32]
OffsetVector: TypeAlias = NDArray[np.int64]
BoolVector: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

Metric: TypeAlias = Literal["cosine", "euclidean", "inner_product"]
GraphKind: TypeAlias = Literal["cosine", "euclidean", "inner_product", "similarity"]
LocalKernel: TypeAlias = Literal["auto", "authors", "gaussian", "uniform"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of finished and of all work items."""

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
