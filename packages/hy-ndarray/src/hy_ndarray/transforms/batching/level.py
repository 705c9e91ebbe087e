"""BatchLevel: the level of a call of ``vmap``, with its number of samples and randomness."""

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
from hy_ndarray.transforms.batching.batched import SHARED, Batched
from hy_ndarray.transforms.batching.choosing import TABLE

__all__ = ["BatchLevel", "batched_level"]

_KERNELS: Final = Kernels((TABLE,))


class BatchLevel(Level):
    """Level of a call of ``vmap``: a device whose buffers hold the arrays of all samples.

    Args:
        context: The context of the arrays on the level below.
        size: Number of samples.
        randomness: ``"error"``, ``"same"`` or ``"different"``.
        depth: The number of nested transforms, including this one.
    """

    __slots__ = ("outer_draws", "randomness", "size")

    def __init__(self, context: Context, size: int, randomness: str, depth: int) -> None:
        super().__init__(context, TABLE.another(), _KERNELS, depth)
        self.size = size
        self.randomness = randomness
        self.outer_draws: Callable[[], object] | None = before_draws.get()
        """The hook that the scope outside of this level calls before random draws."""

    def lift(self, array: Any) -> Batched:
        """Return a buffer on this level for an array of a lower level, shared by all samples."""
        own = array._device
        if isinstance(own, Level) and own.depth >= self.depth:
            raise TransformError(
                "an array escaped from a vmap or another transform that has ended; return it from "
                "the transformed function instead"
            )
        return Batched(below(array), mapped=False)

    def constant(self, array: Any) -> Inner:
        """Return the array of the level below; raise an error if it differs between samples."""
        buffer: Batched = array._data
        if buffer.mapped:
            raise TransformError(SHARED)
        return buffer.inner

    def detached(self, buffer: Batched) -> Batched:
        """Return the buffer detached from the tapes of this and of lower levels."""
        return Batched(buffer.inner.detach(), buffer.mapped)

    def shown(self, array: Any) -> str:
        """Return the text form of an array, with the values of all samples."""
        buffer: Batched = array._data
        what = f"each of {self.size} samples" if buffer.mapped else "all samples"
        return f"{buffer.inner!r} <{type(array).__name__} {array.shape} of {what}>"

    def wrapped(self, array: Array, inner: Inner, *, mapped: bool) -> Array:
        """Return ``inner`` as an array on this level, in the class of ``array``."""
        return type(array).from_buffer(Batched(below(inner), mapped), self)


@contextmanager
def batched_level(context: Context, size: int, randomness: str) -> Iterator[BatchLevel]:
    """Enter the scope of a call of ``vmap``; yield its level."""
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
    """Raise the error that makes dispatch repeat a random operator on the level."""
    raise LiftedError(level)
