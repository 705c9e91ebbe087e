"""Runs of operators on the inputs of case rows, and what such runs show of them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hy_ndarray import HyError, NDArray, autograd, nd, ops, random
from hy_ndarray.testing import OpCase, drawn

__all__ = ["SEED", "agree", "along", "behaves_pointwise", "calls", "memory_of", "values_of"]

SEED = 1

Run = tuple[list[NDArray | None], list[NDArray]]


def values_of(case: OpCase) -> list[Any]:
    """Inputs of a row, the same ones each time."""
    return drawn(case, np.random.default_rng(list(str(case).encode())))


def calls(case: OpCase, values: Sequence[Any], *, is_train: bool | None = None) -> Run:
    """The inputs after a call, and its visible results."""
    training = case.is_train if is_train is None else is_train
    inputs = [None if v is None else nd.array(v, dtype=v.dtype) for v in values]
    op = ops.find(case.op)
    random.seed(SEED)
    with autograd.train_mode() if training else autograd.predict_mode():
        found = NDArray.apply_operator(op, inputs, op.parse(case.params), training)
    return inputs, found if isinstance(found, list) else [found]


def _outcome(case: OpCase, values: Sequence[Any]) -> list[Any]:
    """Results and new values of inputs that are overwritten."""
    op = ops.find(case.op)
    inputs, results = calls(case, values)
    written = op.updated(op.parse(case.params), case.is_train)
    return [x.asnumpy() for x in (*results, *(inputs[i] for i in written)) if x is not None]


def memory_of(array: NDArray) -> Any:
    """What an array on the CPU holds, where it is."""
    return array.device.memory.to_numpy(array.buffer)


def agree(actual: Any, wanted: Any) -> bool:
    """Whether two arrays are equal but for rounding."""
    return actual.shape == wanted.shape and np.allclose(
        actual, wanted, rtol=1e-9, atol=1e-12, equal_nan=True
    )


def behaves_pointwise(case: OpCase) -> bool | None:
    """Whether results move with the elements of the inputs; None: there are too few to tell."""
    values = values_of(case)
    given = [v for v in values if v is not None]
    results = _outcome(case, values)
    shapes = {x.shape for x in results}
    if not given or len(shapes) != 1:
        return False
    (shape,) = shapes
    try:
        if np.broadcast_shapes(*(v.shape for v in given)) != shape:
            return False
    except ValueError:
        return False
    if results[0].size <= 1:
        return None
    moves: list[Callable[[Any], Any]] = [lambda x: x, lambda x: x[:1], np.transpose]
    order = np.random.default_rng(0).permutation(results[0].size)
    moves.append(lambda x: x.ravel()[order].reshape(shape))
    spread = [None if v is None else np.broadcast_to(v, shape) for v in values]
    return all(_moves(case, spread, results, move) for move in moves)


def _moves(
    case: OpCase, values: Sequence[Any], results: Sequence[Any], move: Callable[[Any], Any]
) -> bool:
    try:
        moved = _outcome(case, [None if v is None else move(v) for v in values])
    except HyError:  # it is for some shapes alone
        return False
    return all(agree(x, move(y)) for x, y in zip(moved, results, strict=True))


def along(values: Sequence[Any], positions: Sequence[int], axis: int, rows: slice) -> list[Any]:
    """The inputs with these rows alone of those that have rows; positions count what is given."""
    given = [i for i, v in enumerate(values) if v is not None]
    sliced = {given[i] for i in positions}
    key = (*(slice(None),) * axis, rows)
    return [v[key] if i in sliced else v for i, v in enumerate(values)]
