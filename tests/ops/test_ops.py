"""Every case row, every check.

Value, types, gradients, arrays as graphs, float16, untouched and non-contiguous inputs.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, autograd, kernel_table, nd, ops, random
from hy_ndarray.ops import Operator, TensorType
from hy_symbol import Program, Symbol, gradient, sym
from tests.ops.case_rows import CASES
from tests.ops.op_case import OpCase, drawn
from tests.ops.row_selection import (
    compares_halves,
    differentiated,
    draws_nothing,
    halves,
    has_gradient_in_graphs,
    has_numerical_gradient,
    has_value,
    is_graph,
    keeps_inputs,
    rows,
)

EPS = 1e-6
SEED = 1  # of every call, so that operators draw the same numbers for what is compared


@pytest.fixture
def values(case: OpCase, rng: np.random.Generator) -> list[Any]:
    return drawn(case, rng)


def arrays(values: list[Any]) -> list[NDArray | None]:
    return [None if v is None else nd.array(v, dtype=v.dtype) for v in values]


def run(case: OpCase, inputs: list[NDArray | None]) -> list[NDArray]:
    op = ops.find(case.op)
    random.seed(SEED)
    with autograd.train_mode() if case.is_train else autograd.predict_mode():
        result = NDArray.apply_operator(op, inputs, op.parse(case.params), case.is_train)
    return result if isinstance(result, list) else [result]


@rows(has_value)
def test_value(case: OpCase, values: list[Any]) -> None:
    assert case.expected is not None
    present = [v for v in values if v is not None]
    expected = case.expected(*present, **case.params)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for actual, wanted in zip(run(case, arrays(values)), expected, strict=True):
        assert actual.shape == np.shape(wanted)
        np.testing.assert_allclose(actual.asnumpy(), wanted, rtol=1e-6, atol=1e-9)


@rows()
def test_inferred_types_are_actual_types(case: OpCase, values: list[Any]) -> None:
    op = ops.find(case.op)
    types = [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]
    inferred = op.infer(types, op.parse(case.params))
    for actual, wanted in zip(run(case, arrays(values)), inferred, strict=False):
        shape = wanted.shape or ()
        known = tuple(n if m is None else m for n, m in zip(actual.shape, shape, strict=True))
        assert (actual.shape, np.dtype(actual.dtype).name) == (known, wanted.dtype)


@rows(keeps_inputs)
def test_inputs_stay_as_they_are(case: OpCase, values: list[Any]) -> None:
    inputs = arrays(values)
    for y in run(case, inputs):
        y[...] = 0
    for x, v in zip(inputs, values, strict=True):
        if x is not None:
            np.testing.assert_array_equal(x.asnumpy(), v)


@rows(draws_nothing)
def test_non_contiguous_inputs(case: OpCase, values: list[Any]) -> None:
    strided = [
        NDArray.from_buffer(np.repeat(v, 2, axis=-1)[..., ::2], _cpu())
        if v is not None and v.ndim
        else x
        for v, x in zip(values, arrays(values), strict=True)
    ]
    for actual, wanted in zip(run(case, strided), run(case, arrays(values)), strict=True):
        np.testing.assert_allclose(actual.asnumpy(), wanted.asnumpy(), rtol=1e-9, atol=1e-12)


def _cpu() -> Any:
    return nd.array([0]).device


@rows(has_numerical_gradient)
def test_gradient_is_the_numerical_one(
    case: OpCase, values: list[Any], rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    where = differentiated(case, values)
    inputs = arrays(values)
    for i in where:
        inputs[i].attach_grad()  # type: ignore[union-attr]
    with autograd.record(case.is_train):
        ys = run_recorded(op, case, inputs)
    dys = [nd.array(rng.standard_normal(y.shape), dtype="float64") for y in ys]
    autograd.backward(ys, dys, train_mode=case.is_train)
    for i in where:
        direction = rng.standard_normal(values[i].shape)

        def at(t: float, i: int = i, direction: Any = direction) -> float:
            moved = [v + t * direction if j == i else v for j, v in enumerate(values)]
            outs = run(case, arrays(moved))
            pairs = zip(outs, dys, strict=True)
            return float(sum((y.asnumpy() * dy.asnumpy()).sum() for y, dy in pairs))

        numeric = (at(EPS) - at(-EPS)) / (2 * EPS)
        array = inputs[i]
        assert array is not None
        assert array.grad is not None
        analytic = float((array.grad.asnumpy() * direction).sum())
        np.testing.assert_allclose(analytic, numeric, rtol=2e-5, atol=1e-6, err_msg=f"input {i}")


def run_recorded(op: Operator, case: OpCase, inputs: list[NDArray | None]) -> list[NDArray]:
    random.seed(SEED)
    result = NDArray.apply_operator(op, inputs, op.parse(case.params), case.is_train)
    return result if isinstance(result, list) else [result]


def as_graph(case: OpCase, values: list[Any]) -> tuple[list[Symbol], list[Symbol]]:
    """Variables for the inputs a row has, and the outputs."""
    op = ops.find(case.op)
    variables = [None if v is None else sym.var(f"x{i}") for i, v in enumerate(values)]
    result = Symbol.apply_operator(op, variables, op.parse(case.params))
    present = [x for x in variables if x is not None]
    return present, result if isinstance(result, list) else [result]


def entries(symbols: list[Symbol]) -> list[Any]:
    return [x.single_entry() for x in symbols]


@rows(is_graph)
def test_graphs_give_what_arrays_give(case: OpCase, values: list[Any]) -> None:
    wanted = run(case, arrays(values))
    inputs, outputs = as_graph(case, values)
    program = Program(entries(inputs), entries(outputs), _cpu(), is_train=case.is_train)
    random.seed(SEED)
    results = program(*(x.buffer for x in arrays(values) if x is not None))
    for actual, array in zip(results, wanted, strict=True):
        np.testing.assert_array_equal(actual, array.asnumpy())


@rows(has_gradient_in_graphs)
def test_graphs_have_the_gradients_of_arrays(
    case: OpCase, values: list[Any], rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    xs = [x for x in arrays(values) if x is not None]
    where = [i for i, x in enumerate(xs) if np.dtype(x.dtype).kind == "f"]
    for i in where:
        xs[i].attach_grad()
    given = iter(xs)
    with autograd.record(case.is_train):
        ys = run_recorded(op, case, [None if v is None else next(given) for v in values])
    heads = [i for i, y in enumerate(ys) if y.in_graph and np.dtype(y.dtype).kind == "f"]
    assert heads
    dys = [nd.array(rng.standard_normal(ys[i].shape), dtype=ys[i].dtype) for i in heads]
    autograd.backward([ys[i] for i in heads], dys, train_mode=case.is_train)
    inputs, outputs = as_graph(case, values)
    head_grads = [sym.var(f"dy{i}") for i in heads]
    graph = sym.Group([outputs[i] for i in heads]).graph
    wrt = [inputs[i].single_entry() for i in where]
    found = gradient(graph, entries(head_grads), wrt, is_train=case.is_train)
    there = [(i, dx) for i, dx in zip(where, found, strict=True) if dx is not None]
    program = Program(
        entries([*inputs, *head_grads]), [dx for _, dx in there], _cpu(), is_train=case.is_train
    )
    random.seed(SEED)
    results = program(*(x.buffer for x in [*arrays(values), *dys] if x is not None))
    for (i, _), actual in zip(there, results, strict=True):
        grad = xs[i].grad
        assert grad is not None
        np.testing.assert_allclose(actual, grad.asnumpy(), rtol=1e-12, atol=1e-12)


def steps(x: Any) -> Any:
    """float16 numbers counted in their order, so that neighbours differ by 1."""
    bits = x.view(np.int16).astype(np.int32)
    return np.where(bits < 0, -(bits & 0x7FFF), bits)


@rows(compares_halves)
def test_float16_results_are_rounded_float32_results(case: OpCase, values: list[Any]) -> None:
    found = halves(case, values)
    assert found is not None
    taken, single = found
    results = run(case, arrays(taken)), run(case, arrays(single))
    for actual, wanted in zip(*results, strict=True):
        if np.dtype(actual.dtype) != np.float16:
            np.testing.assert_allclose(actual.asnumpy(), wanted.asnumpy(), rtol=1e-6, atol=1e-9)
            continue
        with np.errstate(over="ignore"):
            rounded = wanted.asnumpy().astype(np.float16)
        numbers = ~np.isnan(rounded)
        assert (np.isnan(actual.asnumpy()) == ~numbers).all()
        difference = steps(actual.asnumpy()[numbers]) - steps(rounded[numbers])
        assert np.abs(difference).max(initial=0) <= 2


def test_every_operator_has_a_case() -> None:
    assert {ops.find(case.op).name for case in CASES} == {op.name for op in ops.operators()}


def _signature(kernel: Callable[..., Any]) -> tuple[tuple[str, ...], set[str]] | None:
    if isinstance(kernel, np.ufunc):
        return None
    parameters = inspect.signature(kernel).parameters.values()
    inputs = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
    return inputs, {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - {"out"}


@pytest.mark.parametrize("op", ops.operators(), ids=lambda op: op.name)
def test_kernel_signature_is_the_record(op: Operator) -> None:
    record = kernel_table("numpy").find(op.kernel)
    assert record is not None, f"numpy table lacks {op.kernel}"
    assert record.name == op.kernel
    kernel = record.function
    if isinstance(kernel, np.ufunc):
        assert (kernel.nin, dict(op.params)) == (len(op.inputs), {})
        assert record.pointwise
        assert (kernel.nout, kernel.signature) == (1, None)
        return
    assert ("out" in inspect.signature(kernel).parameters) is (record.out != "none")
    params = {name for name in op.params if name != op.ctx} | op.needs
    signature = _signature(kernel)
    assert signature is not None
    if op.twin_of is not None:  # NumPy's name of a legacy operator may name the inputs anew
        assert (len(signature[0]), signature[1]) == (len(op.inputs), params)
    else:
        assert signature == (op.inputs, params)
