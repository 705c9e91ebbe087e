"""Operators ``_npi_<name>`` for arrays, as functions called ``<name>``."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from hy_ndarray import NDArray, nd, ops
from hy_symbol import Symbol
from mxnet._private.absent import Absent

_PREFIX = "_npi_"
_FALLBACKS = ("empty_like_fallback", "mvn_fallback", "resize_fallback", "unravel_index_fallback")
_BACKWARD = ("backward_ediff1d", "backward_nan_to_num", "backward_polyval", "hsplit_backward")
Custom = nd.Custom


def member(front_end: Any, name: str) -> Any:
    """Return the function called ``name`` for a module of array or symbol operators."""
    if name == "__all__":
        return members()
    if name in _FALLBACKS:
        import_module("hy_symbol.sym.np")  # they register the operators
        import_module("mxnet.numpy_op_fallback")
        return partial(front_end.Custom, op_type=name)
    if name in _BACKWARD:
        return Absent(name, "gradients are taken with mx.autograd.record() and backward()")
    full = _PREFIX + name
    if not ops.exists(full):
        raise AttributeError(f"there is no operator {full!r}")
    kind = NDArray if front_end is nd else Symbol
    return operator_function(kind, ops.find(full), name)


def operator_function(kind: Any, op: ops.Operator, name: str) -> Callable[..., Any]:
    """Return an operator as a function of arrays or symbols of a class."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return kind.call_operator(op, name, args, kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = op.doc
    return function


def members() -> list[str]:
    """Return the names of functions of both modules, for arrays and symbols."""
    names = [name.removeprefix(_PREFIX) for name in ops.names() if name.startswith(_PREFIX)]
    return ["Custom", *names, *_FALLBACKS, *_BACKWARD]


def __getattr__(name: str) -> Any:
    return member(nd, name)


def __dir__() -> list[str]:
    return members()
