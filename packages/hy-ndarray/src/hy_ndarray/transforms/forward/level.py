"""DualLevel: the level of a call of ``jvp``."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from hy_ndarray._errors import TransformError
from hy_ndarray.core._array import Array
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._kernels import Kernels
from hy_ndarray.devices._levels import Level, active_levels
from hy_ndarray.transforms._calls import Inner, below
from hy_ndarray.transforms._table import RuleTable
from hy_ndarray.transforms.forward.choosing import dual_kernel
from hy_ndarray.transforms.forward.dual import MEMORY, WRITES, Dual

__all__ = ["DualLevel", "dual_level"]

_TABLE: Final = RuleTable("jvp", Dual, MEMORY, dual_kernel)
_KERNELS: Final = Kernels((_TABLE,))


class DualLevel(Level):
    """Level of a call of ``jvp``: a device whose buffers hold values with tangents."""

    __slots__ = ()

    def __init__(self, context: Context, depth: int) -> None:
        super().__init__(context, _TABLE.another(), _KERNELS, depth)

    def lift(self, array: Any) -> Dual:
        """Return a buffer on this level for an array of a lower level, with tangent zero."""
        own = array._device
        if isinstance(own, Level) and own.depth >= self.depth:
            raise TransformError(
                "an array escaped from a jvp or another transform that has ended; return it from "
                "the transformed function instead"
            )
        return Dual(below(array), None)

    def constant(self, array: Any) -> Inner:
        """Return the array of the level below; raise an error if its tangent is not zero."""
        buffer: Dual = array._data
        if buffer.tangent is not None:
            raise TransformError(WRITES)
        return buffer.primal

    def detached(self, buffer: Dual) -> Dual:
        """Return the buffer without tangent, detached from the tapes of lower levels."""
        return Dual(buffer.primal.detach(), None)

    def shown(self, array: Any) -> str:
        """Return the text form of an array, with value and tangent."""
        buffer: Dual = array._data
        return f"{buffer.primal!r} <with tangent {buffer.tangent!r}>"

    def wrapped(self, array: Array, tangent: Inner | None) -> Array:
        """Return an array on this level with the given value and tangent (None: zero)."""
        derivative = None if tangent is None else below(tangent)
        return type(array).from_buffer(Dual(below(array), derivative), self)


@contextmanager
def dual_level(context: Context) -> Iterator[DualLevel]:
    """Enter the scope of a call of ``jvp``; yield its level."""
    outer = active_levels.get()
    token = active_levels.set((*outer, level := DualLevel(context, len(outer) + 1)))
    try:
        yield level
    finally:
        active_levels.reset(token)
