"""Kernels that are specialised: what a graph calls instead of them gives the same."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch

from hy_kernels.record import Kernel
from hy_kernels.torch import table
from hy_ndarray import ops
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import CASES


def record(name: str) -> Kernel:
    kernel = table().find(name)
    assert kernel is not None
    return kernel


SPECIALISED = {name for name in table().names() if record(name).specialize is not None}
DENSE = {
    "fully_connected",
    "fully_connected_activation",
    "fully_connected_backward_data",
    "fully_connected_backward_weight",
}
LOWERED = {
    "channels_last_convolution",
    "dense_layer",
    "fully_connected_activation",
    "pointwise_convolution",
}
"""Kernels of operators that graphs are lowered to: in test_torch_lowering.py, too."""

LARGE, SMALL = (64, 300, 200), (5, 4, 3)
"""Samples, inner and outer size: of products for oneDNN, and of others."""


def specialised(name: str, values: list[Any], params: Mapping[str, Any]) -> Any:
    types = [None if v is None else (tuple(v.shape), str(v.numpy().dtype)) for v in values]
    made = record(name).specialize
    assert made is not None
    return made(types, params)


def check(name: str, values: list[Any], params: dict[str, Any]) -> None:
    short = specialised(name, values, params)
    assert short is not None
    wanted = listed(record(name).function(*values, **params))
    found = [short(*values)]
    if record(name).out != "none":
        found.append(short(*values, out=tuple(torch.full_like(y, 7) for y in wanted)))
    for results in map(listed, found):
        for result, like in zip(results, wanted, strict=True):
            assert result.dtype is like.dtype
            assert result.is_contiguous()
            assert all(v is None or result.data_ptr() != v.data_ptr() for v in values)
            torch.testing.assert_close(result, like, rtol=1e-4, atol=1e-4)


def listed(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def operands(
    case: OpCase, dtype: str, draw: np.random.Generator
) -> tuple[list[Any], dict[str, Any]]:
    arrays: list[Any] = [v if v is None else v.astype(dtype) for v in drawn(case, draw)]
    values = [v if v is None else torch.from_numpy(v) for v in arrays]
    return values, dict(ops.find(case.op).parse(case.params))


def has_fast_path(case: OpCase, dtype: str) -> bool:
    name, draw = ops.find(case.op).kernel, np.random.default_rng(1)
    return name in SPECIALISED and specialised(name, *operands(case, dtype, draw)) is not None


ROWS = [(c, dtype) for c in CASES for dtype in ("float32", "float64") if has_fast_path(c, dtype)]


def test_there_are_some() -> None:
    found = {ops.find(case.op).kernel for case, _ in ROWS}
    assert {*DENSE, "activation_backward", "pooling"} - LOWERED <= found


@pytest.mark.parametrize(("case", "dtype"), ROWS, ids=str)
def test_they_give_the_same(case: OpCase, dtype: str, rng: np.random.Generator) -> None:
    values, params = operands(case, dtype, rng)
    check(ops.find(case.op).kernel, values, params)


def layer_of(sizes: tuple[int, int, int], axes: int) -> tuple[Any, Any, Any]:
    samples, inner, outer = sizes
    draw = torch.Generator().manual_seed(1)
    steps = (samples, 1, inner) if axes == 3 else (samples, inner)
    shapes = steps, (outer, inner), (outer,)
    data, weight, bias = (torch.randn(shape, generator=draw) for shape in shapes)
    return data, weight, bias


@pytest.mark.parametrize("sizes", [LARGE, SMALL])
@pytest.mark.parametrize(("axes", "flatten"), [(2, True), (3, True), (3, False)])
@pytest.mark.parametrize("act_type", [None, "relu", "tanh", "softsign"])
def test_layers(
    sizes: tuple[int, int, int], axes: int, flatten: bool, act_type: str | None
) -> None:
    data, weight, bias = layer_of(sizes, axes)
    params: dict[str, Any] = {"num_hidden": len(weight), "no_bias": False, "flatten": flatten}
    name = "fully_connected"
    if act_type is not None:
        params["act_type"], name = act_type, "fully_connected_activation"
    check(name, [data, weight, bias], params)
    check(name, [data, weight, None], params)
    aside = weight.t().contiguous().t()
    check(name, [data, aside, bias], params)


@pytest.mark.parametrize("sizes", [LARGE, SMALL])
@pytest.mark.parametrize(("axes", "flatten"), [(2, True), (3, True), (3, False)])
def test_gradients_of_layers(sizes: tuple[int, int, int], axes: int, flatten: bool) -> None:
    data, weight, _ = layer_of(sizes, axes)
    params = {"flatten": flatten}
    dy = data @ weight.t()
    if flatten:
        dy = dy.reshape(len(data), -1)
    check("fully_connected_backward_data", [dy, weight, data], params)
    check("fully_connected_backward_weight", [dy, data, weight], params)
    strided = dy.new_empty((*dy.shape, 2))[..., 0].copy_(dy)
    check("fully_connected_backward_weight", [strided, data, weight], params)


@pytest.mark.parametrize("sizes", [LARGE, SMALL])
def test_the_gradient_of_a_weight_lies_in_the_memory_given(sizes: tuple[int, int, int]) -> None:
    data, weight, _ = layer_of(sizes, 2)
    values = [data @ weight.t(), data, weight]
    memory = torch.empty_like(weight)
    run = specialised("fully_connected_backward_weight", values, {"flatten": True})
    assert run(*values, out=(memory,)) is memory


@pytest.mark.parametrize("dtype", ["int32", "float16"])
def test_other_dtypes_take_the_usual_way(dtype: str) -> None:
    types = [((2, 3), dtype), ((4, 3), dtype), None]
    made = record("fully_connected").specialize
    assert made is not None
    assert made(types, {"flatten": True}) is None
