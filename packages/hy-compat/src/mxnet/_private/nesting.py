"""Private functions of ``mxnet.ndarray.contrib``: arrays in nested lists."""

from collections.abc import Iterable
from typing import Any

from hy_ndarray import Context, NDArray, cpu, nd
from mxnet._private.absent import Absent
from mxnet._private.errors import CheckError

_GRADIENT = "gradients are taken with mx.autograd.record() and backward()"
backward_gradientmultiplier = Absent("_contrib_backward_gradientmultiplier", _GRADIENT)
backward_hawkesll = Absent("_contrib_backward_hawkesll", _GRADIENT)
backward_index_copy = Absent("_contrib_backward_index_copy", _GRADIENT)
backward_quadratic = Absent("_contrib_backward_quadratic", _GRADIENT)
quantize_asym = Absent(
    "_contrib_quantize_asym", "MXNet 1.9.1 ends the process in it; use contrib.quantize_v2"
)
quantized_rnn = Absent(
    "_contrib_quantized_rnn", "MXNet 1.9.1 cannot run it on the CPU; use RNN on floats"
)


def flatten(args: Any, inout_str: str, kind: type, name: str) -> tuple[list[Any], Any]:
    """Return the elements of nested lists, and the format for :func:`_regroup`."""
    if isinstance(args, kind):
        # MXNet's formats have 0 for a single array, and n for a flat list of n.
        return [args], 0
    if not isinstance(args, list | tuple):
        raise CheckError(
            f"{inout_str} must be (nested) list of {name}, but got {args} of type {type(args)}"
        )
    flat: list[Any] = []
    forms = []
    for part in args:
        leaves, form = flatten(part, inout_str, kind, name)
        flat += leaves
        forms.append(form)
    return flat, forms


def _flatten(args: Any, inout_str: str) -> tuple[list[NDArray], Any]:
    """Return the arrays in nested lists, and the format for :func:`_regroup`.

    Args:
        args: An array, or lists of arrays.
        inout_str: Kind of the arrays, for messages.

    Raises:
        CheckError: An element is not an array.
    """
    return flatten(args, inout_str, NDArray, "NDArray")


def _regroup(args: list[Any], fmt: Any) -> tuple[Any, list[Any]]:
    """Return the first values, nested by ``fmt``, and the remaining values.

    Example:
        >>> _regroup([1, 2, 3], [0, [0]])
        ([1, [2]], [3])
    """
    if isinstance(fmt, int):
        return (args[0], args[1:]) if fmt == 0 else (args[:fmt], args[fmt:])
    if not isinstance(args, list | tuple):
        raise CheckError(f"output must be (nested) list of NDArray, but got {args}")
    groups = []
    for form in fmt:
        part, args = _regroup(args, form)
        groups.append(part)
    return groups, args


def _flatten_list(nested_list: Iterable[Iterable[Any]]) -> list[Any]:
    """Return the elements of lists as one list."""
    return [entry for part in nested_list for entry in part]


def _get_rescale_grad(rescale_grad: Any, ctx: Context | None = None) -> NDArray:
    """Return the gradient scale as an array of one element on a device."""
    if isinstance(rescale_grad, NDArray):
        return rescale_grad.as_in_context(ctx or cpu())
    return nd.full(shape=(1,), val=rescale_grad, ctx=ctx or cpu())
