"""Every case row, every check.

Value, types, gradients, arrays as graphs, float16, untouched and non-contiguous inputs.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hy_ndarray import autograd, cpu, device_of, kernel_table, nd, ops, random
from hy_ndarray.ops import Operator
from hy_ndarray.testing import CHECKS, REFERENCE, OpCase, check_operator, values_of
from hy_ndarray.testing.cases import CASES
from hy_ndarray.testing.checks import arrays, run, run_recorded
from hy_symbol import Program, Symbol, gradient, sym
from tests.ops.row_selection import (
    checked,
    compares_halves,
    halves,
    has_gradient_in_graphs,
    is_graph,
    rows,
)

SEED = 1  # of every call, so that operators draw the same numbers for what is compared
CHECK = {check.name: check for check in CHECKS}


def hold(check: str, case: OpCase) -> None:
    assert check_operator(REFERENCE, case, [CHECK[check]]) == (check,)


@pytest.fixture
def values(case: OpCase) -> list[Any]:
    return values_of(case)


@checked(CHECK["value"])
def test_value(case: OpCase) -> None:
    hold("value", case)


@checked(CHECK["types"])
def test_inferred_types_are_actual_types(case: OpCase) -> None:
    hold("types", case)


@checked(CHECK["inputs"])
def test_inputs_stay_as_they_are(case: OpCase) -> None:
    hold("inputs", case)


@checked(CHECK["strides"])
def test_non_contiguous_inputs(case: OpCase) -> None:
    hold("strides", case)


@checked(CHECK["out"])
def test_results_in_given_arrays(case: OpCase) -> None:
    hold("out", case)


@checked(CHECK["sizes"])
def test_arrays_of_any_size(case: OpCase) -> None:
    hold("sizes", case)


@checked(CHECK["gradient"])
def test_gradient_is_the_numerical_one(case: OpCase) -> None:
    hold("gradient", case)


@checked(CHECK["sizes refused"])
def test_calls_refuse_the_sizes_that_the_type_rule_refuses(case: OpCase) -> None:
    hold("sizes refused", case)


@checked(CHECK["dtypes refused"])
def test_calls_refuse_the_dtypes_that_the_type_rule_refuses(case: OpCase) -> None:
    hold("dtypes refused", case)


@checked(CHECK["ranges"])
def test_parameters_out_of_their_range_are_refused(case: OpCase) -> None:
    hold("ranges", case)


def _cpu() -> Any:
    return nd.array([0]).device


def as_graph(case: OpCase, values: list[Any]) -> tuple[list[Symbol], list[Symbol]]:
    """Variables for the inputs a row has, and the outputs."""
    op = ops.find(case.op)
    variables = [None if v is None else sym.var(f"x{i}") for i, v in enumerate(values)]
    result = Symbol.apply_operator(op, variables, op.parse(case.params))
    present = [x for x in variables if x is not None]
    return present, result if isinstance(result, list) else [result]


def entries(symbols: list[Symbol]) -> list[Any]:
    return [x.single_entry() for x in symbols]


ONE_RESULT = {"_contrib_rms_norm", "_contrib_scaled_dot_product_attention"}
"""Calls of which the torch table computes the visible result alone, with other last bits."""


@rows(is_graph)
def test_graphs_give_what_arrays_give(case: OpCase, values: list[Any]) -> None:
    wanted = run(case, arrays(values))
    inputs, outputs = as_graph(case, values)
    program = Program(entries(inputs), entries(outputs), _cpu(), is_train=case.is_train)
    random.seed(SEED)
    results = program(*(x.buffer for x in arrays(values) if x is not None))
    for actual, array in zip(results, wanted, strict=True):
        found = _cpu().memory.to_numpy(actual)
        is_alone = case.op in ONE_RESULT and _cpu().source(ops.find(case.op).kernel) == "torch"
        bound = 16 * np.finfo(found.dtype).eps if is_alone else 0
        np.testing.assert_allclose(found, array.asnumpy(), rtol=bound, atol=bound)


@rows(has_gradient_in_graphs)
def test_graphs_have_the_gradients_of_arrays(
    case: OpCase, values: list[Any], rng: np.random.Generator
) -> None:
    xs = [x for x in arrays(values) if x is not None]
    where = [i for i, x in enumerate(xs) if np.dtype(x.dtype).kind == "f"]
    for i in where:
        xs[i].attach_grad()
    given = iter(xs)
    with autograd.record(case.is_train):
        ys = run_recorded(case, [None if v is None else next(given) for v in values])
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


def _signature(kernel: Callable[..., Any], params: set[str]) -> tuple[tuple[str, ...], set[str]]:
    parameters = inspect.signature(kernel).parameters.values()
    inputs = tuple(p.name for p in parameters if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD))
    named = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} - {"out"}
    # ``**params`` are all others, which the kernel hands on; each row of cases passes them all.
    hands_on = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return inputs, params if hands_on and named <= params else named


@pytest.mark.parametrize("op", ops.operators(), ids=lambda op: op.name)
def test_kernel_signature_is_the_record(op: Operator) -> None:
    record = kernel_table("numpy").find(op.kernel)
    if record is None:  # it follows from the operator
        assert device_of(cpu()).kernels.record(op.kernel).name == op.kernel
        return
    assert record.name == op.kernel
    kernel = record.function
    if isinstance(kernel, np.ufunc):
        assert (kernel.nin, dict(op.params)) == (len(op.inputs), {})
        assert record.pointwise
        assert (kernel.nout, kernel.signature) == (1, None)
        return
    assert ("out" in inspect.signature(kernel).parameters) is (record.out != "none")
    params = {name for name in op.params if name != op.ctx} | op.needs
    signature = _signature(kernel, params)
    if op.synonym_of is not None:  # NumPy's name of a legacy operator may name the inputs anew
        assert (len(signature[0]), signature[1]) == (len(op.inputs), params)
    else:
        assert signature == (op.inputs, params)
