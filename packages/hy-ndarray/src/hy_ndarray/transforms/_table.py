"""RuleTable: a transform's rules as a kernel table."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

from hy_ndarray.devices._protocols import Describe, KernelFunction, Memory, Specialize
from hy_ndarray.ops import Operator, operators

__all__ = ["RuleTable"]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A rule as a kernel."""

    name: str
    function: KernelFunction
    out: Literal["none", "apart", "in place"] = "none"
    pointwise: bool = False
    threads: int | None = None
    specialize: Specialize | None = None
    loads: Collection[str] = ()
    algorithm: Describe | None = None
    packing: None = None


@dataclass(frozen=True, eq=False)
class RuleTable:
    """A kernel table whose kernels follow from the records of operators.

    Args:
        name: Name of the transform.
        buffer_type: Class of the buffers of its arrays.
        memory: Copies and reads buffers.
        kernel: Returns the kernel of an operator.
    """

    name: str
    buffer_type: type[Any]
    memory: Memory
    kernel: Callable[[Operator], KernelFunction]
    device_types: tuple[str, ...] = ("cpu", "gpu")
    fallback: str | None = None

    def another(self) -> "RuleTable":
        """Return an equal table for another level."""
        # Dispatch distinguishes nested levels by the identity of their tables.
        return replace(self)

    def find(self, kernel: str) -> _Rule | None:
        """Return the rule for an operator, by the name of its kernels."""
        op = _by_kernel().get(kernel)
        return None if op is None else _Rule(kernel, self.kernel(op))

    def count(self, _: str) -> int:
        """Return 1: there is one device, that below."""
        return 1

    def device(self, device_type: str, device_id: int) -> Any:
        """Return the type and id of the device below."""
        return device_type, device_id

    def generator(self, _: int, device: Any) -> Any:
        """Return the level itself, in place of a generator: rules draw from those below."""
        return device

    def synchronize(self, _: Any) -> None:
        """Do nothing: reading the arrays below waits for them."""


@cache
def _by_kernel() -> Mapping[str, Operator]:
    # Reversed, so that of operators with one kernel the first by name is found.
    return MappingProxyType({op.kernel: op for op in reversed(operators()) if op.kernel})
