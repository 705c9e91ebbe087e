"""Checks that are run for each test case on each kernel table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hy_ndarray import NDArray, autograd, invoke, nd, ops, random
from hy_ndarray._errors import DTypeError
from hy_ndarray.testing.op_case import OpCase, values_of
from hy_ndarray.testing.refusals import (
    check_ranges,
    check_wrong_dtypes,
    check_wrong_sizes,
    has_floats,
    has_ranges,
)
from hy_ndarray.testing.selection import (
    KEEPS_FLOAT32,
    differentiated,
    draws_nothing,
    has_numerical_gradient,
    has_results,
    has_value,
    keeps_inputs,
    takes_one_shape,
    types_of,
)
from hy_ndarray.testing.tested_table import REFERENCE, TestedTable, Tolerance

__all__ = ["CHECKS", "Check", "arrays", "check_operator", "run", "run_recorded"]

SEED = 1  # of every call, so that operators draw the same numbers for what is compared
STEP = 1e-6
GRADIENTS = Tolerance(2e-5, 1e-6)
SIZES = ((0,), (1,), (7,), (2, 0, 3), (1, 13, 1), (3, 5, 7), (1031,))


@dataclass(frozen=True)
class Check:
    """Check of one property of an operator.

    Args:
        name: Name of the property.
        applies: Returns whether the check applies to a case on a table.
        run: Raises AssertionError if the check fails; called while the table is in use.
    """

    name: str
    applies: Callable[[OpCase, TestedTable], bool]
    run: Callable[[OpCase, TestedTable], None]


def arrays(values: Sequence[Any]) -> list[NDArray | None]:
    """Return hy arrays of NumPy arrays, in the same dtypes; None for omitted inputs."""
    return [None if v is None else nd.array(v, dtype=v.dtype) for v in values]


def run(case: OpCase, inputs: Sequence[NDArray | None]) -> list[NDArray]:
    """Return the results of a case's operator, computed without recording."""
    with autograd.train_mode() if case.is_train else autograd.predict_mode():
        return run_recorded(case, inputs)


def run_recorded(case: OpCase, inputs: Sequence[NDArray | None]) -> list[NDArray]:
    """Return the results of a case's operator, recorded if autograd records."""
    op = ops.find(case.op)
    random.seed(SEED)
    result = NDArray.apply_operator(op, inputs, op.parse(case.params), case.is_train)
    return result if isinstance(result, list) else [result]


def _cast_inputs(values: Sequence[Any], dtype: str) -> list[Any]:
    """Return the inputs, with float64 inputs converted to ``dtype``."""
    with np.errstate(over="ignore"):
        return [v if v is None or v.dtype != np.float64 else v.astype(dtype) for v in values]


def _compare(actual: Any, wanted: Any, tolerance: Tolerance, what: str) -> None:
    assert actual.shape == np.shape(wanted), f"{what}: shape {actual.shape}, not {np.shape(wanted)}"
    np.testing.assert_allclose(
        actual.astype(np.float64), wanted, rtol=tolerance.rtol, atol=tolerance.atol, err_msg=what
    )


def check_value(case: OpCase, tested: TestedTable) -> None:
    """Check that the operator returns the expected value."""
    assert case.expected is not None
    values, dtype = values_of(case), tested.dtypes[0]
    expected = case.expected(*(v for v in values if v is not None), **case.params)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for actual, wanted in zip(
        run(case, arrays(_cast_inputs(values, dtype))), expected, strict=True
    ):
        _compare(actual.asnumpy(), wanted, tested.tolerance(case.op, dtype), dtype)


def _accepts(case: OpCase, values: Sequence[Any], dtype: str) -> bool:
    """Return whether the operator's type rule accepts inputs of these dtypes."""
    op = ops.find(case.op)
    if dtype == "float16" and case.op in KEEPS_FLOAT32:
        return False
    try:
        op.infer(types_of(values), op.parse(case.params))
    except DTypeError:
        return False
    return True


def check_agreement(case: OpCase, tested: TestedTable) -> None:
    """Check that results and gradients agree with the numpy table's in every dtype."""
    for dtype in tested.dtypes:
        values = _cast_inputs(values_of(case), dtype)
        if not _accepts(case, values, dtype):
            continue
        tolerance = tested.tolerance(case.op, dtype)
        actual = _with_gradients(case, values)
        with REFERENCE.in_use():
            wanted = _with_gradients(case, values)
        for ours, theirs in zip(actual, wanted, strict=True):
            assert ours.dtype == theirs.dtype
            _compare(ours, theirs.astype(np.float64), tolerance, dtype)


def _with_gradients(case: OpCase, values: Sequence[Any]) -> list[Any]:
    """Return the results, and the gradients of a weighted sum of the results."""
    if not has_numerical_gradient(case):
        return [y.asnumpy() for y in run(case, arrays(values))]
    ys, gradients = _differentiated(case, values)
    return [*(y.asnumpy() for y in ys), *gradients.values()]


def _differentiated(case: OpCase, values: Sequence[Any]) -> tuple[list[NDArray], dict[int, Any]]:
    """Return the results, and the gradients of their weighted sum by input position."""
    inputs = arrays(values)
    where = {i: x for i in differentiated(case, values) if (x := inputs[i]) is not None}
    for x in where.values():
        x.attach_grad()
    with autograd.record(case.is_train):
        ys = run_recorded(case, inputs)
    heads = [nd.array(_random_weights(y.shape), dtype=y.dtype) for y in ys]
    autograd.backward(ys, heads, train_mode=case.is_train)
    return ys, {i: x.grad.asnumpy() for i, x in where.items() if x.grad is not None}


def _random_weights(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(SEED).standard_normal(shape)


def check_types(case: OpCase, _: TestedTable) -> None:
    """Check that inferred shapes and dtypes equal the actual ones."""
    op, values = ops.find(case.op), values_of(case)
    inferred = op.infer(types_of(values), op.parse(case.params))
    for actual, wanted in zip(run(case, arrays(values)), inferred, strict=False):
        shape = wanted.shape or ()
        known = tuple(n if m is None else m for n, m in zip(actual.shape, shape, strict=True))
        assert (actual.shape, np.dtype(actual.dtype).name) == (known, wanted.dtype)


def check_inputs(case: OpCase, _: TestedTable) -> None:
    """Check that the operator does not change its inputs, also if results are overwritten."""
    values = values_of(case)
    inputs = arrays(values)
    for y in run(case, inputs):
        y[...] = 0
    for x, v in zip(inputs, values, strict=True):
        if x is not None:
            np.testing.assert_array_equal(x.asnumpy(), v)


def check_strides(case: OpCase, tested: TestedTable) -> None:
    """Check that non-contiguous inputs give the same results."""
    dtype = tested.dtypes[0]
    values = _cast_inputs(values_of(case), dtype)
    inputs = [
        _with_gaps(v) if v is not None and v.ndim else x
        for v, x in zip(values, arrays(values), strict=True)
    ]
    for actual, wanted in zip(run(case, inputs), run(case, arrays(values)), strict=True):
        rtol, atol = (1e-9, 1e-12) if dtype == "float64" else tested.tolerance(case.op, dtype)
        np.testing.assert_allclose(actual.asnumpy(), wanted.asnumpy(), rtol=rtol, atol=atol)


def _with_gaps(value: Any) -> NDArray:
    wide = nd.array(np.repeat(value, 2, axis=-1), dtype=value.dtype)
    every_second = (*[slice(None)] * (value.ndim - 1), slice(None, None, 2))
    return NDArray.from_buffer(wide.buffer[every_second], wide.device)


def check_out(case: OpCase, _: TestedTable) -> None:
    """Check that results written to ``out=`` equal the returned ones."""
    op, values = ops.find(case.op), values_of(case)
    wanted = run(case, arrays(values))
    outs = [nd.array(np.full(y.shape, 7), dtype=y.dtype) for y in wanted]
    random.seed(SEED)
    with autograd.train_mode() if case.is_train else autograd.predict_mode():
        invoke(op, arrays(values), op.parse(case.params), out=outs)
    for x, y in zip(outs, wanted, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


def check_sizes(case: OpCase, tested: TestedTable) -> None:
    """Check the operator on arrays of other sizes: empty, one element, prime sizes."""
    assert case.expected is not None
    dtype = tested.dtypes[0]
    draws = np.random.default_rng(SEED)
    for shape in SIZES:
        values = [draws.uniform(case.low, case.high, shape) for _ in case.shapes]
        (actual,) = run(case, arrays(_cast_inputs(values, dtype)))
        wanted = case.expected(*values, **case.params)
        _compare(actual.asnumpy(), wanted, tested.tolerance(case.op, dtype), f"{shape}")


def check_gradient(case: OpCase, _: TestedTable) -> None:
    """Check gradients against numerical directional derivatives, one per input."""
    values = values_of(case)
    gradients = _differentiated(case, values)[1]
    assert gradients.keys() == set(differentiated(case, values))
    draws = np.random.default_rng(SEED)
    for i, gradient in gradients.items():
        direction = draws.standard_normal(values[i].shape)

        def at(t: float, i: int = i, direction: Any = direction) -> float:
            moved = [v + t * direction if j == i else v for j, v in enumerate(values)]
            ys = run(case, arrays(moved))
            return float(sum((y.asnumpy() * _random_weights(y.shape)).sum() for y in ys))

        numeric = (at(STEP) - at(-STEP)) / (2 * STEP)
        _compare((gradient * direction).sum(), numeric, GRADIENTS, f"gradient of input {i}")


CHECKS = (
    Check("value", lambda case, _: has_value(case), check_value),
    Check("agreement", lambda c, t: t.name != REFERENCE.name and draws_nothing(c), check_agreement),
    Check("types", lambda *_: True, check_types),
    Check("inputs", lambda case, _: keeps_inputs(case), check_inputs),
    Check("strides", lambda case, _: draws_nothing(case), check_strides),
    Check("out", lambda case, _: has_results(case), check_out),
    Check("sizes", lambda case, _: takes_one_shape(case), check_sizes),
    Check(
        "gradient",
        lambda case, tested: "float64" in tested.dtypes and has_numerical_gradient(case),
        check_gradient,
    ),
    Check("sizes refused", lambda *_: True, check_wrong_sizes),
    Check("dtypes refused", has_floats, check_wrong_dtypes),
    Check("ranges", has_ranges, check_ranges),
)
"""All checks of operators."""


def check_operator(
    tested: TestedTable, case: OpCase, checks: Sequence[Check] = CHECKS
) -> tuple[str, ...]:
    """Run the applicable checks of a case on a table.

    Args:
        tested: The table.
        case: The test case.
        checks: The checks to run, by default :data:`CHECKS`.

    Returns:
        Names of the checks that applied.

    Raises:
        AssertionError: A check fails; a note names the check, the case and the table.
        KernelError: Neither the table nor its fallbacks have the kernel.
    """
    applied = [check for check in checks if check.applies(case, tested)]
    with tested.in_use():
        for check in applied:
            try:
                check.run(case, tested)
            except Exception as error:
                error.add_note(f"check {check.name!r} of {case} on table {tested.name!r}")
                raise
    return tuple(check.name for check in applied)
