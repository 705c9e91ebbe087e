"""Custom operators that numpy computes at run time, for functions of ``sym.np``."""

from collections.abc import Sequence
from typing import Any

import numpy as onp

from hy_ndarray import ArgumentError, NDArray
from hy_ndarray.custom import CustomOp, CustomOpProp, register
from hy_ndarray.np import random

__all__ = [
    "Fallback",
    "FallbackProp",
    "MultivariateNormalProp",
    "ResizeProp",
    "UnravelIndexProp",
]

Shapes = list[list[int]]


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
        self.assign(out_data[0], req[0], self._kind._hy_computed(*in_data))

    def backward(self, *_: Any, **__: Any) -> None:
        """Raise an error, as the function has no gradient.

        Raises:
            ArgumentError: Always.
        """
        raise ArgumentError(
            f"sym.np.{self._kind._hy_label}: it has no gradient; use BlockGrad on it"
        )


class FallbackProp(CustomOpProp):
    """Properties of a custom operator that applies a numpy function."""

    _hy_label: str
    _hy_inputs: tuple[str, ...]

    def __init__(self, *args: str | None, **sizes: str | None) -> None:
        super().__init__(need_top_grad=True)
        # Each of these operators has one parameter, each by another name.
        self.sizes = _parse_sizes(next(iter((*args, *sizes.values())), None) or "")

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return list(self._hy_inputs)

    def create_operator(self, *_: Any) -> CustomOp:
        """Return the operator that applies the numpy function."""
        return Fallback(self)

    def _hy_computed(self, *inputs: NDArray) -> Any:
        """Return the result of the numpy function."""
        raise NotImplementedError


@register("resize_fallback")
class ResizeProp(FallbackProp):
    """Properties of ``resize``."""

    _hy_label = "resize"
    _hy_inputs: tuple[str, ...] = ("a",)

    def infer_shape(self, in_shape: Shapes) -> Any:
        """Return the shapes of inputs, output and states."""
        return (in_shape[0],), (tuple(self.sizes),), ()

    def _hy_computed(self, *inputs: NDArray) -> Any:
        return onp.resize(inputs[0].asnumpy(), tuple(self.sizes))


@register("unravel_index_fallback")
class UnravelIndexProp(FallbackProp):
    """Properties of ``unravel_index``."""

    _hy_label = "unravel_index"
    _hy_inputs: tuple[str, ...] = ("indices",)

    def infer_shape(self, in_shape: Shapes) -> Any:
        """Return the shapes of inputs, output and states."""
        return (in_shape[0],), ((len(self.sizes), *in_shape[0]),), ()

    def infer_type(self, in_type: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
        """Return the dtypes of input, output and states."""
        return in_type, list(in_type), []

    def _hy_computed(self, *inputs: NDArray) -> Any:
        return onp.stack(onp.unravel_index(inputs[0].asnumpy(), tuple(self.sizes)))


@register("mvn_fallback")
class MultivariateNormalProp(FallbackProp):
    """Properties of ``random.multivariate_normal``."""

    _hy_label = "random.multivariate_normal"
    _hy_inputs: tuple[str, ...] = ("mean", "cov")

    def infer_shape(self, in_shape: Shapes) -> Any:
        """Return the shapes of inputs, output and states."""
        mean, cov = in_shape
        batch = onp.broadcast_shapes(tuple(mean[:-1]), tuple(cov[:-2]))
        return in_shape, ((*self.sizes, *batch, mean[-1]),), ()

    def _hy_computed(self, *inputs: NDArray) -> Any:
        mean, cov = (x.as_np_ndarray() for x in inputs)
        return random.multivariate_normal(mean, cov, tuple(self.sizes)).as_nd_ndarray()
