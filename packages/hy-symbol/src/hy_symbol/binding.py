"""Binding: executors out of a symbol, arrays or shapes, and requests for gradients."""

from collections.abc import Mapping, Sequence

from hy_ndarray import ArgumentError, AutogradError, Context, NDArray, dtype_name, nd
from hy_symbol._errors import GraphError, brief
from hy_symbol.executor import Executor, GradReq
from hy_symbol.graph import Node
from hy_symbol.inference import complete_shape, inferred
from hy_symbol.symbol import Symbol

__all__ = ["bound", "simply_bound"]

_REQUESTS = ("write", "add", "null")


def bound(
    symbol: Symbol,
    ctx: Context,
    args: Mapping[str, NDArray] | Sequence[NDArray],
    args_grad: Mapping[str, NDArray] | Sequence[NDArray | None] | None,
    grad_req: GradReq,
    aux_states: Mapping[str, NDArray] | Sequence[NDArray] | None,
) -> Executor:
    """What :meth:`Symbol.bind` returns."""
    if not isinstance(ctx, Context):
        raise ArgumentError(f"bind: ctx={brief(ctx)} is no Context")
    names = symbol.list_arguments()
    arguments = _arrays("args", names, args)
    states = _arrays("aux_states", symbol.list_auxiliary_states(), aux_states or {})
    gradients = _gradients(names, args_grad)
    reqs = _requests(names, grad_req)
    return Executor(symbol, ctx, arguments, gradients, reqs, states)


def simply_bound(
    symbol: Symbol,
    ctx: Context,
    grad_req: GradReq,
    type_dict: Mapping[str, object],
    shapes: Mapping[str, Sequence[int]],
    shared: Mapping[str, NDArray] | None,
    shared_buffer: dict[str, NDArray] | None,
) -> Executor:
    """What :meth:`Symbol.simple_bind` returns."""
    types = inferred(symbol.graph, shapes, type_dict)
    pool = dict(shared or {})

    def made(node: Node) -> NDArray:
        shape, dtype = complete_shape(types, node), types.dtype((node, 0)) or "float32"
        for arrays in (pool, shared_buffer or {}):
            found = arrays.get(node.name)
            if found is not None and (found.shape, dtype_name(found.dtype)) == (shape, dtype):
                return found
        array = nd.zeros(shape, ctx=ctx, dtype=dtype)
        if shared_buffer is not None:
            shared_buffer[node.name] = array
        return array

    graph = symbol.graph
    arguments = [made(node) for node in graph.arguments]
    states = [made(node) for node in graph.states]
    reqs = _requests(symbol.list_arguments(), grad_req)
    gradients = [
        None if req == "null" else nd.zeros(array.shape, ctx=ctx, dtype=array.dtype)
        for array, req in zip(arguments, reqs, strict=True)
    ]
    return Executor(symbol, ctx, arguments, gradients, reqs, states)


def _arrays(
    what: str, names: Sequence[str], given: Mapping[str, NDArray] | Sequence[NDArray]
) -> list[NDArray]:
    if isinstance(given, Mapping):
        missing = [name for name in names if name not in given]
        if missing:
            raise GraphError(f"bind: {what} lacks {', '.join(map(repr, missing))}")
        found = [given[name] for name in names]
    else:
        found = list(given)
        if len(found) != len(names):
            raise GraphError(
                f"bind: {what} has {len(found)} arrays for {len(names)}: {', '.join(names)}"
            )
    for name, array in zip(names, found, strict=True):
        if not isinstance(array, NDArray):
            raise ArgumentError(f"bind: {what}: '{name}' is {brief(array)}, not an NDArray")
    return found


def _gradients(
    names: Sequence[str], given: Mapping[str, NDArray] | Sequence[NDArray | None] | None
) -> list[NDArray | None]:
    if given is None:
        return [None] * len(names)
    if isinstance(given, Mapping):
        return [given.get(name) for name in names]
    found = list(given)
    if len(found) != len(names):
        raise GraphError(
            f"bind: args_grad has {len(found)} arrays for {len(names)}: {', '.join(names)}"
        )
    return found


def _requests(names: Sequence[str], given: GradReq) -> list[str]:
    if isinstance(given, str):
        reqs = [given] * len(names)
    elif isinstance(given, Mapping):
        reqs = [given.get(name, "null") for name in names]
    else:
        reqs = list(given)
    if len(reqs) != len(names):
        raise GraphError(f"grad_req has {len(reqs)} requests for {len(names)} arguments")
    for name, req in zip(names, reqs, strict=True):
        if req not in _REQUESTS:
            raise AutogradError(f"grad_req of '{name}' is {brief(req)}: none of {_REQUESTS}")
    return reqs
