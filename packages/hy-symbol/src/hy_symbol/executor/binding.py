"""Binding: methods of symbols that create executors from arrays or shapes."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from hy_ndarray import (
    ArgumentError,
    Context,
    DTypeError,
    NDArray,
    ShapeError,
    current_context,
    dtype_name,
    nd,
)
from hy_symbol._errors import GraphError, brief
from hy_symbol.executor.groups import contexts_of_nodes
from hy_symbol.executor.resizing import resized
from hy_symbol.executor.storages import gradient_storages
from hy_symbol.graph.node import Node, names
from hy_symbol.infer.api import complete_shape, inferred
from hy_symbol.infer.outputs import Outputs

if TYPE_CHECKING:
    from hy_symbol.executor.executor import Executor

__all__ = ["Binding"]

_REQUESTS = ("write", "add", "null")
GradReq: TypeAlias = str | Sequence[str] | Mapping[str, str] | None
_Maker: TypeAlias = Callable[[Node, tuple[int, ...], object, str], NDArray]


class Binding(Outputs):
    """Methods that bind a symbol to arrays."""

    __slots__ = ()

    def bind(
        self,
        ctx: Context | None,
        args: Mapping[str, NDArray] | Sequence[NDArray],
        args_grad: Mapping[str, NDArray] | Sequence[NDArray | None] | None = None,
        grad_req: GradReq = "write",
        aux_states: Mapping[str, NDArray] | Sequence[NDArray] | None = None,
        group2ctx: Mapping[str, Context] | None = None,
        shared_exec: "Executor | None" = None,  # noqa: ARG002
    ) -> "Executor":
        """Return an executor that runs the graph on the given arrays.

        Args:
            ctx: Context to run on; the current context if None.
            args: One array per argument, by name or in the order of :meth:`list_arguments`.
            args_grad: Arrays for gradients, likewise; arguments without one get none.
            grad_req: ``"write"``, ``"add"`` or ``"null"``: one for all, a list, or by name. None is
                ``"null"`` for all.
            aux_states: One array per auxiliary state, by name or in order.
            group2ctx: Contexts by ``ctx_group``, a node's attribute. Outputs are placed on the
                context of their group, but everything is computed on ``ctx``.
            shared_exec: Accepted and ignored, as executors keep no memory that could be shared.

        Raises:
            GraphError: An array is missing, or there are too many; a group has no context.
            ShapeError, DTypeError: The arrays do not fit the graph.

        Example:
            >>> from hy_ndarray import cpu, nd
            >>> from hy_symbol import sym
            >>> a, b = sym.var("a"), sym.var("b")
            >>> executor = (a + b).bind(cpu(), {"a": nd.array([1, 2]), "b": nd.array([3, 4])})
            >>> executor.forward()[0].asnumpy()
            array([4., 6.], dtype=float32)
        """
        context = ctx or current_context()
        return _bind(self, context, args, args_grad, grad_req, aux_states, group2ctx)

    def simple_bind(
        self,
        ctx: Context | None,
        grad_req: GradReq = "write",
        type_dict: Mapping[str, object] | None = None,
        stype_dict: Mapping[str, str] | None = None,
        group2ctx: Mapping[str, Context] | None = None,
        shared_arg_names: Sequence[str] | None = None,
        shared_exec: "Executor | None" = None,
        shared_buffer: dict[str, NDArray] | None = None,
        **kwargs: Sequence[int],
    ) -> "Executor":
        """Return an executor with new arrays of zeros, in the inferred shapes.

        Args:
            ctx: Context to run on; the current context if None.
            grad_req: As for :meth:`bind`.
            type_dict: Dtypes by variable name; float32 where no dtype can be inferred.
            stype_dict: Storage types by variable name, ``"row_sparse"`` or ``"csr"``; by default
                the variable's declared one. The storage types of gradients are inferred.
            group2ctx: As for :meth:`bind`; new arrays are placed on these contexts, too.
            shared_arg_names: Names of arguments to take from ``shared_exec``, with their gradients
                and all auxiliary states.
            shared_exec: Executor whose arrays are shared.
            shared_buffer: Arrays by name whose memory is reused for all other arguments, and under
                ``grad of <name>`` for their gradients, where it is large enough; otherwise a new
                array is allocated and added here.
            kwargs: Shapes by variable name; unknown names are ignored.

        Raises:
            GraphError: Not every shape can be inferred from those given; a group has no context.
            ShapeError, DTypeError: Shapes or dtypes contradict each other or a shared array.
        """
        context = ctx or current_context()
        contexts = contexts_of_nodes(self.graph, context, group2ctx)
        source = _Arrays(contexts, shared_exec, shared_arg_names, shared_buffer)
        storages = stype_dict or {}
        return _simply_bound(self, context, source, grad_req, type_dict or {}, storages, kwargs)

    def eval(self, ctx: Context | None = None, **kwargs: NDArray) -> list[NDArray]:
        """Bind the graph to arrays, by variable name, and return its outputs."""
        states = set(names(self.graph.states))
        aux = {name: value for name, value in kwargs.items() if name in states}
        return self.bind(ctx, kwargs, grad_req="null", aux_states=aux).forward()


def _bind(
    symbol: Outputs,
    ctx: Context,
    args: Mapping[str, NDArray] | Sequence[NDArray],
    args_grad: Mapping[str, NDArray] | Sequence[NDArray | None] | None,
    grad_req: GradReq,
    aux_states: Mapping[str, NDArray] | Sequence[NDArray] | None,
    group2ctx: Mapping[str, Context] | None,
) -> "Executor":
    """Return the executor of :meth:`Binding.bind`."""
    if not isinstance(ctx, Context):
        raise ArgumentError(f"bind: ctx={brief(ctx)} is no Context")
    wanted = names(symbol.graph.arguments)
    arguments = _listed_arrays("args", wanted, args)
    states = _listed_arrays("aux_states", names(symbol.graph.states), aux_states or {})
    gradients = _listed_gradients(wanted, args_grad)
    reqs = _requests(wanted, grad_req)
    contexts = contexts_of_nodes(symbol.graph, ctx, group2ctx)
    with_context = [contexts[node] for node, _ in symbol.graph.outputs]
    return _executor(symbol, ctx, arguments, gradients, reqs, states, with_context)


def _executor(*arrays: Any) -> "Executor":
    """Return an executor; its module is imported on first use."""
    executor: Executor = import_module("hy_symbol.executor.executor").Executor(*arrays)
    return executor


class _Arrays:
    """Creates the arrays of :meth:`Binding.simple_bind`."""

    def __init__(
        self,
        contexts: Mapping[Node, Context],
        other: "Executor | None",
        shared_names: Sequence[str] | None,
        buffer: dict[str, NDArray] | None,
    ) -> None:
        self.contexts = contexts
        self._buffer = buffer
        self._arguments: dict[str, NDArray] = {}
        self._gradients: dict[str, NDArray | None] = {}
        self._states: dict[str, NDArray] = {}
        if other is not None and shared_names:
            selected = set(shared_names)
            self._arguments = {n: x for n, x in other.arg_dict.items() if n in selected}
            self._gradients = {n: x for n, x in other.grad_dict.items() if n in selected}
            self._states = other.aux_dict

    def argument(self, node: Node, shape: tuple[int, ...], dtype: object, stype: str) -> NDArray:
        result = self._shared(self._arguments, node.name, shape, dtype)
        if result is not None:
            return result
        return self._own_array(node.name, self.contexts[node], shape, dtype, stype)

    def gradient(self, node: Node, shape: tuple[int, ...], dtype: object, stype: str) -> NDArray:
        result = self._shared(self._gradients, node.name, shape, dtype)
        if result is not None:
            return result
        return self._own_array(f"grad of {node.name}", self.contexts[node], shape, dtype, stype)

    def state(self, node: Node, shape: tuple[int, ...], dtype: object, stype: str) -> NDArray:
        result = self._shared(self._states, node.name, shape, dtype)
        if result is not None:
            return result
        # MXNet's shared_buffer holds arguments and gradients alone.
        return nd.empty(shape, ctx=self.contexts[node], dtype=dtype, stype=stype)

    def _shared(
        self,
        arrays: Mapping[str, NDArray | None],
        name: str,
        shape: tuple[int, ...],
        dtype: object,
    ) -> NDArray | None:
        result = arrays.get(name)
        if result is not None and result.shape != shape:
            raise ShapeError(
                f"simple_bind: '{name}' would change from {result.shape} to {shape}; "
                "an array in shared_arg_names keeps its shape"
            )
        return result if result is None else self._check_shared(result, name, dtype)

    def _own_array(
        self, name: str, ctx: Context, shape: tuple[int, ...], dtype: object, stype: str
    ) -> NDArray:
        if self._buffer is None or stype != "default":  # sparse ones have memory of their own
            return nd.empty(shape, ctx=ctx, dtype=dtype, stype=stype)
        result = self._buffer.get(name)
        # MXNet's shared_buffer: memory by name, which grows to the largest shape.
        if result is None or result.size < prod(shape):
            self._buffer[name] = nd.empty(shape, ctx=ctx, dtype=dtype)
            return self._buffer[name]
        result = self._check_shared(result, name, dtype)
        return result if result.shape == shape else resized(result, shape)

    def _check_shared(self, array: NDArray, name: str, dtype: object) -> NDArray:
        if dtype_name(array.dtype) != dtype_name(dtype):
            raise DTypeError(
                f"simple_bind: '{name}' is {dtype_name(dtype)}, "
                f"the array that is to be shared {dtype_name(array.dtype)}"
            )
        return array


def _simply_bound(
    symbol: Outputs,
    ctx: Context,
    source: _Arrays,
    grad_req: GradReq,
    type_dict: Mapping[str, object],
    stype_dict: Mapping[str, str],
    shapes: Mapping[str, Sequence[int]],
) -> "Executor":
    """Return the executor of :meth:`Binding.simple_bind`."""
    types = inferred(symbol.graph, shapes, type_dict)

    def storage(node: Node) -> str:
        return stype_dict.get(node.name) or node.storage

    def array_for(node: Node, make: _Maker, stype: str) -> NDArray:
        dtype = types.dtype((node, 0)) or "float32"
        return make(node, complete_shape(types, node), dtype, stype)

    graph = symbol.graph
    on_cpu = ctx.device_type == "cpu"
    stored = gradient_storages(graph, storage) if on_cpu else {}
    reqs = _requests(names(graph.arguments), grad_req)
    arguments = [array_for(node, source.argument, storage(node)) for node in graph.arguments]
    states = [array_for(node, source.state, storage(node)) for node in graph.states]
    gradients = [
        None if req == "null" else array_for(node, source.gradient, stored.get(node, "default"))
        for node, req in zip(graph.arguments, reqs, strict=True)
    ]
    with_context = [source.contexts[node] for node, _ in graph.outputs]
    return _executor(symbol, ctx, arguments, gradients, reqs, states, with_context)


def _listed_arrays(
    what: str, wanted: Sequence[str], arguments: Mapping[str, NDArray] | Sequence[NDArray]
) -> list[NDArray]:
    if isinstance(arguments, Mapping):
        missing = [name for name in wanted if name not in arguments]
        if missing:
            keys = ", ".join(f"`{name}`" for name in missing)
            raise GraphError(f"bind: key {keys} is missing in `{what}`")
        result = [arguments[name] for name in wanted]
    else:
        result = list(arguments)
        if len(result) != len(wanted):
            raise GraphError(
                f"bind: {what} has {len(result)} arrays for {len(wanted)}: {', '.join(wanted)}"
            )
    for name, array in zip(wanted, result, strict=True):
        if not isinstance(array, NDArray):
            raise ArgumentError(f"bind: {what}: '{name}' is {brief(array)}, not an NDArray")
    return result


def _listed_gradients(
    wanted: Sequence[str], arguments: Mapping[str, NDArray] | Sequence[NDArray | None] | None
) -> list[NDArray | None]:
    if arguments is None:
        return [None] * len(wanted)
    if isinstance(arguments, Mapping):
        return [arguments.get(name) for name in wanted]
    result = list(arguments)
    if len(result) != len(wanted):
        raise GraphError(
            f"bind: args_grad has {len(result)} arrays for {len(wanted)}: {', '.join(wanted)}"
        )
    return result


def _requests(wanted: Sequence[str], arguments: GradReq) -> list[str]:
    if arguments is None or isinstance(arguments, str):
        reqs = [arguments or "null"] * len(wanted)
    elif isinstance(arguments, Mapping):
        reqs = [arguments.get(name, "null") for name in wanted]
    else:
        reqs = list(arguments)
    if len(reqs) != len(wanted):
        raise GraphError(f"grad_req has {len(reqs)} requests for {len(wanted)} arguments")
    for name, req in zip(wanted, reqs, strict=True):
        if req not in _REQUESTS:
            raise ArgumentError(f"grad_req of '{name}' is {brief(req)}: none of {_REQUESTS}")
    return reqs
