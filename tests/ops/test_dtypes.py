"""Kernels give the dtypes that rules infer, for inputs of every dtype that both take."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from hy_ndarray import DTypeError, HyError, nd, np as hnp, ops
from hy_ndarray.ops import TensorType
from hy_ndarray.testing import OpCase
from hy_ndarray.testing.cases import CASES
from tests.ops.trait_checks import calls, values_of

DTYPES = ("bool", "uint8", "int8", "int32", "int64", "float16", "float32")
ROWS: dict[str, list[OpCase]] = defaultdict(list)
for _case in CASES:
    ROWS[ops.find(_case.op).name].append(_case)


def cast(values: Sequence[Any], dtype: str) -> list[Any]:
    """The inputs in a dtype; booleans tell what is positive."""
    with np.errstate(invalid="ignore", over="ignore"):
        return [v if v is None else (v > 0 if dtype == "bool" else v.astype(dtype)) for v in values]


def inferred(case: OpCase, values: Sequence[Any]) -> list[str | None] | None:
    """Dtypes of the results by the rule, if it takes the inputs."""
    op = ops.find(case.op)
    types = [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]
    try:
        return [t.dtype for t in op.infer(types, op.parse(case.params))]
    except HyError:
        return None


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", sorted(ROWS))
def test_results_have_the_inferred_dtypes(name: str) -> None:
    for case in ROWS[name]:
        for dtype in DTYPES:
            values = cast(values_of(case), dtype)
            wanted = inferred(case, values)
            if wanted is None:
                continue
            try:
                _, results = calls(case, values)
            except HyError:
                continue
            found = [np.dtype(y.dtype).name for y in results]
            assert found == wanted[: len(found)], (case, dtype)


def test_the_square_of_booleans_is_themselves() -> None:
    x = nd.array([True, False], dtype="bool")
    assert nd.square(x).asnumpy().tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["bool", "int32"])
def test_what_needs_floating_numbers_refuses_others(dtype: str) -> None:
    a, b = hnp.array([[1, 0], [0, 1]], dtype=dtype), hnp.array([1, 0], dtype=dtype)
    with pytest.raises(DTypeError, match=f"^_npi_tensorsolve: a {dtype} must be floating"):
        hnp.linalg.tensorsolve(a, b)
    with pytest.raises(DTypeError, match=f"^_npi_tensorinv: a {dtype} must be floating"):
        hnp.linalg.tensorinv(a, ind=1)
    with pytest.raises(DTypeError, match=f"^_sample_multinomial: data {dtype} must be floating"):
        nd.sample_multinomial(nd.array([[1, 0]], dtype=dtype), get_prob=True)
