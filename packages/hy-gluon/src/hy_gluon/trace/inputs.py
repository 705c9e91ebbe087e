"""Inputs: the input arrays of a traced graph, cached until a parameter changes."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from hy_gluon.parameter.parameter import Parameter
from hy_gluon.parameter.storage import presence
from hy_ndarray import Context, NDArray
from hy_symbol import setup_lock

__all__ = ["Inputs"]

_Latest: TypeAlias = tuple[int, Context | None, list[Any]]


class Inputs:
    """Input arrays of a graph: arguments of the call, and parameters.

    Args:
        order: One pair per input: True and the position of an argument, or False and a parameter.

    Example:
        >>> from hy_gluon import Parameter
        >>> from hy_ndarray import cpu, nd
        >>> weight = Parameter("weight", shape=(2,), init="ones")
        >>> weight.initialize()
        >>> inputs = Inputs([(True, 0), (False, weight)])
        >>> [array.asnumpy().tolist() for array in inputs.of([nd.zeros((2,))], cpu())]
        [[0.0, 0.0], [1.0, 1.0]]
    """

    def __init__(self, order: Sequence[tuple[bool, Any]] = ()) -> None:
        self.order = order
        own, classes = Parameter.data, {type(x) for is_argument, x in order if not is_argument}
        # Overridden `data` of a user's class may compute, so its arrays are never reused.
        self._computed = any(each.data is not own for each in classes)
        self._arguments = [(i, x) for i, (is_argument, x) in enumerate(order) if is_argument]
        # Tuples, replaced whole: a reader without a lock sees one state, never a half.
        self._latest: _Latest = (-1, None, [])
        self._elsewhere: dict[Context, _Latest] = {}

    @property
    def is_computed(self) -> bool:
        """Return whether a parameter's class overrides ``data``, which may compute its array."""
        return self._computed

    def known(self, arguments: Sequence[NDArray], ctx: Context) -> list[NDArray] | None:
        """Return the cached input arrays for a call without locking; None if they are stale.

        Nothing is cached if :attr:`is_computed`, as arrays then differ in each call.

        Args:
            arguments: Arguments of the call.
            ctx: Context of the parameters.
        """
        if self._computed:
            return None
        now, where, arrays = self._latest
        # Identity first: contexts are mostly the same object, and `==` costs a call.
        if where is not ctx:
            now, where, arrays = self._elsewhere.get(ctx, self._latest)
            if where != ctx:
                return None
            self._latest = now, ctx, arrays
        # The version of all parameters: any cast, move or new array in the process ends the cached
        # list.
        if now != presence():
            return None
        buffers = arrays.copy()
        for i, k in self._arguments:
            buffers[i] = arguments[k]
        return buffers

    def of(self, arguments: Sequence[NDArray], ctx: Context) -> list[NDArray]:
        """Return the input arrays for a call, with all parameters read in one consistent state.

        Args:
            arguments: Arguments of the call.
            ctx: Context of the parameters.

        Raises:
            DeferredInitializationError, UninitializedError: A parameter has no values.
        """
        buffers = self.known(arguments, ctx)
        if buffers is None:
            # Under the setup lock nothing is cast or moved, so all arrays are of one state.
            with setup_lock():
                arrays = [
                    None if is_argument else value_of(x, ctx) for is_argument, x in self.order
                ]
                self._elsewhere[ctx] = self._latest = presence(), ctx, arrays
            return [
                arguments[x] if a is None else a
                for a, (_, x) in zip(arrays, self.order, strict=True)
            ]
        return buffers

    @property
    def waiting(self) -> bool:
        """Return whether a parameter has no values yet."""
        return any(not is_argument and x._data is None for is_argument, x in self.order)


def value_of(parameter: Parameter, ctx: Context) -> NDArray:
    """Return a parameter's array on a context, by its ``data`` if a subclass overrides that."""
    if type(parameter).data is Parameter.data:
        return parameter._on(ctx)
    computed: NDArray = parameter.data(ctx)
    return computed
