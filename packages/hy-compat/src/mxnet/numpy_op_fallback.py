"""Custom operators for functions that MXNet's ``mx.np`` computes by numpy.

hy's ``mx.np`` has native functions; these operators are for graphs that name them. hy_symbol
registers all the names except ``empty_like_fallback``.
"""

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_ndarray import nd
from mxnet import operator
from mxnet._private.values import _STR_2_DTYPE_

__all__ = [
    "EmptyLike",
    "EmptyLikeProp",
    "MultivariateNormal",
    "MultivariateNormalProp",
    "Resize",
    "ResizeProp",
    "Unravel_index",
    "Unravel_indexProp",
    "register",
]

_Props = type[operator.CustomOpProp]


def register(
    op_name: str, imperative: bool = True, symbolic: bool = True
) -> Callable[[_Props], _Props]:
    """Return a decorator that registers a custom operator's property class.

    Args:
        op_name: Name of the operator: ``mx.nd.Custom(…, op_type=op_name)``.
        imperative: Has no effect: the operator works on arrays.
        symbolic: Has no effect: the operator works in graphs.
    """
    del imperative, symbolic
    return operator.register(op_name)


class _OnHost(operator.CustomOp):
    """Base class of custom operators computed by numpy, without gradients."""

    def _result(self, inputs: list[Any]) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _result")

    def forward(
        self,
        is_train: bool,
        req: Any,
        in_data: Any,
        out_data: Any,
        aux: Any,
    ) -> None:
        """Compute the output by numpy."""
        result = self._result([array.asnumpy() for array in in_data])
        self.assign(out_data[0], req[0], nd.array(result, dtype=out_data[0].dtype))

    def backward(
        self,
        req: Any,
        out_grad: Any,
        in_data: Any,
        out_data: Any,
        in_grad: Any,
        aux: Any,
    ) -> None:
        """Raise an error: there is no gradient.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(f"{type(self).__name__} has no gradient")


class _OfOne(operator.CustomOpProp):
    """Base class of properties of operators with one input ``a``."""

    def __init__(self) -> None:
        super().__init__(need_top_grad=True)

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["a"]


def _attribute_value(text: Any) -> Any:
    """Return the value of an attribute given as text."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class EmptyLike(_OnHost):
    """Custom operator that returns an uninitialized array like its input.

    Args:
        dtype: Dtype of the array.
        order: Memory layout of the array.
        subok: Has no effect.
        shape: Shape of the result; that of the input if None.
    """

    def __init__(self, dtype: Any, order: str, subok: bool, shape: Any) -> None:
        super().__init__()
        self._options = {"dtype": dtype, "order": order, "subok": subok, "shape": shape}

    def _result(self, inputs: list[Any]) -> Any:
        return np.empty_like(inputs[0], **self._options)


@register("empty_like_fallback")
class EmptyLikeProp(_OfOne):
    """Properties of :class:`EmptyLike`."""

    def __init__(self, dtype: str, order: str, subok: str, shape: str) -> None:
        super().__init__()
        self._dtype = _STR_2_DTYPE_[str(dtype)]
        self._order, self._subok, self._shape = (
            order,
            bool(_attribute_value(subok)),
            _attribute_value(shape),
        )

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of input, output and states."""
        return (in_shape[0],), (in_shape[0] if self._shape is None else self._shape,), ()

    def infer_type(self, in_type: Any) -> Any:
        """Return the dtypes of input, output and states."""
        return (in_type[0],), (in_type[0] if self._dtype is None else self._dtype,), ()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> EmptyLike:
        """Return the operator."""
        return EmptyLike(self._dtype, self._order, self._subok, self._shape)


class Resize(_OnHost):
    """Custom operator that returns elements in another shape, repeated if it is larger.

    Args:
        new_shape: Shape of the result.
    """

    def __init__(self, new_shape: Any) -> None:
        super().__init__()
        self._new_shape = new_shape

    def _result(self, inputs: list[Any]) -> Any:
        return np.resize(inputs[0], self._new_shape)


class ResizeProp(_OfOne):
    """Properties of :class:`Resize`."""

    def __init__(self, new_shape: str) -> None:
        super().__init__()
        self._new_shape = _attribute_value(new_shape)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of input, output and states."""
        shape = self._new_shape
        return (in_shape[0],), ((shape,) if isinstance(shape, int) else shape,), ()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Resize:
        """Return the operator."""
        return Resize(self._new_shape)


class Unravel_index(_OnHost):  # noqa: N801  # MXNet's name
    """Custom operator that returns the coordinates of flat indices.

    Args:
        shape: Shape of the indexed array.
    """

    def __init__(self, shape: Any) -> None:
        super().__init__()
        self._shape = shape

    def _result(self, inputs: list[Any]) -> Any:
        return np.asarray(np.unravel_index(inputs[0].astype(np.int64), self._shape))


class Unravel_indexProp(_OfOne):  # noqa: N801  # MXNet's name
    """Properties of :class:`Unravel_index`."""

    def __init__(self, shape: str) -> None:
        super().__init__()
        self._shape = _attribute_value(shape)

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of input, output and states."""
        axes = 1 if isinstance(self._shape, int) else len(self._shape)
        return (in_shape[0],), ((axes, *in_shape[0]),), ()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> Unravel_index:
        """Return the operator."""
        return Unravel_index(self._shape)


class MultivariateNormal(_OnHost):
    """Custom operator that draws from a multivariate normal distribution.

    Args:
        size: Number of draws.
    """

    def __init__(self, size: Any = None) -> None:
        super().__init__()
        self._size = size

    def _result(self, inputs: list[Any]) -> Any:
        mean, cov = inputs
        flat = mean.reshape(-1, mean.shape[-1])
        covs = np.broadcast_to(cov, (*mean.shape[:-1], *cov.shape[-2:])).reshape(
            -1, *cov.shape[-2:]
        )
        size = () if self._size is None else np.atleast_1d(self._size)
        draws = [
            np.random.multivariate_normal(m, c, tuple(size))
            for m, c in zip(flat, covs, strict=True)
        ]
        shape = (*mean.shape[:-1], *size, mean.shape[-1])
        stacked = np.stack(draws).reshape(shape)
        batch, count = mean.ndim - 1, len(tuple(size))
        # NumPy's order: the axes of `size` come before those of the means.
        order = (*range(batch, batch + count), *range(batch), batch + count)
        return stacked.transpose(order)


class MultivariateNormalProp(operator.CustomOpProp):
    """Properties of :class:`MultivariateNormal`."""

    def __init__(self, size: Any = None) -> None:
        super().__init__(need_top_grad=True)
        self._size = _attribute_value(size)

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["mean", "variance"]

    def infer_shape(self, in_shape: Any) -> Any:
        """Return the shapes of inputs, output and states."""
        size = () if self._size is None else np.atleast_1d(self._size)
        return in_shape, ((*map(int, size), *in_shape[0]),), ()

    def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> MultivariateNormal:
        """Return the operator."""
        return MultivariateNormal(self._size)
