"""Group, Step: the interface of pointwise steps that a table fuses into one kernel."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hy_kernels.record import Type

__all__ = ["Group", "Step"]


class Step(Protocol):
    """One kernel call of a group."""

    @property
    def kernel(self) -> str:
        """Return the name of the kernel."""

    @property
    def operands(self) -> Sequence[int]:
        """Return the indices of the operands among the group's values."""

    @property
    def params(self) -> Mapping[str, Any]:
        """Return the kernel's parameters."""


class Group(Protocol):
    """A group of pointwise steps; values are indexed: inputs first, then each step's result."""

    @property
    def inputs(self) -> int:
        """Return the number of inputs."""

    @property
    def steps(self) -> Sequence[Step]:
        """Return the steps in the order of computation."""

    @property
    def results(self) -> Sequence[int]:
        """Return the indices of the values that the group returns, each the result of a step."""

    @property
    def type(self) -> Type:
        """Return the shape and dtype that all values have."""
