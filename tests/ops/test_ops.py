"""Every case row, every check: value, types, gradients, untouched and non-contiguous inputs."""

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, autograd, kernel_table, nd, ops
from hy_ndarray.ops import Operator, TensorType
from tests.ops.op_case import OpCase

FAMILIES = sorted(p.stem for p in (Path(__file__).parent / "cases").glob("*.py"))
CASES: tuple[OpCase, ...] = tuple(
    case for family in FAMILIES for case in import_module(f"tests.ops.cases.{family}").CASES
)
EPS = 1e-6


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def values(case: OpCase, rng: np.random.Generator) -> list[Any]:
    drawn: list[Any] = []
    for i, shape in enumerate(case.shapes):
        if i in case.inputs:
            drawn.append(np.asarray(case.inputs[i]))
        else:
            drawn.append(None if shape is None else rng.uniform(case.low, case.high, shape))
    return drawn


def arrays(values: list[Any]) -> list[NDArray | None]:
    return [None if v is None else nd.array(v, dtype=v.dtype) for v in values]


def run(case: OpCase, inputs: list[NDArray | None]) -> list[NDArray]:
    op = ops.find(case.op)
    with autograd.train_mode() if case.is_train else autograd.predict_mode():
        result = NDArray.apply_operator(op, inputs, op.parse(case.params), case.is_train)
    return result if isinstance(result, list) else [result]


def test_value(case: OpCase, values: list[Any]) -> None:
    if case.expected is None:
        return
    present = [v for v in values if v is not None]
    expected = case.expected(*present, **case.params)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for actual, wanted in zip(run(case, arrays(values)), expected, strict=True):
        assert actual.shape == np.shape(wanted)
        np.testing.assert_allclose(actual.asnumpy(), wanted, rtol=1e-6, atol=1e-9)


def test_inferred_types_are_actual_types(case: OpCase, values: list[Any]) -> None:
    op = ops.find(case.op)
    types = [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]
    inferred = op.infer(types, op.parse(case.params))
    for actual, wanted in zip(run(case, arrays(values)), inferred, strict=False):
        shape = wanted.shape or ()
        known = tuple(n if m is None else m for n, m in zip(actual.shape, shape, strict=True))
        assert (actual.shape, np.dtype(actual.dtype).name) == (known, wanted.dtype)


def test_inputs_stay_as_they_are(case: OpCase, values: list[Any]) -> None:
    op = ops.find(case.op)
    if op.updates is not None:
        return
    inputs = arrays(values)
    for y in run(case, inputs):
        y[...] = 0
    for x, v in zip(inputs, values, strict=True):
        if x is not None:
            np.testing.assert_array_equal(x.asnumpy(), v)


def test_non_contiguous_inputs(case: OpCase, values: list[Any]) -> None:
    if "rng" in ops.find(case.op).needs:
        return
    strided = [
        None if v is None else NDArray.from_buffer(np.repeat(v, 2, axis=-1)[..., ::2], _cpu())
        for v in values
    ]
    for actual, wanted in zip(run(case, strided), run(case, arrays(values)), strict=True):
        np.testing.assert_allclose(actual.asnumpy(), wanted.asnumpy(), rtol=1e-9, atol=1e-12)


def _cpu() -> Any:
    return nd.array([0]).device


def test_gradient_is_the_numerical_one(
    case: OpCase, values: list[Any], rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    if op.grad is None or op.ignores_head_grad or not case.check_grad or "rng" in op.needs:
        return
    where = case.grad_inputs
    if where is None:
        where = tuple(
            i for i, v in enumerate(values) if v is not None and i not in case.inputs and v.size
        )
    inputs = arrays(values)
    for i in where:
        inputs[i].attach_grad()  # type: ignore[union-attr]
    with autograd.record(case.is_train):
        ys = run_recorded(op, case, inputs)
    dys = [nd.array(rng.standard_normal(y.shape), dtype="float64") for y in ys]
    if not where or not all(np.dtype(y.dtype).kind == "f" for y in ys):
        return
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
    result = NDArray.apply_operator(op, inputs, op.parse(case.params), case.is_train)
    return result if isinstance(result, list) else [result]


def test_every_operator_has_a_case() -> None:
    assert {ops.find(case.op).name for case in CASES} == {op.name for op in ops.operators()}


def _signature(kernel: Callable[..., Any]) -> tuple[tuple[str, ...], set[str]] | None:
    if isinstance(kernel, np.ufunc):
        return None
    parameters = inspect.signature(kernel).parameters.values()
    inputs = tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)
    return inputs, {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}


@pytest.mark.parametrize("op", ops.operators(), ids=lambda op: op.name)
def test_kernel_signature_is_the_record(op: Operator) -> None:
    kernel = kernel_table("numpy").find(op.kernel)
    assert kernel is not None, f"numpy table lacks {op.kernel}"
    if isinstance(kernel, np.ufunc):
        assert (kernel.nin, dict(op.params)) == (len(op.inputs), {})
        return
    params = {name for name in op.params if name != op.ctx} | op.needs
    assert _signature(kernel) == (op.inputs, params)
