"""Adjoints: gradients that are an operator of ``dy``, which is linear in it.

:class:`Linear` and :class:`Bilinear` declare that operator too, for operators that are linear in an
operand. It uses only the type of the operand that it differentiates with respect to, and is linear
itself: its gradient is the operator again, so that derivatives of any order need no further
operators.
"""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

from hy_ndarray.ops.families import with_signature
from hy_ndarray.ops.record.rules import like_result, same_dtype
from hy_ndarray.ops.record.schema import Gradient, OperatorFunction, Saved, find, operator
from hy_ndarray.ops.record.types import TensorType

__all__ = ["Bilinear", "Linear", "gradient_by", "no_gradient", "same_gradient"]


def gradient_by(name: str, *positions: int) -> Gradient:
    """Return the gradient of the first input as an operator of ``dy``; other inputs have none.

    Args:
        name: Name of that operator, which may be declared later, with the same parameters.
        positions: Positions of the inputs that it takes after ``dy``.
    """

    def grad(saved: Saved, dy: Any) -> Sequence[Any]:
        inputs = saved.inputs
        to_first = _named(name)(dy, *[inputs[i] for i in positions], **saved.params)
        return (to_first, *[None] * (len(inputs) - 1))

    return grad


def no_gradient(saved: Saved, *dys: Any) -> Sequence[None]:
    """Return the gradients of inputs on which the results do not depend, or only in steps."""
    return (None,) * len(saved.inputs)


def same_gradient(saved: Saved, dy: Any) -> Sequence[Any]:
    """Return ``dy`` as the gradient of the first input; other inputs have none."""
    return (dy, *[None] * (len(saved.inputs) - 1))


@cache
def _named(name: str) -> OperatorFunction:
    return OperatorFunction(find(name))


class Linear:
    """Gradient of an operator ``f(x)`` that is linear in its operand: ``f_backward(dy, x)``."""

    _backward: OperatorFunction

    def grad(self, saved: Saved, dy: Any) -> tuple[Any]:
        """Return the gradient of the operand; the operator is declared with this method."""
        params = {name: saved.params[name] for name in self._backward.op.params}
        return (self._backward(dy, saved.inputs[0], **params),)

    def gradient_of(
        self,
        function: OperatorFunction,
        kernel: str,
        name: str = "",
        *,
        left_out: Collection[str] = (),
    ) -> OperatorFunction:
        """Declare the gradient of an operator.

        Args:
            function: The operator.
            kernel: Name of the gradient's kernel.
            name: Name of the gradient; if empty, that of the kernel after an underscore.
            left_out: Parameters of the operator that its gradient does not have.
        """

        def rule(dy: TensorType, like: TensorType, **params: Any) -> TensorType:
            like_result(dy, function, like, **params)
            return like.with_dtype(dy.dtype)

        def grad(saved: Saved, dx: Any) -> tuple[Any, None]:
            return function(dx, **saved.params), None

        inputs = ("dy", *function.op.inputs)
        self._backward = _declared(function, kernel, name, inputs, left_out, rule, grad)
        return self._backward


class Bilinear:
    """Gradients of a product ``f(a, b)`` that is linear in each of its two operands.

    They are ``f_backward_a(dy, b, a)`` and ``f_backward_b(dy, a, b)``.
    """

    _product: OperatorFunction
    _backward: tuple[OperatorFunction, OperatorFunction]

    def grad(self, saved: Saved, dy: Any) -> tuple[Any, Any]:
        """Return the gradients of both operands; the product is declared with this method."""
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
            product: The product.
            kernel: Prefix of the kernels' names, which ``_backward_`` and an operand's name follow.
            left_out: Parameters of the product that its gradients do not have.
        """
        self._product = product
        self._backward = self._one(kernel, 0, left_out), self._one(kernel, 1, left_out)
        return self._backward

    def _one(self, kernel: str, position: int, left_out: Collection[str]) -> OperatorFunction:
        """Declare the gradient with respect to one operand."""
        product, op = self._product, self._product.op
        name, other_name = op.inputs[position], op.inputs[1 - position]

        def ordered(operand: Any, other: Any) -> tuple[Any, Any]:
            return (other, operand) if position else (operand, other)

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

        inputs = ("dy", other_name, name)
        kernel = f"{kernel}_backward_{name}"
        return _declared(product, kernel, "", inputs, left_out, rule, grad)


def _declared(
    function: OperatorFunction,
    kernel: str,
    name: str,
    inputs: Sequence[str],
    left_out: Collection[str],
    rule: Callable[..., TensorType],
    grad: Gradient,
) -> OperatorFunction:
    """Declare a gradient of ``function``, in its module and with its parameters."""
    text = f"Return the gradient of ``{function.op.name}`` with respect to ``{inputs[-1]}``."
    params = [param for param in function.op.params.values() if param.name not in left_out]
    rule.__module__ = function.op.rule.__module__
    types = with_signature(rule, kernel, text, inputs=inputs, params=params)
    return operator(name or f"_{kernel}", grad=grad)(types)
