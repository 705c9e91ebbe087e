"""Head gradients: the gradients of the outputs, from which a backward pass starts."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, Buffer, NDArray, ShapeError, buffers_of, dtype_name
from hy_symbol._errors import GraphError, brief
from hy_symbol.execution.differentiable import Differentiable, ignores_head_grad
from hy_symbol.graph.node import Graph

__all__ = ["buffers_of_heads", "check_heads", "listed_heads"]


def listed_heads(graph: Graph, head_grads: Any) -> list[Any]:
    """Return one head gradient per output, None if missing, from an array, a list or a mapping."""
    names = graph.output_names
    if isinstance(head_grads, Mapping):
        head_grads = [head_grads.get(name) for name in names]
    elif isinstance(head_grads, NDArray):
        head_grads = [head_grads]
    heads = [] if head_grads is None else list(head_grads)
    return heads + [None] * (len(names) - len(heads))


def check_heads(graph: Graph, heads: Sequence[Any]) -> None:
    """Raise :class:`GraphError` if a required head gradient is missing."""
    for i, head in enumerate(heads):
        if head is None and not ignores_head_grad(graph.outputs[i]):
            raise _missing(graph, i)


def buffers_of_heads(
    graph: Graph, heads: Sequence[Any], outputs: Sequence[NDArray], both: Differentiable
) -> list[Buffer | None]:
    """Return the buffers of the head gradients for :meth:`Differentiable.gradients` of ``both``.

    Raises:
        GraphError: A required head gradient is missing.
        ArgumentError: A head gradient is not an array.
        ShapeError: A head gradient that is used has another shape than its output.
    """
    buffers: list[Buffer | None] = []
    for i, (name, head) in enumerate(zip(graph.output_names, heads, strict=False)):
        output = outputs[i]
        if isinstance(head, NDArray):
            # Head gradients of losses and of outputs that are not floating are never read, so any
            # shape is accepted.
            read = i in both.heads and not ignores_head_grad(graph.outputs[i])
            read = read and "float" in dtype_name(output.dtype)
            if read and head.shape != output.shape:
                raise ShapeError(
                    f"backward: head gradient {head.shape} must have the shape of output '{name}', "
                    f"{output.shape}"
                )
            # As MXNet: head gradients are cast to the output's dtype.
            head_grads = head.astype(dtype_name(output.dtype), copy=False) if read else head
            buffers += buffers_of([head_grads.as_in_context(output.context)], both.parts.device)[1]
        elif head is not None:
            raise ArgumentError(f"backward: head gradient of '{name}': {brief(head)} is no NDArray")
        elif i in both.heads and not ignores_head_grad(graph.outputs[i]):
            raise _missing(graph, i)
        else:
            in_use = i in both.heads
            # The output stands in for a head that nothing reads.
            buffers += buffers_of([output], both.parts.device)[1] if in_use else [None]
    return buffers


def _missing(graph: Graph, i: int) -> GraphError:
    return GraphError(
        f"backward: output '{graph.output_names[i]}' is no loss, so its head gradient must be "
        "given: backward(out_grads=[...])"
    )
