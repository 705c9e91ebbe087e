"""BatchedCall, and the registry of batching rules."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from hy_ndarray.core._checks import type_of
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops import Operator, TensorType
from hy_ndarray.transforms._calls import Inner, outputs_of, registering, repeated, reshaped

__all__ = ["RULES", "BatchedCall", "Rule", "rule"]


class BatchedCall:
    """Call of an operator in ``vmap`` of which some operands differ between samples.

    Args:
        op: The operator.
        inputs: The arrays of the level below; None for omitted inputs.
        mapped: For each input, whether its first axis is the sample axis.
        params: The parameters of the call for one sample.
        size: Number of samples.
        is_train: Training mode, if the operator needs it.
    """

    __slots__ = ("_types", "inputs", "is_train", "mapped", "op", "params", "size")

    def __init__(
        self,
        op: Operator,
        inputs: Sequence[Inner | None],
        mapped: Sequence[bool],
        params: Params,
        size: int,
        is_train: bool | None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.mapped = mapped
        self.params = params
        self.size = size
        self.is_train = is_train
        self._types: tuple[TensorType, ...] | None = None

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """Return an input's shape in one sample; ``()`` for an omitted input."""
        x = self.inputs[index]
        return () if x is None else x.shape[1:] if self.mapped[index] else x.shape

    def rank(self, index: int = 0) -> int:
        """Return an input's number of axes in one sample; 0 for an omitted input."""
        x = self.inputs[index]
        return 0 if x is None else x.ndim - self.mapped[index]

    def full(self, index: int) -> Inner | None:
        """Return an input with the sample axis, broadcast along it if samples share the input."""
        x = self.inputs[index]
        if x is None or self.mapped[index]:
            return x
        return repeated(x, self.size)

    def all_full(self) -> list[Inner | None]:
        """Return all inputs with the sample axis; see :meth:`full`."""
        return [self.full(i) for i in range(len(self.inputs))]

    def run(self, inputs: Sequence[Inner | None], **params: Any) -> tuple[Inner, ...]:
        """Run the operator on other inputs, with ``params`` replaced; return all results."""
        supplied = {**self.params, **params} if params else self.params
        return outputs_of(self.op, inputs, supplied, self.is_train)

    @property
    def types(self) -> tuple[TensorType, ...]:
        """Return the types of the outputs for one sample."""
        # Inferred lazily: most rules do not need them.
        if self._types is None:
            supplied: list[TensorType | None] = []
            for i, x in enumerate(self.inputs):
                if x is None:
                    supplied.append(None)
                else:
                    supplied.append(TensorType(self.shape(i), type_of(x).dtype))
            self._types = self.op.infer(supplied, self.params)
        return self._types

    def shaped(self, results: Sequence[Inner]) -> tuple[Inner, ...]:
        """Return results reshaped to the sample axis followed by the inferred output shapes."""
        result = [
            x if t.sizes is None else reshaped(x, (self.size, *t.sizes))
            for x, t in zip(results, self.types, strict=False)
        ]
        return (*result, *results[len(result) :])


Rule: TypeAlias = Callable[[BatchedCall], Sequence[Inner] | None]
"""Function that returns all results, with leading sample axes; None if it does not apply."""

RULES: dict[str, Rule] = {}
"""Batching rules by the canonical name of the operator."""


rule = registering(RULES)
"""Decorator ``rule(*names)`` that registers the batching rule of operators."""
