"""RuleTable: the rules of a transform as a kernel table."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from hy_ndarray.devices._protocols import Describe, KernelFunction, Memory, Specialize
from hy_ndarray.ops import Operator, operators


@dataclass(frozen=True, slots=True)
class _Rule:
    """Kernel record of a transform's rule."""

    name: str
    function: KernelFunction
    out: Literal["none", "apart", "first", "in place"] = "none"
    pointwise: bool = False
    threads: int | None = None
    specialize: Specialize | None = None
    loads: Collection[str] = ()
    algorithm: Describe | None = None
    packing: None = None


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Kernel table of a transform, whose kernels are created from operators.

    Args:
        name: Name of the transform.
        buffer_type: Class of the buffers of the level's arrays.
        memory: The memory interface of these buffers.
        kernel: Function that returns the kernel for an operator.
    """

    name: str
    buffer_type: type[Any]
    memory: Memory
    kernel: Callable[[Operator], KernelFunction]
    device_types: tuple[str, ...] = ("cpu", "gpu")
    fallback: str | None = None

    def another(self) -> "RuleTable":
        """Return a copy of the table for another level."""
        # Dispatch distinguishes nested levels by the identity of their tables.
        return replace(self)

    def find(self, kernel: str) -> _Rule | None:
        """Return the kernel ``kernel``, created from the operator that uses it; None if unknown."""
        op = _by_kernel().get(kernel)
        return None if op is None else _Rule(kernel, self.kernel(op))

    def count(self, _: str) -> int:
        """Return 1: a level has one device."""
        return 1

    def device(self, device_type: str, device_id: int) -> Any:
        """Return the device type and number, those of the device of the level below."""
        return device_type, device_id

    def generator(self, _: int, device: Any) -> Any:
        """Return the level in place of a random generator; rules draw on the level below."""
        return device

    def synchronize(self, _: Any) -> None:
        """Do nothing: reading the arrays of the level below waits for them."""


@cache
def _by_kernel() -> Mapping[str, Operator]:
    # Reversed, so that among operators with the same kernel the first by name wins.
    return MappingProxyType({op.kernel: op for op in reversed(operators()) if op.kernel})
