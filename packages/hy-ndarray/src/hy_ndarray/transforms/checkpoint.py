"""checkpoint: recomputation of intermediate arrays in the backward pass, to save memory."""

from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from typing import Any, TypeVar

from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.core import _state, _tape
from hy_ndarray.core._array import Array, Entry, Leaf, Node
from hy_ndarray.core._scopes import pause, record
from hy_ndarray.core._tape import record_function
from hy_ndarray.devices.context import current_context
from hy_ndarray.random import replaying
from hy_ndarray.transforms._calls import apply, drawn_seed
from hy_ndarray.transforms._recording import is_differentiable, unrecorded, zeros_like
from hy_ndarray.transforms._trees import flatten

__all__ = ["checkpoint"]

R = TypeVar("R")


def checkpoint(func: Callable[..., R]) -> Callable[..., R]:
    """Wrap ``func`` so that the backward pass recomputes its intermediate arrays.

    While recording, only the arguments and results are kept; the backward pass calls ``func`` again
    for the intermediate arrays. This saves their memory at the cost of one more forward call. The
    second call draws the same random numbers, and does not update states such as moving statistics
    again. Gradients flow to the arguments and to variables that ``func`` closes over, such as the
    parameters of a block, and can be differentiated again.

    Args:
        func: Function of arrays or trees of them. It must compute the same in both calls.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x = nd.array([0.0, 1.0])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = checkpoint(lambda x: nd.exp(nd.exp(x)))(x)
        >>> y.backward()
        >>> x.grad.asnumpy().round(2)
        array([ 2.72, 41.19], dtype=float32)
    """

    @wraps(func)
    def checkpointed(*args: Any, **kwargs: Any) -> Any:
        if not _state.scope.recording:
            return func(*args, **kwargs)
        return _Segment(func, args, kwargs).forward()

    return checkpointed


class _Segment:
    """One checkpointed call, with everything needed to repeat it."""

    def __init__(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.func = func
        self.leaves, self.form = flatten((args, kwargs))
        self.is_train = _state.scope.training
        first = next((x for x in self.leaves if isinstance(x, NDArray)), None)
        context = current_context() if first is None else first.context
        # Drawn once, on first use: both calls replay the same random numbers.
        self.seed = cache(partial(drawn_seed, context))
        self.states: list[Array] = []
        """Arrays that the call updates, such as moving statistics."""

    def forward(self) -> Any:
        """Call the function and return the results, recorded as one node."""
        inputs, results, out_form, outputs = self._record_call()
        # The tape of this first call is only searched for its operands, then dropped.
        order = _tape._order([y._entry for y in outputs])
        self.states = [x for node in order for x in _updated(node)]
        closed = _closed_over(order, inputs)
        supplied = [x for x in self.leaves if isinstance(x, NDArray)]
        exported = [unrecorded(y) for y in outputs]
        sources = [*supplied, *closed]
        record_function(sources, exported, lambda dys: self._backward(dys, sources, len(supplied)))
        rest = iter(exported)
        values = [unrecorded(y) if isinstance(y, NDArray) else y for y in results]
        return out_form.build(
            [next(rest) if _is_output(y) else v for y, v in zip(results, values, strict=True)]
        )

    def _record_call(self) -> tuple[list[NDArray], list[Any], Any, list[Array]]:
        """Record the call; return variables, results, structure, differentiable results."""
        with record(self.is_train), replaying(self.seed):
            leaves = [_as_variable(x) if isinstance(x, NDArray) else x for x in self.leaves]
            args, kwargs = self.form.build(leaves)
            results, out_form = flatten(self.func(*args, **kwargs))
        inputs = [x for x in leaves if isinstance(x, NDArray)]
        return inputs, results, out_form, [y for y in results if _is_output(y)]

    def _backward(
        self, dys: Sequence[Array], sources: Sequence[Array], count: int
    ) -> list[Array | None]:
        """Return gradients of arguments and closed-over variables, from a second call."""
        # The first call has updated states such as moving averages; the second must not do so
        # again.
        before = [_copy(x) for x in self.states]
        # Recording during a backward pass means create_graph: the gradient is differentiated again.
        nested = _state.scope.recording
        with record(self.is_train), replaying(self.seed):
            leaves = [
                (_as_identity(x) if nested else _as_variable(x)) if isinstance(x, NDArray) else x
                for x in self.leaves
            ]
            args, kwargs = self.form.build(leaves)
            results, _ = flatten(self.func(*args, **kwargs))
        with pause():
            for x, value in zip(self.states, before, strict=True):
                x._write(value)
        outputs = [y for y in results if _is_output(y)]
        variables = [x for x in leaves if isinstance(x, NDArray)]
        targets = [*variables, *sources[count:]]
        entries: list[Entry] = [x._entry for x in targets if x._entry is not None]
        pairs = list(zip(outputs, dys, strict=True))
        sums = _tape.run(
            [y for y, _ in pairs], [dy for _, dy in pairs], nested, True, self.is_train,
            towards=entries,
        )  # fmt: skip
        return [None if x._entry is None else sums.get(x._entry, zeros_like(x)) for x in targets]


def _is_output(value: Any) -> bool:
    """Return whether a result is in the recorded graph and differentiable."""
    return (
        isinstance(value, NDArray) and value._live_entry() is not None and is_differentiable(value)
    )


def _as_variable(array: Array) -> Array:
    """Return a new variable on the memory of an array; a constant if not differentiable."""
    result = unrecorded(array)
    if is_differentiable(array):
        result._entry = Leaf(result, "write")
    return result


def _as_identity(array: Array) -> Array:
    """Return the recorded identity of an array that is in a graph, else a new variable."""
    if array._live_entry() is None:
        return _as_variable(array)
    result = unrecorded(array)
    record_function([array], [result], list)
    return result


def _copy(array: Array) -> Array:
    with pause():
        copied: Array = apply("_copy", array)
    return copied


def _updated(node: Node) -> list[Array]:
    """Return the operands that a recorded call has updated, or, for a program, may have."""
    if node.op is None:
        pairs = zip(node.inputs, node.entries, strict=True) if node.is_program else ()
        return [x for x, entry in pairs if x is not None and entry is None]
    positions = node.op.updated(node.params, node.is_train)
    return [x for i in positions if (x := node.inputs[i]) is not None]


def _closed_over(order: Sequence[Node], inputs: Sequence[Array]) -> list[Array]:
    """Return the variables that the recorded calls use besides ``inputs``, without duplicates."""
    known = {id(x._entry) for x in inputs}
    copied: list[Array] = []
    for node in order:
        for x, entry in zip(node.inputs, node.entries, strict=True):
            if x is not None and isinstance(entry, Leaf) and id(entry) not in known:
                known.add(id(entry))
                copied.append(x)
    return copied
