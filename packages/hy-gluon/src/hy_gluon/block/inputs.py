"""Inputs: the arrays that a traced graph takes, found once and again when a parameter moved."""

from collections.abc import Sequence
from typing import Any

from hy_gluon.parameter.single import version
from hy_ndarray import Context, NDArray

__all__ = ["Inputs"]


class Inputs:
    """The inputs of a graph, in order.

    Args:
        order: For each of them True and the position of an argument, or False and a parameter.

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
        self._arguments = [(i, x) for i, (is_argument, x) in enumerate(order) if is_argument]
        self._found: tuple[int, Context | None, list[Any]] = (-1, None, [])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_found": (-1, None, [])}  # a copy has parameters of its own

    def of(self, arguments: Sequence[NDArray], ctx: Context) -> list[NDArray]:
        """The arrays for a call.

        Args:
            arguments: Those of the call.
            ctx: Where the parameters are to be.

        Raises:
            DeferredInitializationError, UninitializedError: A parameter is not there.
        """
        known, where, arrays = self._found
        now = version()
        if known != now or where is not ctx:
            arrays = [None if is_argument else x._on(ctx) for is_argument, x in self.order]
            self._found = now, ctx, arrays
        found = arrays.copy()
        for i, k in self._arguments:
            found[i] = arguments[k]
        return found

    @property
    def waiting(self) -> bool:
        """Whether a parameter has no values yet."""
        return any(not is_argument and x._data is None for is_argument, x in self.order)
