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


@dataclass(frozen=True, eq=False)
class RuleTable:
    """A kernel table whose kernels follow from the records of operators.

    Args:
        name: That of the transform.
        buffer_type: What its arrays have for a buffer.
        memory: What copies and reads these.
        kernel: Gives the kernel of an operator.
    """

    name: str
    buffer_type: type[Any]
    memory: Memory
    kernel: Callable[[Operator], KernelFunction]
    device_types: tuple[str, ...] = ("cpu", "gpu")
    fallback: str | None = None

    def another(self) -> "RuleTable":
        """The same table for another level: arrays of two levels are on two tables."""
        return replace(self)

    def find(self, kernel: str) -> _Rule | None:
        """The rule for an operator, by the name of its kernels."""
        op = _by_kernel().get(kernel)
        return None if op is None else _Rule(kernel, self.kernel(op))

    def count(self, _: str) -> int:
        """One device: the one below."""
        return 1

    def device(self, device_type: str, device_id: int) -> Any:
        """The kind and number of what is below."""
        return device_type, device_id

    def generator(self, _: int, device: Any) -> Any:
        """The level itself: its rules draw from the generators below."""
        return device

    def synchronize(self, _: Any) -> None:
        """Do nothing: reading the arrays below waits for them."""


@cache
def _by_kernel() -> Mapping[str, Operator]:
    return MappingProxyType({op.kernel: op for op in reversed(operators()) if op.kernel})
