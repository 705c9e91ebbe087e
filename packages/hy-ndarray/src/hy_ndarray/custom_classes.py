"""Base classes of user-defined operators in Python."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.array.ndarray import NDArray
from hy_ndarray.devices.context import Context
from hy_ndarray.suggestion import Suggesting

__all__ = ["CustomOp", "CustomOpProp"]

_DENSE = "default"


class CustomOp(Suggesting):
    """Computation of a user-defined operator; subclasses define both methods."""

    def forward(
        self,
        is_train: bool,
        req: Sequence[str],
        in_data: Sequence[NDArray],
        out_data: Sequence[NDArray],
        aux: Sequence[NDArray],
    ) -> None:
        """Compute the outputs and write them to ``out_data``.

        Args:
            is_train: Whether training mode is on.
            req: The write mode of each output; see :meth:`assign`.
            in_data: The inputs.
            out_data: Arrays for the outputs.
            aux: The auxiliary states, which may be changed.
        """
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    def backward(
        self,
        req: Sequence[str],
        out_grad: Sequence[NDArray],
        in_data: Sequence[NDArray],
        out_data: Sequence[NDArray],
        in_grad: Sequence[NDArray],
        aux: Sequence[NDArray],
    ) -> None:
        """Compute the gradients of the inputs and write them to ``in_grad``.

        Args:
            req: The write mode of each gradient; see :meth:`assign`.
            out_grad: Gradients of the outputs.
            in_data: The inputs.
            out_data: The outputs.
            in_grad: Arrays for the gradients of the inputs, initially zeros.
            aux: The auxiliary states, which may be changed.
        """
        raise NotImplementedError(f"{type(self).__name__} must define backward")

    def assign(self, dst: NDArray, req: str, src: Any) -> None:
        """Write or add ``src`` to ``dst`` according to the write mode ``req``."""
        if req in ("write", "inplace"):
            dst[...] = src
        elif req == "add":
            dst[...] = dst + src


Shapes = Sequence[Sequence[int]]


class CustomOpProp(Suggesting):
    """Description of a user-defined operator: inputs, outputs, states, and type inference.

    Subclasses are registered with :func:`register`, take the parameters of a call as strings, and
    override the methods in which they differ from an operator of one input and one output of the
    same type.

    Args:
        need_top_grad: Whether backward needs the gradients of the outputs; False for losses.
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the auxiliary states, which are updated without gradients."""
        return []

    def infer_shape(self, in_shape: list[list[int]]) -> tuple[Shapes, ...]:
        """Return the shapes of inputs, outputs and, if there are any, states.

        Args:
            in_shape: Shapes of the inputs; ``[]`` and sizes of 0 are unknown.
        """
        return in_shape, [in_shape[0]] * len(self.list_outputs()), []

    def infer_type(self, in_type: list[Any]) -> tuple[Sequence[Any], ...]:
        """Return the dtypes of inputs, outputs and, if there are any, states.

        Args:
            in_type: NumPy types of the inputs; None is unknown.
        """
        first = next((t for t in in_type if t is not None), None)
        inputs = [first if t is None else t for t in in_type]
        outputs, states = self.list_outputs(), self.list_auxiliary_states()
        return inputs, [inputs[0]] * len(outputs), [inputs[0]] * len(states)

    def create_operator(
        self, ctx: Context, in_shapes: list[list[int]], in_dtypes: list[Any]
    ) -> CustomOp:
        """Return the :class:`CustomOp` that computes the operator.

        Args:
            ctx: The context of the arrays.
            in_shapes: Shapes of inputs and states.
            in_dtypes: NumPy types of inputs and states.
        """
        raise NotImplementedError(f"{type(self).__name__} must define create_operator")

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the arrays that backward needs; hy ignores the answer and keeps all."""
        return [*(out_grad if self.need_top_grad_ else ()), *in_data, *out_data]

    def infer_storage_type(self, in_stype: list[str]) -> tuple[list[str], list[str], list[str]]:
        """Return the storage types of inputs, outputs and states: all dense.

        Args:
            in_stype: Storage types of the inputs.

        Raises:
            ArgumentError: An input is sparse.
        """
        for i, stype in enumerate(in_stype):
            if stype != _DENSE:
                raise ArgumentError(
                    f"{type(self).__name__}: input {i} has storage type {stype!r}; the default "
                    "implementation allows dense inputs only: define infer_storage_type and "
                    "infer_storage_type_backward"
                )
        outputs, states = self.list_outputs(), self.list_auxiliary_states()
        return in_stype, [_DENSE] * len(outputs), [_DENSE] * len(states)

    def infer_storage_type_backward(
        self,
        ograd_stype: list[str],
        in_stype: list[str],
        out_stype: list[str],
        igrad_stype: list[str],
        aux_stype: list[str],
    ) -> tuple[list[str], ...]:
        """Return the storage types of the gradient's operands: all dense."""
        groups = (ograd_stype, in_stype, out_stype, igrad_stype, aux_stype)
        return tuple([_DENSE] * len(group) for group in groups)
