"""BatchLevel: the level of a call of ``vmap``, with its number of samples and draws."""

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
    """A device of arrays whose buffers hold all samples.

    Args:
        context: The context of the arrays below.
        size: Number of samples.
        randomness: ``"error"``, ``"same"`` or ``"different"``.
        depth: The number of nested transforms, with itself.
    """

    __slots__ = ("outer_draws", "randomness", "size")

    def __init__(self, context: Context, size: int, randomness: str, depth: int) -> None:
        super().__init__(context, TABLE.another(), _KERNELS, depth)
        self.size = size
        self.randomness = randomness
        self.outer_draws: Callable[[], object] | None = before_draws.get()
        """The hook before draws of the scope outside."""

    def lift(self, array: Any) -> Batched:
        """Return an array from below as a buffer that all samples share."""
        own = array._device
        if isinstance(own, Level) and own.depth >= self.depth:
            raise TransformError(
                "an array of a vmap, or another transform, that has ended is used in another one; "
                "return it from the function that was transformed"
            )
        return Batched(below(array), mapped=False)

    def constant(self, array: Any) -> Inner:
        """Return the array below, if all samples share it."""
        buffer: Batched = array._data
        if buffer.mapped:
            raise TransformError(SHARED)
        return buffer.inner

    def detached(self, buffer: Batched) -> Batched:
        """Return the buffer detached from tapes, of this level and below."""
        return Batched(buffer.inner.detach(), buffer.mapped)

    def shown(self, array: Any) -> str:
        """Return the text form, with the values of all samples."""
        buffer: Batched = array._data
        what = f"each of {self.size} samples" if buffer.mapped else "all samples"
        return f"{buffer.inner!r} <{type(array).__name__} {array.shape} of {what}>"

    def wrapped(self, array: Array, inner: Inner, *, mapped: bool) -> Array:
        """Return ``inner`` as an array of this level, of the class of ``array``."""
        return type(array).from_buffer(Batched(below(inner), mapped), self)


@contextmanager
def batched_level(context: Context, size: int, randomness: str) -> Iterator[BatchLevel]:
    """Enter a scope in which arrays may be batched; yield its level."""
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
    """Raise the error on which dispatch calls an operator with random numbers again, per sample."""
    raise LiftedError(level)
