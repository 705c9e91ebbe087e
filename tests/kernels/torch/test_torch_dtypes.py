"""In dtypes that are neither float32 nor float64, results are those of the numpy table, too."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import HyError, NDArray, autograd, nd, ops, random, use_kernels
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import FAMILIES
from hy_ndarray.testing.selection import draws_nothing

DTYPES = ("int8", "uint8", "int32", "int64", "bool", "float16", "bfloat16")
NOISE = ("_contrib_fft", "_contrib_ifft")
"""What is 0 but for rounding is true or false by chance."""

LIMITS = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-4, "float64": 1e-6}


def inputs_in(case: OpCase, dtype: str) -> list[Any]:
    """The inputs in another dtype, drawn ones times four; given ones may belong together."""
    values: list[Any] = []
    for k, value in enumerate(drawn(case, np.random.default_rng(4))):
        if value is None or value.dtype != np.float64:
            values.append(value)
        else:
            with np.errstate(all="ignore"):
                values.append((value if k in case.inputs else 4 * value).astype(dtype))
    return values


def results(case: OpCase, values: list[Any]) -> list[Any] | None:
    """What the operator gives; None where it refuses."""
    op = ops.find(case.op)
    random.seed(1)
    try:
        arrays = [None if v is None else nd.array(v, dtype=v.dtype) for v in values]
        with autograd.predict_mode():
            found = NDArray.apply_operator(op, arrays, op.parse(case.params), case.is_train)
    except HyError:
        return None
    return [y.asnumpy() for y in (found if isinstance(found, list) else [found])]


def differences(case: OpCase) -> list[str]:
    """What is not the same on both tables."""
    told = []
    for dtype in DTYPES:
        if dtype == "bool" and case.op in NOISE:
            continue
        values = inputs_in(case, dtype)
        wanted = results(case, values)
        if wanted is None:
            continue
        with use_kernels("torch"):
            found = results(case, values)
        for ours, theirs in zip(found or [None] * len(wanted), wanted, strict=True):
            problem = _difference(ours, theirs)
            if problem:
                told.append(f"{case} in {dtype}: {problem}")
    return told


def _difference(ours: Any, theirs: Any) -> str | None:
    if ours is None:
        return "torch refuses it"
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{ours.dtype} {ours.shape}, not {theirs.dtype} {theirs.shape}"
    if theirs.dtype.kind in "biu":
        same = np.array_equal(ours, theirs)
    else:
        limit = LIMITS[theirs.dtype.name]
        wide = theirs.astype(np.float64)
        same = np.allclose(ours.astype(np.float64), wide, limit, limit, equal_nan=True)
    return None if same else f"{ours.ravel()[:6]}, not {theirs.ravel()[:6]}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("family", FAMILIES)
def test_results_are_those_of_the_numpy_table(family: str) -> None:
    told = [line for case in FAMILIES[family] if draws_nothing(case) for line in differences(case)]
    assert not told, "\n".join(told)
