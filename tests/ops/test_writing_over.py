"""Elementwise kernels that write over an operand, and kernels that return one."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import Device, cpu, device_of, ops, random
from hy_ndarray.ops import Operator, TensorType
from tests.ops.case_rows import CASES
from tests.ops.op_case import OpCase, drawn

FLOATS = ("float32", "float64")


def here() -> Device:
    """The CPU, as it is served now."""
    return device_of(cpu())


@pytest.fixture(params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Any:
    return request.param


def call(op: Operator, case: OpCase, values: list[Any], **more: Any) -> tuple[Any, ...]:
    """All that the kernel returns."""
    extra = {"is_train": case.is_train, "rng": random.generator(here()), "device": here().handle}
    random.seed(1)
    needed = {name: extra[name] for name in op.needs}
    kernel = op.kernel_on(here(), is_train=case.is_train)
    found = kernel(*values, **op.parse(case.params), **needed, **more)
    return found if isinstance(found, tuple) else (found,)


def plannable(op: Operator, case: OpCase, values: list[Any]) -> list[int]:
    """Operands of the type of the result, if graphs may write it over one of them."""
    if type(op) is not Operator or not here().kernels.is_elementwise(op.kernel):
        return []
    params = op.parse(case.params)
    types = [None if v is None else TensorType(v.shape, v.dtype.name) for v in values]
    results = op.infer(types, params)
    result = results[0]
    if len(results) > 1 or result.dtype not in FLOATS or op.updated(params, case.is_train):
        return []
    return [
        i
        for i, v in enumerate(values)
        if v is not None and (v.shape, v.dtype.name) == (result.shape, result.dtype)
    ]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_result_over_an_operand_is_the_same(
    case: OpCase, dtype: str, rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    values = [
        v if v is None or i in case.inputs else v.astype(dtype)
        for i, v in enumerate(drawn(case, rng))
    ]
    for position in plannable(op, case, values):
        (expected,) = call(op, case, values)
        given = [None if v is None else v.copy() for v in values]
        target = given[position]
        assert target is not None
        (result,) = call(op, case, given, out=(target,))
        assert result is target
        assert result.tobytes() == expected.tobytes()
        (fresh,) = call(op, case, values, out=(np.full_like(target, 7),))
        assert fresh.tobytes() == expected.tobytes()


def test_arrays_without_axes_are_computed_too(case: OpCase, rng: np.random.Generator) -> None:
    op = ops.find(case.op)
    values = drawn(case, rng)
    shapes = {v.shape for v in values if v is not None}
    if len(plannable(op, case, values)) != len(values) or len(shapes) != 1 or not values[0].size:
        return
    (whole,) = call(op, case, values)
    first = [v.reshape(-1)[:1].reshape(()) for v in values]
    for more in ({}, {"out": (np.array(7.0),)}):
        (single,) = call(op, case, first, **more)
        np.testing.assert_allclose(single, whole.reshape(-1)[0], rtol=1e-12)


@pytest.mark.parametrize(
    "name",
    ["Activation", "LeakyReLU", "_plus_scalar", "_rdiv_scalar", "add_n", "clip", "exp", "relu"],
)
def test_the_common_elementwise_operators_can(name: str) -> None:
    assert here().kernels.is_elementwise(ops.find(name).kernel)


@pytest.mark.parametrize("name", ["dot", "softmax", "sgd_update", "sum", "where", "Convolution"])
def test_other_operators_cannot(name: str) -> None:
    assert not here().kernels.is_elementwise(ops.find(name).kernel)


def test_kernels_return_no_operand_but_one_that_is_known_to(
    case: OpCase, rng: np.random.Generator
) -> None:
    op = ops.find(case.op)
    values = drawn(case, rng)
    changed = set(op.updated(op.parse(case.params), case.is_train))
    results = call(op, case, values)[: len(op.output_names(op.parse(case.params)))]
    shared = {
        op.name
        for result in results
        for i, v in enumerate(values)
        if i not in changed and v is not None and np.may_share_memory(result, v) and v.size
    }
    assert shared <= {"_sum_like"}
