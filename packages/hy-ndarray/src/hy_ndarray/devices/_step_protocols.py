"""Protocols of tables that step weights by the rule of an optimizer. No implementation."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hy_ndarray.devices._protocols import Buffer, KernelTable, PointwiseStep

__all__ = ["Step", "StepFormula", "StepRule", "SteppingTable"]


class StepFormula(Protocol):
    """Computation of an optimizer's rule; values are numbered as in a :class:`PointwiseGroup`."""

    @property
    def inputs(self) -> int:
        """Number of inputs: weight, gradient and states."""

    @property
    def steps(self) -> Sequence[PointwiseStep]:
        """Steps of the rule; parameters are numbers, or ``constant`` with an index."""

    @property
    def results(self) -> Sequence[int]:
        """Indices of the new weight and states, which may be inputs."""

    @property
    def constants(self) -> Callable[..., tuple[Any, ...]]:
        """Function from the rule's numbers, or buffers of them, to the constants."""

    @property
    def is_pointwise(self) -> bool:
        """Return whether all steps are pointwise kernels."""


class StepRule(Protocol):
    """Rule by which an optimizer updates a weight and its states."""

    @property
    def name(self) -> str:
        """Name of the rule's operator on one weight."""

    @property
    def arrays(self) -> Sequence[str]:
        """Names of weight, gradient and states."""

    @property
    def numbers(self) -> Sequence[str]:
        """Names of the rule's numbers."""

    @property
    def guard(self) -> str:
        """Name of the number that disables the step if 0 or not finite; empty if there is none."""

    @property
    def phases(self) -> Sequence["StepRule"]:
        """Rules of the phases that it consists of, if any."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> StepFormula:
        """Return the formula for these numbers, without terms of absent ones.

        Args:
            numbers: Python's, or buffers without axes.
            narrow: Whether the weight of 16 bits is among the inputs, as the last.
        """


class Step(Protocol):
    """Step that a table compiled from a rule."""

    @property
    def loads(self) -> bool:
        """Return whether numbers may be scalar buffers."""

    def __call__(
        self, rows: Sequence[tuple[Buffer, ...]], numbers: Sequence[tuple[Any, ...]]
    ) -> None:
        """Overwrite contiguous weights and states with their values after the step.

        Args:
            rows: Of each weight itself, its gradient, and its states, all of one shape; after
                them, if there is one, the weight of 16 bits that gets the new weight, too.
            numbers: Of each weight, in the order of the rule.
        """


class SteppingTable(KernelTable, Protocol):
    """Table that steps weights by a whole rule instead of separate operators."""

    def step(self, rule: StepRule) -> Step | None:
        """Return the compiled step of a rule; None to run its operators in turn."""
