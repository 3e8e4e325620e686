"""Data frames whose columns cannot be features, or have no names of their own."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from graphpac import GPAC
from graphpac.fitting.input import check_training_input

DAYS = [date(2020, 1, 1) + timedelta(days=i) for i in range(6)]
MAKE = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
CURE = (
    "leave such columns out, or turn them into numbers, for example dates into days and texts into "
    "embeddings."
)


def frame_of(library, **columns):
    return MAKE[library]({"a": [0.0, 1.0, 2.0, 3.0, 4.0, 6.0], "b": np.arange(6.0), **columns})


def assert_refused(message, frame):
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        GPAC(2).fit(frame)
    assert str(refused.value) == message


@pytest.mark.parametrize("library", MAKE)
@pytest.mark.parametrize(
    "values",
    [
        pytest.param(list("uvwxyz"), id="texts"),
        pytest.param(DAYS, id="dates"),
        pytest.param(np.array(DAYS, dtype="datetime64[ns]"), id="times"),
        pytest.param(np.arange(6).astype("timedelta64[ms]"), id="durations"),
        pytest.param([[1, 2]] * 6, id="lists"),
    ],
)
def test_a_column_without_numbers_is_named(library, values):
    frame = frame_of(library, odd=values)
    assert_refused(f"X has no numbers in the column 'odd': {CURE}", frame)


def test_of_many_columns_the_first_are_named():
    frame = frame_of("pandas", **{name: list("uvwxyz") for name in "stuvw"})
    assert_refused(f"X has no numbers in the columns 's', 't', 'u' and 2 more: {CURE}", frame)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(pd.Categorical(list("uvwxyz")), id="categories"),
        pytest.param(pd.array(DAYS, dtype=pd.ArrowDtype(pa.date32())), id="Arrow dates"),
        pytest.param(pd.period_range("2020", periods=6, freq="D"), id="periods"),
        pytest.param(np.arange(6) + 1j, id="complex numbers"),
        pytest.param([{}, 1, 2, 3, 4, 5], id="objects"),
    ],
)
def test_types_of_pandas(values):
    frame = frame_of("pandas", odd=values)
    assert_refused(f"X has no numbers in the column 'odd': {CURE}", frame)


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([True, False] * 3, id="booleans"),
        pytest.param(list("123456"), id="digits"),
        pytest.param(pd.Categorical([1, 2] * 3), id="categories"),
        pytest.param(pd.array([1, 2] * 3, dtype="Int8"), id="nullable"),
    ],
)
def test_what_can_be_converted_is(values):
    checked = check_training_input(GPAC(2), frame_of("pandas", odd=values))
    assert checked.X.shape == (6, 3)
    assert checked.X.dtype == np.float64


def test_columns_of_equal_names():
    frame = frame_of("pandas", c=np.arange(6))
    for names, told in (
        (["a", "a", "b"], "'a'"),
        (list("aaabbccdd"), "'a', 'b', 'c' and 1 more"),
        ([0, 1, 0], "'0'"),
    ):
        repeated = pd.concat([frame["a"]] * len(names), axis=1)
        repeated.columns = names
        assert_refused(
            f"X has more than one column called {told}: give every column a name of its own.",
            repeated,
        )
