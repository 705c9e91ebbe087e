"""Calls of operators on arrays by handle, as in MXNet's ``_ctypes.ndarray``."""

from collections.abc import Sequence
from typing import Any

from hy_gluon import CachedOp
from hy_ndarray import ArgumentError, Context, NDArray, invoke, ops
from mxnet.base import operator_of_handle

__all__ = ["CachedOp", "_imperative_invoke"]


def _imperative_invoke(
    handle: int,
    ndargs: Sequence[NDArray],
    keys: Sequence[str],
    vals: Sequence[Any],
    out: Any,
    is_np_op: bool,  # noqa: ARG001  # arrays tell their kind themselves
    output_is_list: bool,
) -> Any:
    """Return the results of the operator with a handle; parameters are names and values."""
    op = ops.find(operator_of_handle(handle))
    keywords = dict(zip(keys, vals, strict=True))
    ctx = keywords.get(op.ctx) if op.ctx is not None else None
    params = op.parse(keywords)
    inputs: list[NDArray | None] = list(ndargs)
    if not op.variadic:
        active = op.active_inputs(params)
        if len(inputs) > len(op.inputs):
            raise ArgumentError(f"{op.name}: {len(inputs)} inputs given, at most {len(op.inputs)}")
        # Calls leave out inputs that the parameters switch off, such as the bias under `no_bias`.
        by_name = dict(
            zip(active if len(inputs) <= len(active) else op.inputs, inputs, strict=False)
        )
        inputs = [by_name.get(name) for name in op.inputs]
    context = Context.parse(ctx) if ctx else None
    result = invoke(op, inputs, params, out=out, context=context)
    return [result] if output_is_list and isinstance(result, NDArray) else result
