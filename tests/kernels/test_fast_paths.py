"""Kernels that are specialised: what a graph calls instead of them gives the very same."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy import table
from hy_kernels.record import Kernel, Type
from hy_ndarray import cpu, device_of, ops
from hy_ndarray.testing import OpCase, drawn
from hy_ndarray.testing.cases import CASES
from hy_symbol import Program, TypedGraph, sym


def record(name: str) -> Kernel:
    kernel = table().find(name)
    assert kernel is not None
    return kernel


SPECIALISED = {name for name in table().names() if record(name).specialize is not None}
BY_PARAMS = {
    *("batch_norm", "dropout", "group_norm", "layer_norm", "leaky_relu"),
    *("max", "min", "prod", "sum"),
    *("np_max", "np_min", "np_prod", "np_sum"),
}
"""Those that are specialised for parameters alone."""
FLOATS = ("float32", "float64")


def specialize(name: str, types: Sequence[Type | None] | None, params: Mapping[str, Any]) -> Any:
    kernel = record(name)
    assert kernel.specialize is not None
    return kernel.specialize(types, params)


def specialised(name: str, values: list[Any], params: dict[str, Any]) -> Any:
    types = [None if v is None else (v.shape, v.dtype.name) for v in values]
    return specialize(name, types, params)


def has_fast_path(name: str, shapes: Sequence[tuple[int, ...]]) -> bool:
    """Whether floats of these shapes have one, whatever the parameters are."""
    if name in ("activation_backward", "mean"):  # of relu; over some of the axes
        return False
    if record(name).pointwise:  # few elements, or a number beside them
        return True
    if name == "sum_like":  # the sums of rows
        data, like = shapes
        return len(data) > len(like) > 0 and data[-len(like) :] == like
    return all(len(shape) == 2 for shape in shapes[:2]) and len(shapes[-1]) <= 2


def test_there_are_some() -> None:
    assert {"fully_connected", "fully_connected_activation"} <= SPECIALISED


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "case", [c for c in CASES if ops.find(c.op).kernel in SPECIALISED - BY_PARAMS], ids=str
)
def test_they_give_the_same(case: OpCase, dtype: str, rng: np.random.Generator) -> None:
    op = ops.find(case.op)
    values = [v if v is None else v.astype(dtype) for v in drawn(case, rng)]
    params = dict(op.parse(case.params))
    short = specialised(op.kernel, values, params)
    if short is None:
        assert not has_fast_path(op.kernel, [v.shape for v in values if v is not None])
        return
    expected = record(op.kernel).function(*values, **params)
    memory = np.full_like(expected, 7)
    assert short(*values).tobytes() == expected.tobytes()
    if record(op.kernel).out == "apart":
        assert short(*values, out=(None,)).tobytes() == expected.tobytes()
    assert short(*values, out=(memory,)) is memory
    assert memory.tobytes() == expected.tobytes()


@pytest.mark.parametrize("act_type", ["relu", "sigmoid", "tanh", "softrelu", "softsign"])
@pytest.mark.parametrize("rows", [1, 5])
def test_layers_with_activations(act_type: str, rows: int, rng: np.random.Generator) -> None:
    values = [rng.normal(size=shape) for shape in ((rows, 30), (20, 30), (20,))]
    params = {"num_hidden": 20, "no_bias": False, "flatten": True, "act_type": act_type}
    short = specialised("fully_connected_activation", values, params)
    expected = record("fully_connected_activation").function(*values, **params)
    assert short(*values).tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("rows", "dtype", "is_short"),
    [
        (1, "float32", True),
        (16, "float32", True),
        (17, "float32", True),  # OpenBLAS would use threads, so that it has one
        (1, "float16", False),
        (1, "int32", False),
    ],
)
def test_which_layers_are_one_product(rows: int, dtype: str, is_short: bool) -> None:
    types = [((rows, 128), dtype), ((128, 128), dtype), None]
    assert (specialize("fully_connected", types, {}) is not None) is is_short


def test_graphs_call_them_without_parameters() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="fc").graph
    known = [((1, 4), "float32"), ((3, 4), "float32"), ((3,), "float32")]
    short = Program.of(TypedGraph.of(net, known), device_of(cpu()), is_train=False)
    assert "k0(x0, x1, x2)" in short.source
    known = [(shape, "float16") for shape, _ in known]
    long = Program.of(TypedGraph.of(net, known), device_of(cpu()), is_train=False)
    assert "num_hidden=3" in long.source


def bound(case: OpCase) -> Any:
    """What eager calls that repeat the parameters of a case use instead of its kernel."""
    op = ops.find(case.op)
    return specialize(op.kernel, None, op.parse(case.params)) if op.kernel in SPECIALISED else None


BOUND = [case for case in CASES if bound(case) is not None]


def test_calls_have_some() -> None:
    found = {ops.find(case.op).kernel for case in BOUND}
    assert found >= BY_PARAMS | {"clip", "mul_scalar", "plus_scalar"}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("case", BOUND, ids=str)
def test_calls_give_the_same(case: OpCase, dtype: str, rng: np.random.Generator) -> None:
    op = ops.find(case.op)
    with np.errstate(invalid="ignore"):  # nan as an integer is any number
        values = [v if v is None else v.astype(dtype) for v in drawn(case, rng)]
    given: dict[str, Any] = {"is_train": False, "rng": rng, "device": None}
    needed = {name: given[name] for name in op.needs}
    try:
        expected = record(op.kernel).function(*values, **op.parse(case.params), **needed)
    except TypeError:  # there is no such normalisation of integers
        with pytest.raises(TypeError):
            bound(case)(*values)
        return
    if isinstance(expected, tuple):  # with hidden outputs
        expected = expected[0]
    result = np.asarray(bound(case)(*values))  # numpy's functions return scalars without axes
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("axis", [(), (0,), (1,), (0, 1)])
@pytest.mark.parametrize("name", ["max", "prod", "sum"])
@pytest.mark.parametrize("shape", [(407, 1), (12, 34), (65_375, 1), (1, 65_376), (512, 128)])
def test_reductions_of_any_size_are_the_same(
    shape: tuple[int, int], name: str, axis: tuple[int, ...], rng: np.random.Generator
) -> None:
    params = {"axis": axis, "keepdims": False, "exclude": False}
    data = rng.uniform(0.99, 1.01, shape).astype(np.float32)
    expected = record(name).function(data, **params)
    assert specialize(name, None, params)(data).tobytes() == expected.tobytes()
