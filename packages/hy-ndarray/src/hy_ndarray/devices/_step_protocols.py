"""Protocols of tables that compile optimizer rules, without implementation."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from hy_ndarray.devices._protocols import Buffer, KernelTable, PointwiseStep


class StepFormula(Protocol):
    """Formula of an optimizer rule; values are numbered as in a :class:`PointwiseGroup`."""

    @property
    def inputs(self) -> int:
        """Number of inputs: weight, gradient and states."""

    @property
    def steps(self) -> Sequence[PointwiseStep]:
        """Steps of the formula; a parameter is a number, or ``constant`` with an index."""

    @property
    def results(self) -> Sequence[int]:
        """Indices of the values that become the new weight and states; may be inputs."""

    @property
    def constants(self) -> Callable[..., tuple[Any, ...]]:
        """Function from the rule's hyperparameters (numbers or buffers) to the constants."""

    @property
    def is_pointwise(self) -> bool:
        """Return whether all steps are pointwise kernels."""


class StepRule(Protocol):
    """Rule by which an optimizer updates a weight and its states."""

    @property
    def name(self) -> str:
        """Name of the rule's operator for a single weight."""

    @property
    def arrays(self) -> Sequence[str]:
        """Names of the weight, the gradient and the states."""

    @property
    def numbers(self) -> Sequence[str]:
        """Names of the rule's hyperparameters, such as ``lr``."""

    @property
    def guard(self) -> str:
        """Name of the hyperparameter that disables the step if 0 or not finite; empty for none."""

    @property
    def phases(self) -> Sequence["StepRule"]:
        """Rules of the phases that the rule consists of, if any."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> StepFormula:
        """Return the formula for these hyperparameters, without the terms of absent ones.

        Args:
            numbers: Python numbers, or buffers without axes.
            narrow: Whether the 16-bit copy of the weight is the last input.
        """


class Step(Protocol):
    """Optimizer step that a table compiled from a rule."""

    @property
    def loads(self) -> bool:
        """Return whether hyperparameters may be scalar buffers."""

    def __call__(
        self, rows: Sequence[tuple[Buffer, ...]], numbers: Sequence[tuple[Any, ...]]
    ) -> None:
        """Update contiguous weights and states in place.

        Args:
            rows: For each weight: the weight, its gradient and its states, all of one shape; then,
                if there is one, the 16-bit weight that receives a copy of the new weight.
            numbers: The hyperparameters of each weight, in the order of the rule.
        """


class SteppingTable(KernelTable, Protocol):
    """Table that compiles whole optimizer steps."""

    def step(self, rule: StepRule) -> Step | None:
        """Return the compiled step of a rule; None to run the rule operator by operator."""
