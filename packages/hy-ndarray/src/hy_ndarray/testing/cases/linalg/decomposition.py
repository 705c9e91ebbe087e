"""Cases of factorizations, inverses and determinants."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

WELL = np.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]])
STACK = np.stack([WELL, WELL.T + 0.1, -WELL])
POSITIVE = np.einsum("nij,nkj->nik", STACK, STACK)
SINGULAR = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.5, 0.0, 1.0]])
ODD = POSITIVE[0] + np.triu(np.full((3, 3), 5.0), 1)  # its upper triangle is not to be read


def _cholesky(a: Any, lower: bool = True) -> Any:
    return np.linalg.cholesky(a) if lower else np.linalg.cholesky(a).swapaxes(-1, -2)


def _potri(a: Any, lower: bool = True) -> Any:
    factor = np.tril(a) if lower else np.triu(a).swapaxes(-1, -2)
    return np.linalg.inv(factor @ factor.swapaxes(-1, -2))


def _gelqf(a: Any) -> tuple[Any, Any]:
    q, r = np.linalg.qr(a.swapaxes(-1, -2))
    return q.swapaxes(-1, -2), r.swapaxes(-1, -2)


def _syevd(a: Any) -> tuple[Any, Any]:
    values, vectors = np.linalg.eigh(a)
    rows = vectors.swapaxes(-1, -2)
    largest = np.take_along_axis(rows, np.abs(rows).argmax(-1)[..., None], -1)
    return rows * np.sign(largest), values


def _cofactor(a: Any) -> Any:
    y = np.empty(a.shape)
    for i, j in np.ndindex(a.shape):
        minor = np.delete(np.delete(a, i, 0), j, 1)
        y[i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    return y


def _gaps(values: Any) -> Any:
    gaps = values[..., None, :] - values[..., None]
    return np.where(gaps == 0, 0, 1 / np.where(gaps == 0, 1, gaps))


def _as_float32(y: Any) -> Any:
    return y if np.ndim(y) else np.reshape(y, 1)


def _sum_log_diagonal(a: Any) -> Any:
    return _as_float32(np.log(np.diagonal(a, 0, -2, -1)).sum(-1))


def _case(op: str, value: Any, expected: Any, **params: Any) -> OpCase:
    return OpCase(op, (value.shape,), expected, params, inputs={0: value}, grad_inputs=(0,))


def _symmetric(op: str, value: Any, expected: Any, **params: Any) -> OpCase:
    """Return a case on the symmetric matrix ``value``, without a check of the gradient."""
    return OpCase(op, (value.shape,), expected, params, inputs={0: value}, grad_inputs=())


CASES = (
    _symmetric("_linalg_potrf", POSITIVE[0], _cholesky),
    _symmetric("_linalg_potrf", POSITIVE, _cholesky, lower=False),
    _symmetric("_linalg_potrf", ODD, _cholesky),
    _symmetric("_linalg_potrf", ODD.T, lambda a, lower: np.linalg.cholesky(a.T).T, lower=False),
    _case("_linalg_potri", STACK, _potri),
    _case("_linalg_potri", WELL, _potri, lower=False),
    OpCase("_linalg_gelqf", ((2, 5),), _gelqf),
    OpCase("_linalg_gelqf", ((4, 3, 3),), _gelqf),
    OpCase("_linalg_gelqf", ((1, 1),), _gelqf),
    _symmetric("_linalg_syevd", POSITIVE, _syevd),
    _symmetric("_linalg_syevd", ODD, _syevd),
    OpCase("_linalg_inverse_gaps", ((3,),), _gaps),
    OpCase("_linalg_inverse_gaps", ((2, 4),), _gaps),
    _case("_linalg_inverse", STACK, np.linalg.inv),
    _case("_linalg_inverse", WELL[:1, :1], np.linalg.inv),
    _case("_linalg_det", STACK, np.linalg.det),
    OpCase(
        "_linalg_det",
        ((3, 3),),
        lambda a: _as_float32(np.linalg.det(a)),
        inputs={0: SINGULAR},
        grad_inputs=(0,),
        check_second=False,
    ),  # the second gradient needs the inverse
    OpCase("_linalg_det", ((0, 2, 2),), np.linalg.det),
    _case("_linalg_cofactor", WELL, _cofactor),
    OpCase(
        "_linalg_cofactor",
        ((3, 3),),
        _cofactor,
        inputs={0: SINGULAR},
        check_grad=False,
        check_second=False,
    ),  # the gradient needs the inverse
    _case("_linalg_slogdet", STACK, lambda a: tuple(np.linalg.slogdet(a))),
    _case("_linalg_slogdet", WELL, lambda a: tuple(map(_as_float32, np.linalg.slogdet(a)))),
    OpCase("_linalg_sumlogdiag", ((3, 3),), _sum_log_diagonal, low=0.5),
    OpCase("_linalg_sumlogdiag", ((2, 2, 4, 4),), _sum_log_diagonal, low=0.5),
)
