"""Operators in Python: ``CustomOp``, and the older ``NumpyOp`` and ``NDArrayOp``."""

from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from hy_ndarray import Context, NDArray
from hy_ndarray.custom import (
    NAMES,
    Custom,
    CustomOp,
    CustomOpProp,
    OperatorArguments,
    custom_operator,
    get_all_registered_operators,
    get_operator_arguments,
    register,
)
from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_ndarray.warning import warn
from hy_symbol import Symbol, sym

__all__ = [
    "NAMES",
    "Custom",
    "CustomOp",
    "CustomOpProp",
    "NDArrayOp",
    "NumpyOp",
    "OperatorArguments",
    "PythonOp",
    "custom_operator",
    "get_all_registered_operators",
    "get_operator_arguments",
    "register",
]

_numbers = count()


class PythonOp:
    """Base class of NumpyOp and NDArrayOp; deprecated as in MXNet: use :class:`CustomOp`.

    A subclass defines ``forward``, and the other methods unless there is one input, and one output
    of the same shape.

    Args:
        need_top_grad: Whether backward needs the gradients of the outputs; not for losses.
    """

    def __init__(self, need_top_grad: bool = True) -> None:
        name = type(self).__name__
        warn(f"{name}: PythonOp has been deprecated. Please use CustomOp")
        self.need_top_grad_ = need_top_grad

    def __call__(self, *args: Any, **kwargs: Any) -> Symbol:
        """Return a symbol; see :meth:`get_symbol`."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Symbol:
        """Return a node that runs this operator on symbols; omitted inputs become variables."""
        raise NotImplementedError(f"{type(self).__name__}: derive it from NumpyOp or NDArrayOp")

    def forward(self, in_data: Sequence[Any], out_data: Sequence[Any]) -> None:
        """Write the results into ``out_data``; by default, the first input."""
        out_data[0][:] = in_data[0]

    def backward(
        self,
        out_grad: Sequence[Any],
        in_data: Sequence[Any],
        out_data: Sequence[Any],
        in_grad: Sequence[Any],
    ) -> None:
        """Write the gradients of the inputs into ``in_grad``; by default, ones into the first."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: list[Any]) -> tuple[list[Any], list[Any]]:
        """Return the shapes of inputs and outputs, from the known shapes of inputs."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Return whether backward needs the gradients of the outputs."""
        return self.need_top_grad_

    def _node(self, work: type["_Work"], args: Sequence[Any], kwargs: dict[str, Any]) -> Symbol:
        python = self

        class Prop(CustomOpProp):
            def __init__(self) -> None:
                super().__init__(python.need_top_grad())

            def list_arguments(self) -> list[str]:
                return list(python.list_arguments())

            def list_outputs(self) -> list[str]:
                return list(python.list_outputs())

            def infer_shape(self, in_shape: list[list[int]]) -> tuple[Any, ...]:
                inputs, outputs = python.infer_shape(in_shape)
                return inputs, outputs, []

            def create_operator(
                self, ctx: Context, in_shapes: list[list[int]], in_dtypes: list[Any]
            ) -> CustomOp:
                return work(python)

        # Custom operators are found by name, and each object of Python has its own state.
        name = f"_{type(self).__name__}_{next(_numbers)}"
        register(name)(Prop)
        return sym.Custom(*args, op_type=name, **kwargs)


class _Work(CustomOp):
    """Custom operator that runs a :class:`PythonOp` on NDArrays."""

    def __init__(self, python: PythonOp) -> None:
        self._python = python

    def forward(
        self, is_train: bool, req: Sequence[str], in_data: Any, out_data: Any, aux: Any
    ) -> None:
        # Old operators write, whatever the request is: they write here, and assign() adds or leaves
        # out.
        results = [self._fresh(out) for out in out_data]
        self._python.forward([self._argument(array) for array in in_data], results)
        for kind, target, result in zip(req, out_data, results, strict=True):
            self.assign(target, kind, self._back(result, target))

    def backward(
        self, req: Sequence[str], out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        arguments = [
            [self._argument(a) for a in arrays] for arrays in (out_grad, in_data, out_data)
        ]
        results = [self._fresh(grad) for grad in in_grad]
        self._python.backward(arguments[0], arguments[1], arguments[2], results)
        for kind, target, result in zip(req, in_grad, results, strict=True):
            self.assign(target, kind, self._back(result, target))

    def _fresh(self, array: NDArray) -> Any:
        return array.zeros_like()

    def _argument(self, array: NDArray) -> Any:
        return array

    def _back(self, result: Any, target: NDArray) -> NDArray:
        array: NDArray = result
        return array


class _NumpyWork(_Work):
    """Custom operator that runs a :class:`PythonOp` on numpy arrays."""

    def _fresh(self, array: NDArray) -> Any:
        return np.zeros(array.shape, array.dtype)

    def _argument(self, array: NDArray) -> Any:
        return array.asnumpy()

    def _back(self, result: Any, target: NDArray) -> NDArray:
        array = target.zeros_like()
        array[:] = result
        return array


class NumpyOp(PythonOp):
    """Operator on numpy arrays; deprecated: use :class:`CustomOp`.

    Example:
        >>> import mxnet as mx
        >>> class Twice(NumpyOp):
        ...     def forward(self, in_data, out_data):
        ...         out_data[0][:] = 2 * in_data[0]
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     twice = Twice()
        >>> twice(mx.sym.var("x")).eval(x=mx.nd.ones(2))[0].asnumpy()
        array([2., 2.], dtype=float32)
    """

    def get_symbol(self, *args: Any, **kwargs: Any) -> Symbol:
        """Return a node that runs this operator on symbols; omitted inputs become variables."""
        return self._node(_NumpyWork, args, kwargs)


class NDArrayOp(PythonOp):
    """Operator on NDArrays; deprecated: use :class:`CustomOp`."""

    def get_symbol(self, *args: Any, **kwargs: Any) -> Symbol:
        """Return a node that runs this operator on symbols; omitted inputs become variables."""
        return self._node(_Work, args, kwargs)

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the arrays that backward needs; hy keeps all arrays, regardless of the result."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


_suggest_members(globals())
