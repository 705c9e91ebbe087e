"""Bilinear operators: products that are linear in each of two operands, and their gradients."""

from collections.abc import Collection
from typing import Any

from hy_ndarray.ops.families import with_signature
from hy_ndarray.ops.record.rules import like_result, same_dtype
from hy_ndarray.ops.record.schema import OperatorFunction, Saved, operator
from hy_ndarray.ops.record.types import TensorType

__all__ = ["Bilinear"]


class Bilinear:
    """Gradients of a product that is linear in each of its two operands.

    Those of ``f(a, b)`` are ``f_backward_a(dy, b, a)`` and ``f_backward_b(dy, a, b)``, which use
    only the type of their last operand. They are bilinear themselves: their gradients are the
    product and each other, so that derivatives of any order need no further operators.
    """

    _product: OperatorFunction
    _backward: tuple[OperatorFunction, OperatorFunction]

    def grad(self, saved: Saved, dy: Any) -> tuple[Any, Any]:
        """Return the gradients of both operands of the product."""
        a, b = saved.inputs
        to_a, to_b = self._backward
        params = {name: saved.params[name] for name in to_a.op.params}
        # The gradient of a sparse operand that nobody asked for might not fit into memory.
        return (
            to_a(dy, b, a, **params) if saved.wants(0) else None,
            to_b(dy, a, b, **params) if saved.wants(1) else None,
        )

    def gradients_of(
        self, product: OperatorFunction, kernel: str, *, left_out: Collection[str] = ()
    ) -> tuple[OperatorFunction, OperatorFunction]:
        """Declare the gradients of a product with respect to its first and second operand.

        Args:
            product: The product, declared with the gradient :meth:`grad`.
            kernel: Prefix of the kernels' names, which ``_backward_`` and an operand's name follow.
            left_out: Parameters of the product that its gradients do not have.
        """
        self._product = product
        self._backward = self._declared(kernel, 0, left_out), self._declared(kernel, 1, left_out)
        return self._backward

    def _declared(self, kernel: str, position: int, left_out: Collection[str]) -> OperatorFunction:
        """Declare the gradient with respect to one operand."""
        product, op = self._product, self._product.op
        name, other_name = op.inputs[position], op.inputs[1 - position]

        def ordered(operand: Any, second: Any) -> tuple[Any, Any]:
            return (second, operand) if position else (operand, second)

        def rule(dy: TensorType, other: TensorType, like: TensorType, **params: Any) -> TensorType:
            same_dtype(dy, other, like)
            like_result(dy, product, *ordered(like, other), **params)
            return like

        def grad(saved: Saved, d_operand: Any) -> tuple[Any, Any, None]:
            dy, other, _ = saved.inputs
            return (
                product(*ordered(d_operand, other), **saved.params),
                self._backward[1 - position](dy, d_operand, other, **saved.params),
                None,
            )

        rule.__module__ = op.rule.__module__
        kernel = f"{kernel}_backward_{name}"
        types = with_signature(
            rule,
            kernel,
            f"Return the gradient of ``{op.name}`` with respect to ``{name}``.",
            inputs=("dy", other_name, name),
            params=[param for param in op.params.values() if param.name not in left_out],
        )
        return operator(f"_{kernel}", grad=grad)(types)
