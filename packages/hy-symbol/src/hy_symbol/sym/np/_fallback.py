"""Functions of ``sym.np`` that numpy computes at run time, as ``Custom`` nodes.

MXNet 1.9.1 has the same nodes, so graphs with them can be exchanged in both directions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as onp

from hy_ndarray import ArgumentError, NDArray, UnsupportedError
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_ndarray.np import random
from hy_symbol.sym._functions import Custom
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = ["multivariate_normal", "resize", "unravel_index"]

Shapes = list[list[int]]


def resize(a: NumpySymbol, new_shape: Any) -> NumpySymbol:
    """Return the elements in a new shape, repeated if it has more; see ``numpy.resize``.

    Not differentiable.

    Args:
        a: ``[*S]``, the elements.
        new_shape: Shape of the result; an integer for one axis.

    Example:
        >>> from hy_ndarray import np
        >>> from hy_symbol import sym
        >>> y = sym.np.resize(sym.var("x").as_np_ndarray(), (2, 2))
        >>> y.eval(x=np.array([1, 2, 3]))[0].asnumpy()
        array([[1., 2.],
               [3., 1.]], dtype=float32)
    """
    return _node("resize_fallback", a, new_shape=_as_shape(new_shape))


def unravel_index(indices: NumpySymbol, shape: Any, order: str = "C") -> NumpySymbol:
    """Convert flat indices to coordinates, one row of the result per axis.

    Args:
        indices: ``[*S]``, integers.
        shape: Shape of the indexed array, with N axes.
        order: Only ``"C"`` is supported.

    Returns:
        ``[N, *S]`` in the dtype of ``indices``.

    Raises:
        UnsupportedError: ``order`` is not ``"C"``.
    """
    if order != "C":
        raise UnsupportedError(f"sym.np.unravel_index: order={order!r}; only 'C' is supported")
    return _node("unravel_index_fallback", indices, shape=_as_shape(shape))


def multivariate_normal(
    mean: NumpySymbol,
    cov: NumpySymbol,
    size: Any = None,
    check_valid: Any = None,
    tol: Any = None,
) -> NumpySymbol:
    """Draw vectors ``[*size, *B, N]`` from multivariate normal distributions; not differentiable.

    Args:
        mean: ``[*B, N]``, the means.
        cov: ``[*B, N, N]``, the covariances, symmetric and positive definite.
        size: Shape of the draws from each distribution; one draw if None.
        check_valid: Must be None.
        tol: Must be None.

    Raises:
        UnsupportedError: ``check_valid`` or ``tol`` is given.
    """
    for name, value in (("check_valid", check_valid), ("tol", tol)):
        if value is not None:
            raise UnsupportedError(
                f"sym.np.random.multivariate_normal: {name}={value!r} is not supported; "
                "leave it out"
            )
    params = {} if size is None else {"size": _as_shape(size)}
    return _node("mvn_fallback", mean, cov, **params)


def _node(kind: str, *inputs: NumpySymbol, **params: Any) -> NumpySymbol:
    symbol: NumpySymbol = Custom(*inputs, op_type=kind, **params).as_np_ndarray()
    return symbol


def _as_shape(size: Any) -> tuple[int, ...]:
    return (int(size),) if isinstance(size, int | onp.integer) else tuple(map(int, size))


def _parse_sizes(text: str) -> list[int]:
    """Parse the sizes in a string such as ``(2, 3)``."""
    # MXNet writes tuples as Python prints them, and lists as well.
    return [int(part) for part in text.strip("()[] ").split(",") if part.strip()]


class Fallback(CustomOp):
    """Custom operator that applies the numpy function of its properties, without a gradient."""

    def __init__(self, kind: "FallbackProp") -> None:
        self._kind = kind

    def forward(
        self,
        is_train: bool,  # noqa: ARG002
        req: Sequence[str],
        in_data: Sequence[NDArray],
        out_data: Sequence[NDArray],
        aux: Sequence[NDArray],  # noqa: ARG002
    ) -> None:
        """Apply the numpy function to the inputs."""
        self.assign(out_data[0], req[0], self._kind.computed(*in_data))

    def backward(self, *_: Any, **__: Any) -> None:
        """Raise an error, as the function has no gradient.

        Raises:
            ArgumentError: Always.
        """
        raise ArgumentError(f"sym.np.{self._kind.label}: it has no gradient; use BlockGrad on it")


class FallbackProp(CustomOpProp):
    """Properties of a custom operator that applies a numpy function."""

    label: str

    def __init__(self, *args: str | None, **sizes: str | None) -> None:
        super().__init__(need_top_grad=True)
        # Each of these operators has one parameter, each by another name.
        self.sizes = _parse_sizes(next(iter((*args, *sizes.values())), None) or "")

    def create_operator(self, *_: Any) -> CustomOp:
        """Return the operator that applies the numpy function."""
        return Fallback(self)

    def computed(self, *inputs: NDArray) -> Any:
        """Return the result of the numpy function."""
        raise NotImplementedError


@register("resize_fallback")
class ResizeProp(FallbackProp):
    """Properties of ``resize``."""

    label = "resize"

    def list_arguments(self) -> list[str]:
        return ["a"]

    def infer_shape(self, in_shape: Shapes) -> tuple[Shapes, Shapes, Shapes]:
        return in_shape, [self.sizes], []

    def computed(self, *inputs: NDArray) -> Any:
        return onp.resize(inputs[0].asnumpy(), tuple(self.sizes))


@register("unravel_index_fallback")
class UnravelIndexProp(FallbackProp):
    """Properties of ``unravel_index``."""

    label = "unravel_index"

    def list_arguments(self) -> list[str]:
        return ["indices"]

    def infer_shape(self, in_shape: Shapes) -> tuple[Shapes, Shapes, Shapes]:
        return in_shape, [[len(self.sizes), *in_shape[0]]], []

    def infer_type(self, in_type: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        return in_type, list(in_type), []

    def computed(self, *inputs: NDArray) -> Any:
        return onp.stack(onp.unravel_index(inputs[0].asnumpy(), tuple(self.sizes)))


@register("mvn_fallback")
class MultivariateNormalProp(FallbackProp):
    """Properties of ``random.multivariate_normal``."""

    label = "random.multivariate_normal"

    def list_arguments(self) -> list[str]:
        return ["mean", "cov"]

    def infer_shape(self, in_shape: Shapes) -> tuple[Shapes, Shapes, Shapes]:
        mean, cov = in_shape
        batch = onp.broadcast_shapes(tuple(mean[:-1]), tuple(cov[:-2]))
        return in_shape, [[*self.sizes, *batch, mean[-1]]], []

    def computed(self, *inputs: NDArray) -> Any:
        mean, cov = (x.as_np_ndarray() for x in inputs)
        return random.multivariate_normal(mean, cov, tuple(self.sizes)).as_nd_ndarray()
