"""The level of a call of ``vmap``: which samples there are, and how they draw random numbers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from hy_ndarray._errors import TransformError
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._kernels import Kernels
from hy_ndarray.devices._levels import Level, LiftedError, active_levels
from hy_ndarray.random import before_draws
from hy_ndarray.transforms._calls import Inner, below
from hy_ndarray.transforms._table import RuleTable
from hy_ndarray.transforms.batching.batched import MEMORY, SHARED, Batched
from hy_ndarray.transforms.batching.choosing import batched_kernel

__all__ = ["BatchLevel", "batched_level"]

_TABLE: Final = RuleTable("vmap", Batched, MEMORY, batched_kernel)
_KERNELS: Final = Kernels((_TABLE,))


class BatchLevel(Level):
    """Arrays whose buffers hold those of all samples.

    Args:
        context: Where the arrays are.
        size: Number of samples.
        randomness: ``"error"``, ``"same"`` or ``"different"``.
        depth: How many transforms it is in, itself counted.
    """

    __slots__ = ("outer_draws", "randomness", "size")

    def __init__(self, context: Context, size: int, randomness: str, depth: int) -> None:
        super().__init__(context, _TABLE.another(), _KERNELS, depth)
        self.size = size
        self.randomness = randomness
        self.outer_draws: Callable[[], object] | None = before_draws.get()
        """What is called before draws outside of it."""

    def lift(self, array: Any) -> Batched:
        """A constant."""
        own = array._device
        if isinstance(own, Level) and own.depth >= self.depth:
            raise TransformError(
                "an array of a vmap, or another transform, that has ended is used in another one; "
                "return it from the function that was transformed"
            )
        return Batched(below(array), mapped=False)

    def constant(self, array: Any) -> Inner:
        """The array below, if the level does not follow it."""
        buffer: Batched = array._data
        if buffer.mapped:
            raise TransformError(SHARED)
        return buffer.inner

    def detached(self, buffer: Batched) -> Batched:
        """The same in no graph, of this level or below."""
        return Batched(buffer.inner.detach(), buffer.mapped)

    def shown(self, array: Any) -> str:
        """The values of all samples."""
        buffer: Batched = array._data
        what = f"each of {self.size} samples" if buffer.mapped else "all samples"
        return f"{buffer.inner!r} <{type(array).__name__} {array.shape} of {what}>"

    def wrapped(self, array: Array, inner: Inner, *, mapped: bool) -> Array:
        """An array of this level, of the class of another one."""
        return type(array).from_buffer(Batched(below(inner), mapped), self)


@contextmanager
def batched_level(context: Context, size: int, randomness: str) -> Iterator[BatchLevel]:
    """A scope in which arrays may be those of all samples; draws are made as the level says."""
    outer = active_levels.get()
    level = BatchLevel(context, size, randomness, len(outer) + 1)
    entered = active_levels.set((*outer, level))
    drawing = before_draws.set(partial(_lifted, level))
    try:
        yield level
    finally:
        before_draws.reset(drawing)
        active_levels.reset(entered)


def _lifted(level: BatchLevel) -> None:
    """Let an operator that draws be called again as a rule of the level."""
    raise LiftedError(level)
