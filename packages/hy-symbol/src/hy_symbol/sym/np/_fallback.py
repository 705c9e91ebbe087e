"""Functions of ``sym.np`` that numpy computes at run time, as ``Custom`` nodes.

MXNet 1.9.1 has the same nodes, so graphs with them can be exchanged in both directions.
"""

from typing import Any

import numpy as onp

import hy_symbol.symbol.numpy_fallbacks  # noqa: F401  # registers the operators
from hy_ndarray import UnsupportedError
from hy_symbol.sym._functions import Custom
from hy_symbol.symbol.np_symbol import NumpySymbol


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
