"""Private functions of ``mxnet.ndarray.register``: functions of operators on arrays."""

from collections.abc import Callable, Sequence
from typing import Any

from hy_ndarray import NDArray, nd, np as mx_np
from hy_symbol import Symbol
from mxnet._private.absent import Absent
from mxnet._private.errors import OperandError

WRITTEN = "functions of operators are made when they are asked for: mx.nd.op.<name>"
_generate_ndarray_function_code = Absent("_generate_ndarray_function_code", WRITTEN)


def function_of(front_end: Any, name: str, func_name: str) -> Callable[..., Any]:
    # Operators of a namespace are found there, without their prefix.
    for prefix, below in (
        ("_contrib_", "contrib"),
        ("_linalg_", "linalg"),
        ("_image_", "image"),
        ("_random_", "random"),
        ("_sparse_", "sparse"),
    ):
        if name.startswith(prefix):
            return _named(getattr(getattr(front_end, below), name.removeprefix(prefix)), func_name)
    where = front_end._internal if name.startswith("_") else front_end.op
    return _named(getattr(where, name), func_name)


def _named(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    # A wrapper, so that renaming does not change the function of `mx.nd`.
    called.__name__ = called.__qualname__ = name
    called.__doc__ = function.__doc__
    return called


def _make_ndarray_function(handle: Any, name: str, func_name: str) -> Callable[..., Any]:
    """Return the function of an operator on arrays.

    Args:
        handle: Has no effect: the operator is found by name.
        name: The operator.
        func_name: Name of the function.
    """
    del handle
    return function_of(nd, name, func_name)


def _is_np(value: Any) -> bool:
    return isinstance(value, mx_np.ndarray) or (
        isinstance(value, Symbol) and type(value) is not Symbol
    )


def verify(op_name: str, func_name: str, args: Any, out: Any, kind: Any, is_np: bool) -> None:
    arrays = [*args, *(out if isinstance(out, list | tuple) else [out])]
    for array in arrays:
        if isinstance(array, kind) and _is_np(array) is not is_np:
            wanted, other = ("numpy", "classic") if is_np else ("classic", "numpy")
            method = "as_np_ndarray()" if is_np else "as_nd_ndarray()"
            raise OperandError(
                f"Operator `{op_name}` registered in backend is known as `{func_name}` in Python. "
                f"This is a {wanted} operator which takes no {other} one, but got {type(array)}; "
                f"{method} makes it one"
            )


def _verify_all_np_ndarrays(op_name: str, func_name: str, args: Sequence[Any], out: Any) -> None:
    """Raise an error if an array is not of the NumPy interface.

    Raises:
        OperandError: An array is of the classic interface.
    """
    verify(op_name, func_name, args, out, NDArray, is_np=True)


def _verify_all_legacy_ndarrays(
    op_name: str, func_name: str, args: Sequence[Any], out: Any
) -> None:
    """Raise an error if an array is of the NumPy interface.

    Raises:
        OperandError: An array is of the NumPy interface.
    """
    verify(op_name, func_name, args, out, NDArray, is_np=False)
