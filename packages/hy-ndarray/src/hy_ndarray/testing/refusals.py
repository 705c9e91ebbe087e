"""Checks of rejected calls: operands of wrong sizes or dtypes, parameters out of range.

Graphs check types with an operator's type rule. An eager call must agree with the rule on every
table: it raises the same class of error, or returns a result of the inferred type.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hy_ndarray import HyError, NDArray, autograd, nd, ops
from hy_ndarray._errors import ArgumentError
from hy_ndarray.array._functions import function_named
from hy_ndarray.ops import Operator, Param
from hy_ndarray.testing.op_case import OpCase, values_of
from hy_ndarray.testing.selection import types_of

__all__ = [
    "check_ranges",
    "check_wrong_dtypes",
    "check_wrong_sizes",
    "has_floats",
    "has_ranges",
    "out_of_range",
]


BY_VALUES = frozenset({
    "_boolean_mask_backward", "_npi_boolean_mask_assign_tensor",  # how many elements a mask selects
    "_histogram",  # edges that rise
    "_npi_delete", "_npi_insert_tensor", "gather_nd", "take",  # indices
    "_npi_choice", "_npi_multinomial", "_sample_negative_binomial",  # probabilities
    "_npi_gamma",  # shapes
    "_roi_pooling_backward", "_roi_pooling_select",  # indices
    "tile",  # repetitions that leave nothing, outside of np_shape
})  # fmt: skip
"""Operators that check values too: a call may raise an error although its types are valid."""


class Changed(NamedTuple):
    """Inputs of a case with one of them changed, and a description of the change."""

    what: str
    values: list[Any]


def check_wrong_sizes(case: OpCase, _: Any) -> None:
    """Check that calls with wrong sizes or ranks raise the type rule's class of error."""
    op = ops.find(case.op)
    _compare(op, case, _changed(values_of(case)))


def check_wrong_dtypes(case: OpCase, _: Any) -> None:
    """Check that calls with wrong dtypes raise the type rule's class of error."""
    op = ops.find(case.op)
    _compare(op, case, _in_other_dtypes(op, values_of(case)))


def check_ranges(case: OpCase, _: Any) -> None:
    """Check that parameters out of range raise an error that names the parameter."""
    op = ops.find(case.op)
    values = values_of(case)
    for param in op.params.values():
        for wrong in out_of_range(param):
            changed = {**case.params, param.name: wrong}
            message = ""
            try:
                function_named(op.name)(*_to_arrays(values), **changed)
            except ArgumentError as error:
                message = str(error)
            name = op.synonym_of or op.name
            assert f"{name}: parameter {param.name}=" in message, f"{param.name}={wrong!r} is taken"


def has_floats(case: OpCase, _: Any) -> bool:
    """Return whether the case has a floating input."""
    return any(map(_is_floating, values_of(case)))


def has_ranges(case: OpCase, _: Any) -> bool:
    """Return whether a parameter of the case's operator has a range."""
    return any(param.range is not None for param in ops.find(case.op).params.values())


def out_of_range(param: Param) -> list[Any]:
    """Return values just outside of the range of a parameter."""
    if param.range is None:
        return []
    low, high = param.range.low, param.range.high
    numbers: list[Any] = [low - 1, *([low] if param.range.open else [])]
    if high < float("inf"):
        numbers.append(high + 1)
    kind = str(param.annotation)
    if "float" in kind:
        numbers = [*map(float, numbers), float("nan")]
    return [(n, n) for n in numbers] if "tuple" in kind else numbers


def _compare(op: Operator, case: OpCase, changed: Iterable[Changed]) -> None:
    for what, values in changed:
        inferred_as, types = _inference_outcome(op, case, values)
        computed, results = _call_outcome(op, case, values)
        if inferred_as == "taken" != computed and op.name in BY_VALUES:
            continue
        assert computed == inferred_as, f"{what}: the rule says {inferred_as}, the call {computed}"
        for actual, wanted in zip(results, types, strict=False):
            assert _matches_type(actual, wanted), (
                f"{what}: {actual.shape} {actual.dtype}, not {wanted!r}"
            )


def _changed(values: Sequence[Any]) -> Iterator[Changed]:
    for i, value in enumerate(values):
        if value is None:
            continue
        for axis in range(value.ndim):
            shape = list(value.shape)
            shape[axis] += 1
            yield _with_input(values, i, f"axis {axis}", _repeated_to(value, shape))
        yield _with_input(values, i, "an axis more", value[None])
        if value.ndim:
            yield _with_input(values, i, "an axis less", _repeated_to(value, value.shape[1:]))


def _in_other_dtypes(op: Operator, values: Sequence[Any]) -> Iterator[Changed]:
    """Yield inputs with one of them in another floating dtype, or with all as integers.

    The latter is skipped for optimizers' updates, which only require that all dtypes are equal.
    """
    values = [_as(np.float32, v) for v in values]
    for i, value in enumerate(values):
        if _is_floating(value):
            for dtype in (np.int32, np.float16, np.float64):
                changed = [*values[:i], _as(dtype, value), *values[i + 1 :]]
                yield Changed(f"input {i} in {dtype.__name__}", changed)
    if not op.same and (op.updates is None or op.grad is not None):
        yield Changed("all in int32", [_as(np.int32, v) for v in values])


def _as(dtype: Any, value: Any) -> Any:
    with np.errstate(invalid="ignore", over="ignore"):  # nan is no integer
        return value.astype(dtype) if _is_floating(value) else value


def _is_floating(value: Any) -> bool:
    """Return whether an input is a non-empty floating array."""
    return value is not None and value.dtype.kind == "f" and value.size > 0


def _with_input(values: Sequence[Any], position: int, what: str, value: Any) -> Changed:
    changed = [*values[:position], value, *values[position + 1 :]]
    return Changed(f"{what} of input {position}, now {value.shape}", changed)


def _repeated_to(value: Any, shape: Sequence[int]) -> Any:
    """Return the elements repeated to fill a shape; zeros if there are none."""
    return np.resize(value, shape) if value.size else np.zeros(shape, value.dtype)


def _inference_outcome(
    op: Operator, case: OpCase, values: Sequence[Any]
) -> tuple[str, Sequence[Any]]:
    try:
        return "taken", op.infer(types_of(values), op.parse(case.params))
    except HyError as error:
        return type(error).__name__, ()


def _call_outcome(op: Operator, case: OpCase, values: Sequence[Any]) -> tuple[str, list[NDArray]]:
    with autograd.train_mode() if case.is_train else autograd.predict_mode():
        try:
            result = function_named(op.name)(*_to_arrays(values), **case.params)
        except HyError as error:
            return type(error).__name__, []
    return "taken", result if isinstance(result, list) else [result]


def _to_arrays(values: Sequence[Any]) -> list[NDArray | None]:
    return [None if v is None else nd.array(v, dtype=v.dtype) for v in values]


def _matches_type(actual: NDArray, wanted: Any) -> bool:
    """Return whether a result has the inferred type, in which sizes may be unknown."""
    shape, dtype = actual.shape, np.dtype(actual.dtype).name
    if wanted.shape is None:
        return bool(dtype == wanted.dtype)
    return (len(shape), dtype) == (len(wanted.shape), wanted.dtype) and all(
        m in (None, n) for n, m in zip(shape, wanted.shape, strict=True)
    )
