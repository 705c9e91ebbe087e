"""Group, Step: pointwise steps as data, which a table fuses into one kernel."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from hy_kernels.record import Type

__all__ = ["Group", "Step"]


class Step(Protocol):
    """One kernel of a group."""

    @property
    def kernel(self) -> str:
        """Return the name of the kernel."""

    @property
    def operands(self) -> Sequence[int]:
        """Return the numbers of the values that are operands."""

    @property
    def params(self) -> Mapping[str, Any]:
        """Return the parameters."""


class Group(Protocol):
    """Pointwise steps; values are numbered, inputs first, then the result of each step."""

    @property
    def inputs(self) -> int:
        """Return the number of inputs."""

    @property
    def steps(self) -> Sequence[Step]:
        """Return the operations, in the order of computation."""

    @property
    def results(self) -> Sequence[int]:
        """Return the numbers of the values that are results, each the output of a step."""

    @property
    def type(self) -> Type:
        """Return the shape and dtype of every value."""
