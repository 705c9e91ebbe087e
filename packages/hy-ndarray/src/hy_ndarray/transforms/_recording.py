"""Recording for transforms: new variables, and backward passes to these variables only."""

from collections.abc import Sequence
from typing import TypeVar

from hy_ndarray.core import _dispatch, _state, _tape
from hy_ndarray.core._array import Array, Entry, Leaf
from hy_ndarray.core._tape import record_function
from hy_ndarray.ops import find

A = TypeVar("A", bound=Array)
_ZEROS = find("zeros_like")


def is_differentiable(array: Array) -> bool:
    """Return whether the array has a floating dtype, so that gradients flow through it."""
    return "float" in array._device.memory.dtype(array._data)


def unrecorded(array: A) -> A:
    """Return an array on the same memory without a tape entry; tapes of lower levels are kept."""
    return type(array).from_buffer(array._data, array._device)


def variable(array: A) -> A:
    """Return a new variable on the memory of an array; inside an outer graph, its identity."""
    result = unrecorded(array)
    # Inside another transform an identity is recorded, so that results are in the outer graph, too.
    if _state.scope.recording and array._live_entry() is not None:
        record_function([array], [result], list)
    else:
        result._entry = Leaf(result, "write")
    return result


def zeros_like(array: A) -> A:
    """Return zeros like an array, which are not recorded."""
    value: A = _dispatch.invoke(_ZEROS, (array.detach(),), _ZEROS.defaults)
    return value


def gradients(
    heads: Sequence[Array],
    head_grads: Sequence[Array],
    variables: Sequence[A],
    *,
    create_graph: bool,
    retain: bool = True,
) -> list[A]:
    """Return gradients of heads with respect to variables; zeros where there is no dependency.

    Args:
        heads: Recorded arrays.
        head_grads: The head gradient of each.
        variables: Results of :func:`variable`.
        create_graph: Record the backward pass, so that gradients can be differentiated.
        retain: Keep the graph for another backward pass.
    """
    targets: list[Entry] = [x._entry for x in variables if x._entry is not None]
    pairs = [
        (y, dy)
        for y, dy in zip(heads, head_grads, strict=True)
        if y._live_entry() is not None and is_differentiable(y)
    ]
    sums = _tape.run(
        [y for y, _ in pairs],
        [dy for _, dy in pairs],
        create_graph,
        retain or create_graph,
        _state.scope.training,
        towards=targets,
    )
    value: list[A] = []
    for x in variables:
        entry = x._entry
        gradient = None if entry is None else sums.get(entry)
        value.append(zeros_like(x) if gradient is None else gradient)  # type: ignore[arg-type]
    return value
