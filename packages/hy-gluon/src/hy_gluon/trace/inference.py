"""Inference of shapes and dtypes of a block's parameters from the arguments of a call."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from hy_gluon._errors import BlockError
from hy_gluon.parameter import Parameter
from hy_gluon.trace.cache import TracedGraph
from hy_gluon.trace.structure import flatten
from hy_ndarray import NDArray, dtype_name
from hy_symbol import InferenceCache, Node, Types, declared_shape, infer_types

__all__ = ["graph_params", "graph_types", "inferred"]

_Inferred: TypeAlias = tuple[tuple[int | None, ...] | None, str | None]


def graph_params(
    block: str, params: Mapping[str, Parameter], graph: TracedGraph
) -> dict[str, Parameter]:
    """Return the block's parameters by name; raise an error for other variables of the graph.

    Args:
        block: Name of the block, for the error.
        params: Parameters of the block.
        graph: The traced graph.

    Raises:
        BlockError: A variable is neither an input nor a parameter.
    """
    assert graph
    data = {symbol.name for symbol in graph[0]}
    # An undeclared variable would be an input that nobody fills.
    for name in graph[1].list_inputs():
        if name not in data and name not in params:
            raise BlockError(
                f"{block}: the graph uses variable {name!r}, which is neither an argument "
                "nor a parameter of the block; register it with self.params.get"
            )
    return dict(params)


def graph_types(
    graph: TracedGraph,
    params: Mapping[str, Parameter],
    args: Sequence[Any],
    *,
    array_dtypes: bool = True,
    param_dtypes: bool = False,
    inference_cache: InferenceCache | None = None,
) -> Types:
    """Return the types of all graph entries, inferred from arguments and parameters.

    Args:
        graph: The traced graph.
        params: Result of :func:`graph_params`.
        args: Arguments of a call; symbols have unknown types.
        array_dtypes: Whether to use the dtypes of the arguments.
        param_dtypes: Whether to use the parameters' dtypes; otherwise they are inferred, too.
        inference_cache: Results of earlier inference, to reuse.
    """
    assert graph
    data, out = graph
    leaves = [x for x in flatten(args, "input")[0] if x is not None]
    arrays = {symbol.name: x for symbol, x in zip(data, leaves, strict=True)}
    shapes: dict[Node, tuple[int | None, ...] | None] = {}
    kinds: dict[Node, str | None] = {}
    for node in out.graph.variables:
        array = arrays.get(node.name)
        if isinstance(array, NDArray):
            shapes[node] = array.shape
            kinds[node] = dtype_name(array.dtype) if array_dtypes else None
        elif array is None:
            parameter = params[node.name]
            # Symbols that were loaded carry shapes as attributes, where a rule cannot tell them.
            shape = parameter._partial_shape
            shapes[node] = declared_shape(node) if shape is None else shape
            kinds[node] = parameter._hy_dtype_name if param_dtypes else None
    return infer_types(out.graph, shapes, kinds, inference_cache=inference_cache)


def inferred(
    graph: TracedGraph, params: Mapping[str, Parameter], args: Sequence[Any], *, dtypes: bool
) -> list[tuple[Parameter, _Inferred]]:
    """Return each parameter of the graph with its shape and dtype, inferred from arguments.

    Args:
        graph: The traced graph.
        params: Result of :func:`graph_params`.
        args: Arguments of a call.
        dtypes: Whether to use the dtypes of the arguments; if False, only shapes are used.

    Raises:
        ArgumentError: A shape cannot be inferred, because a custom operator's ``infer_shape``
            failed.
    """
    assert graph
    types = graph_types(graph, params, args, array_dtypes=dtypes)
    data = {symbol.name for symbol in graph[0]}
    pairs = [
        (params[node.name], types.get((node, 0)))
        for node in graph[1].graph.variables
        if node.name not in data
    ]
    # The failure says which operator refused; an open shape alone says only that something is
    # missing.
    missing = any(shape is None or None in shape for _, (shape, _) in pairs)
    if missing and types.failure is not None and not dtypes:
        raise types.failure
    return pairs
