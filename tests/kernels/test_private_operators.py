"""The operators that only the rules of the numpy table know: values, types, memory, files."""

import inspect
from typing import Any

import numpy as np
import pytest

from hy_kernels import dense_activation
from hy_kernels.lowering import PrivateOperator
from hy_kernels.numpy import table
from hy_kernels.numpy.lower import chwn, nhwc
from hy_ndarray import ops
from hy_ndarray.testing import OpCase, drawn
from hy_symbol import GraphError, sym
from tests.kernels import chwn_rows, nhwc_rows

PRIVATE = {
    each.name: each
    for module in (chwn, dense_activation, nhwc)
    for each in vars(module).values()
    if isinstance(each, PrivateOperator)
}
DEFAULTS: dict[str, Any] = {
    "stride": (),
    "dilate": (),
    "pad": (),
    "with_bias": True,
    "with_addend": False,
    "bounds": None,
    "bounds_between": None,
    "workspace": 0,
    "no_bias": True,
    "cudnn_tune": None,
    "cudnn_off": False,
    "layout": None,
}


def _dense(
    data: Any, weight: Any, bias: Any = None, *, flatten: bool, act_type: str, **_: Any
) -> Any:
    rows = data.reshape(len(data), -1) if flatten else data
    y = rows @ weight.T + (0 if bias is None else bias)
    return np.tanh(y) if act_type == "tanh" else np.maximum(y, 0)


DENSE = (
    OpCase(
        "FullyConnected+Activation",
        ((2, 3, 5), (4, 15), (4,)),
        _dense,
        {"num_hidden": 4, "no_bias": False, "flatten": True, "act_type": "relu"},
    ),
    OpCase(
        "FullyConnected+Activation",
        ((2, 3, 5), (4, 5), None),
        _dense,
        {"num_hidden": 4, "no_bias": True, "flatten": False, "act_type": "tanh"},
    ),
)
ROWS = [*chwn_rows.CASES, *nhwc_rows.CASES, *DENSE]


def test_every_one_has_a_row() -> None:
    assert {row.op for row in ROWS} == set(PRIVATE)


def test_none_is_in_the_catalogue() -> None:
    assert not any(ops.exists(name) for name in PRIVATE)


@pytest.mark.parametrize("row", ROWS, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_types_and_memory_are_as_said(
    row: OpCase, dtype: str, rng: np.random.Generator
) -> None:
    private = PRIVATE[row.op]
    kernel = table().find(private.kernel)
    assert kernel is not None
    takes = inspect.signature(kernel.function).parameters
    params = {k: v for k, v in {**DEFAULTS, **row.params}.items() if k in takes}
    values = [v if v is None else v.astype(dtype) for v in drawn(row, rng)]
    results = _all(kernel.function(*values, **params))
    assert row.expected is not None
    wide = [v if v is None else v.astype(np.float64) for v in values]
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    for result, expected in zip(results, _all(row.expected(*wide, **row.params)), strict=True):
        np.testing.assert_allclose(result.reshape(expected.shape), expected, tolerance, tolerance)
    given = [v for v in values if v is not None]
    names = private.inputs if private.active is None else private.active(params)
    assert len(given) <= len(names)
    assert len(private.outputs) == len(results)
    types = [(v.shape, v.dtype.name) for v in given]
    others = [] if private.others is None else private.others(types, params)
    assert [private.infer(types, params), *others] == [(each.shape, dtype) for each in results]
    if kernel.out == "apart":
        memory = [np.full_like(each, 7) for each in results]
        again = _all(kernel.function(*values, **params, out=tuple(memory)))
        for result, other, place in zip(results, again, memory, strict=True):
            np.testing.assert_array_equal(other, result)
            np.testing.assert_array_equal(place, result)


def _all(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def test_a_lowered_graph_cannot_be_saved() -> None:
    net = sym.Convolution(sym.var("x"), kernel=(3, 3), num_filter=32, name="conv")
    lowered = net.optimize_for("channels_last", shape_dict={"x": (1, 32, 8, 8)})
    with pytest.raises(GraphError, match=r"_nhwc_\w+\)> is an operator of a kernel"):
        lowered.tojson()
