"""Levels: devices of function transforms, whose kernels are rules and whose buffers are arrays."""

from contextvars import ContextVar
from typing import Any, NoReturn

from hy_ndarray._errors import HyError, TransformError
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._device import Device, Unplanned
from hy_ndarray.devices._kernels import Calls, Kernels, StaleTableError
from hy_ndarray.devices._protocols import Buffer, KernelTable, Memory
from hy_ndarray.devices._watch import watch_of

active_levels: ContextVar[tuple["Level", ...]] = ContextVar("levels", default=())
"""The levels of the transforms that are active in this thread, innermost last."""


class LiftedError(StaleTableError, HyError):
    """Raised to repeat a call on a transform's level, operator by operator.

    Args:
        level: The level to repeat the call on.
    """

    def __init__(self, level: "Level") -> None:
        super().__init__(level)
        self.level = level

    def __str__(self) -> str:
        return (
            "an array or a random draw inside vmap or jvp reached a compiled graph, which "
            "transforms cannot see into; call operators or blocks in the transformed function"
        )


class _Calls(Calls):
    """Kernels of a level, which serves all threads."""

    def __init__(self, kernels: Kernels, context: Context) -> None:
        super().__init__(kernels, context, lambda _: self)  # type: ignore[arg-type,return-value]

    def serve(self) -> bool:
        # Selections of tables do not apply to levels: only their own arrays lead to them.
        return True


class Level(Device):
    """Level of an active transform: a device whose buffers hold arrays of the level below.

    Arrays on a level are ordinary arrays: calls look up the level's kernels as on any device, and
    the tape records them. The kernels are the transform's rules, which call operators on the
    arrays that the buffers hold. Operands of several levels are lifted to the highest one.

    Args:
        context: The context of the arrays on the level below.
        table: The rules, as a kernel table.
        kernels: The kernels of the table; all levels of a transform may share them.
        depth: The number of nested transforms, including this one.
    """

    __slots__ = ("depth",)

    def __init__(self, context: Context, table: KernelTable, kernels: Kernels, depth: int) -> None:
        # Device.__init__ is left out: a level opens no device of a table, and observers see the
        # kernels that its rules call.
        self.context = context
        self._serving = _not_copied
        self.table = table
        self.memory: Memory = table.memory
        # Left to the devices of the arrays below, on which the rules call operators.
        self.pins = self.fuses = self.captures = self.lowers = self._threaded = None
        self.handle = self
        self.kernels = kernels
        self.calls = _Calls(kernels, context)
        self.limits = Unplanned()
        self.buffer_type = table.buffer_type
        self.stream: Any = self
        self.stale = False
        self._watch = watch_of(context)
        self.depth = depth

    def lift(self, array: Any) -> Buffer:
        """Return a buffer of this level that holds an array of a lower level as a constant."""
        raise NotImplementedError

    def settled(self, array: Any, target: Any) -> Any:
        """Return an array that can be written into ``target``: on the level of ``target`` or lower.

        Raises:
            TransformError: The array depends on the transform, and ``target`` is on a lower level.
        """
        device = target._device
        if isinstance(device, Level) and device.depth >= self.depth:
            return array
        result = self.constant(array)
        own = result._device
        return own.settled(result, target) if isinstance(own, Level) else result

    def constant(self, array: Any) -> Any:
        """Return the array that ``array`` wraps, on the level below, if it is a constant here.

        Raises:
            TransformError: The array depends on the transform.
        """
        raise NotImplementedError

    def share(self, buffer: Buffer) -> None:  # noqa: ARG002  # no buffer is shared
        """Refuse to share memory with another library.

        Raises:
            TransformError: Always.
        """
        raise TransformError(
            "an array inside vmap or jvp cannot be passed to another library; do so outside of "
            "the transformed function"
        )

    def detached(self, buffer: Buffer) -> Buffer:
        """Return the same memory, outside of all recorded graphs."""
        raise NotImplementedError

    def shown(self, array: Any) -> str:
        """Return the text form of an array of this level."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.depth} over {self.context}>"


def _not_copied(context: Context) -> NoReturn:
    raise TypeError(
        f"an array inside a transform cannot be copied from {context} to another device"
    )


def highest(operands: Any) -> Level | None:
    """Return the highest level among the operands; None if no operand is on a level."""
    result: Level | None = None
    for x in operands:
        device = getattr(x, "_device", None)
        if isinstance(device, Level) and (result is None or device.depth > result.depth):
            result = device
    return result
