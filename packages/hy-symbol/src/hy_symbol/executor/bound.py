"""BoundArrays: the arrays that a graph is bound to, by position and by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import Context, NDArray, ShapeError, dtype_name, nd
from hy_symbol._errors import GraphError
from hy_symbol.execution.cache import ExecutableCache
from hy_symbol.execution.setup_lock import setup_lock
from hy_symbol.executor.on_tape import is_for_tape
from hy_symbol.executor.resizing import shared
from hy_symbol.graph.node import Node, names
from hy_symbol.infer.outputs import Outputs
from hy_symbol.passes import has_open_shapes
from hy_symbol.passes.unrolling import has_control_flow

__all__ = ["BoundArrays", "copy_value"]


class BoundArrays:
    """A graph with arrays for its arguments, gradients, states and outputs; see `Executor`."""

    def __init__(
        self,
        symbol: Outputs,
        ctx: Context,
        arg_arrays: Sequence[NDArray],
        grad_arrays: Sequence[NDArray | None],
        grad_reqs: Sequence[str],
        aux_arrays: Sequence[NDArray],
        output_contexts: Sequence[Context] | None = None,
    ) -> None:
        self._symbol = symbol
        self._graph = symbol.graph
        self._ctx = ctx
        self._output_contexts = list(output_contexts or [ctx] * len(symbol.graph.outputs))
        self.arg_arrays = list(arg_arrays)
        self.grad_arrays = list(grad_arrays)
        self.aux_arrays = list(aux_arrays)
        self._reqs = list(grad_reqs)
        self._outputs: list[NDArray] | None = None
        self._parts: list[int] = []  # outputs that are views of another executor's
        # Outputs are the same arrays in all passes: programs take them once and read them after
        # each.
        self._arrays = self._by_variable()
        known = tuple([(a.shape, dtype_name(a.dtype)) for a in self._arrays])
        self._by_operator = is_for_tape(self._graph, [*self._arrays, *self.grad_arrays])
        is_unrolled = not self._by_operator or not has_control_flow(self._graph)
        # Built under a lock: threads that bind the same graph share one plan.
        with setup_lock():
            cache = ExecutableCache.of(symbol.graph)
            self._executables = cache.at(known, is_unrolled=is_unrolled)
        self._graph = self._executables.typed.graph
        if is_unrolled and has_open_shapes(self._graph):
            raise GraphError(f"{symbol!r} makes an array whose shape does not follow from its use")

    def _by_variable(self) -> list[NDArray]:
        """Return the arrays in the order of the graph's variables."""
        arguments = zip(self._graph.arguments, self.arg_arrays, strict=True)
        states = zip(self._graph.states, self.aux_arrays, strict=True)
        result = dict((*arguments, *states))
        return [result[node] for node in self._graph.variables]

    @property
    def outputs(self) -> list[NDArray]:
        """The outputs of the last :meth:`forward`; zeros before the first."""
        if self._outputs is None:
            types = [self._executables.typed.types.get(entry) for entry in self._graph.outputs]
            self._outputs = [
                nd.empty(tuple(n or 0 for n in shape or ()), ctx=ctx, dtype=dtype)
                for (shape, dtype), ctx in zip(types, self._output_contexts, strict=True)
            ]
        return self._outputs

    @property
    def arg_dict(self) -> dict[str, NDArray]:
        """Arrays of the arguments by name."""
        return _by_name(names(self._symbol.graph.arguments), self.arg_arrays)

    @property
    def grad_dict(self) -> dict[str, NDArray | None]:
        """Gradients of the arguments by name."""
        return _by_name(names(self._symbol.graph.arguments), self.grad_arrays)

    @property
    def aux_dict(self) -> dict[str, NDArray]:
        """Arrays of the auxiliary states by name."""
        return _by_name(names(self._symbol.graph.states), self.aux_arrays)

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """The outputs by name."""
        return _by_name(self._symbol.graph.output_names, self.outputs)

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy values into the arguments and auxiliary states, by name.

        Raises:
            GraphError: A name is unknown, and ``allow_extra_params`` is False.
            ShapeError: A value has another shape.
        """
        kinds = (
            ("argument", arg_params, self.arg_dict),
            ("auxiliary state", aux_params, self.aux_dict),
        )
        for kind, params, own in kinds:
            for name, value in (params or {}).items():
                if name in own:
                    copy_value(name, value, own[name])
                elif not allow_extra_params:
                    raise GraphError(
                        f'Find name "{name}" that is not in the {kind}s: {", ".join(own) or "none"}'
                    )

    def _share_outputs(self, outputs: Sequence[NDArray]) -> None:
        """Let outputs share the memory of another executor's outputs, where large enough."""
        whole = {id(array) for array in (*self.outputs, *outputs)}
        self._outputs = [shared(*pair) for pair in zip(self.outputs, outputs, strict=True)]
        self._parts = [k for k, array in enumerate(self._outputs) if id(array) not in whole]

    def _named_arrays(self) -> list[tuple[Node, NDArray]]:
        return list(zip(self._graph.variables, self._arrays, strict=True))


def _by_name(names: Sequence[str], arrays: Sequence[Any]) -> dict[str, Any]:
    if len(set(names)) < len(names):
        raise GraphError(f"names are not unique, so there is no dict by name: {', '.join(names)}")
    return dict(zip(names, arrays, strict=True))


def copy_value(name: str, value: Any, target: NDArray) -> None:
    """Copy ``value``, an array or array-like, into the array of argument ``name``.

    Raises:
        ShapeError: The shapes differ.
    """
    if not isinstance(value, NDArray):
        value = nd.array(value, ctx=target.context, dtype=target.dtype)
    if value.shape != target.shape:
        raise ShapeError(
            f"Shape not match! Argument {name}, need: {target.shape}, received: {value.shape}"
        )
    value.copyto(target)
