"""Cases of NumPy's linear algebra: factorizations, inverses, linear systems, norms."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

_RNG = np.random.default_rng(3)
_ANY = _RNG.standard_normal((2, 3, 3)) + 2 * np.eye(3)
POSITIVE = _ANY @ _ANY.swapaxes(-1, -2) + np.eye(3)
SYMMETRIC = _ANY + _ANY.swapaxes(-1, -2)
REAL = np.array([[2.0, 1.0, 0.0], [0.5, 3.0, 1.0], [0.0, 0.25, 5.0]])
WIDE = _RNG.standard_normal((2, 2, 4))
TALL = _RNG.standard_normal((4, 2))
TENSOR = _RNG.standard_normal((2, 3, 6)) + np.eye(6).reshape(2, 3, 6) * 3


def _signed(vectors: Any) -> Any:
    """Return vectors (columns) with signs such that the largest element is positive."""
    largest = np.abs(vectors).argmax(-2)[..., None, :]
    return vectors * np.sign(np.take_along_axis(vectors, largest, -2))


def _svd(a: Any) -> Any:
    u, s, v = np.linalg.svd(a, full_matrices=False)
    rows = _signed(v.swapaxes(-1, -2)).swapaxes(-1, -2)
    signs = np.sign((rows * v).sum(-1))[..., None, :]
    return u * signs, s, rows


def _eigh(a: Any, UPLO: str = "L") -> Any:  # noqa: N803  # numpy's name
    w, v = np.linalg.eigh(a, "L" if UPLO == "L" else "U")
    return w, _signed(v)


def _eig(a: Any) -> Any:
    w, v = np.linalg.eig(a)
    return w, _signed(v)


def _solve_backward(dy: Any, x: Any, a: Any) -> Any:
    return -dy @ x.swapaxes(-1, -2)


def _norm(data: Any, ord: Any = None, axis: Any = None, flag: int = -1, **params: Any) -> Any:  # noqa: A002
    order = {-2: None, 1: None, 2: "nuc"}.get(flag, ord)
    if flag == -2:
        data = data.ravel()
    along = axis[0] if axis is not None and len(axis) == 1 else axis
    if flag == 1 and axis is None:
        return np.sqrt(np.square(data).sum())
    return np.linalg.norm(data, order, along, **params)


NORMS: tuple[tuple[tuple[int, ...], dict[str, Any]], ...] = (
    ((2, 3), {"ord": 2, "flag": -2}),
    ((2, 3), {"ord": 2, "axis": (1,), "flag": 1, "keepdims": True}),
    ((2, 3, 4), {"ord": 2, "axis": (0, 2), "flag": 1}),
    ((2, 3), {"ord": 1, "axis": (0,)}),
    ((2, 3), {"ord": 3, "axis": (1,)}),
    ((4,), {"ord": np.inf}),
    ((4,), {"ord": -np.inf}),
    ((2, 3), {"ord": 0.5, "axis": (1,)}),
    ((2, 3), {"ord": 1, "axis": (0, 1)}),
    ((2, 3, 4), {"ord": -1, "axis": (2, 0), "keepdims": True}),
    ((2, 3), {"ord": np.inf, "axis": (0, 1)}),
    ((2, 3), {"ord": -np.inf, "axis": (0, 1)}),
    ((2, 3), {"ord": 2, "axis": (0, 1), "flag": 0}),
    ((3, 2), {"ord": -2, "axis": (0, 1), "flag": 0}),
    ((2, 3, 2), {"ord": 2, "axis": (0, 2), "flag": 2}),
)

CASES = (
    OpCase("_npi_cholesky", ((2, 3, 3),), np.linalg.cholesky, inputs={0: POSITIVE}, grad_inputs=()),
    *(
        OpCase("_npi_det", (a.shape,), np.linalg.det, inputs={0: a}, grad_inputs=(0,))
        for a in (POSITIVE, REAL)
    ),
    *(
        OpCase(
            "_npi_slogdet",
            (a.shape,),
            lambda a: tuple(np.linalg.slogdet(a)),
            inputs={0: a},
            grad_inputs=(0,),
        )
        for a in (POSITIVE, REAL)
    ),
    *(
        OpCase("_npi_svd", (a.shape,), _svd, inputs={0: a}, grad_inputs=(0,))
        for a in (WIDE, TALL, REAL)
    ),
    OpCase("_npi_eigh", ((2, 3, 3),), _eigh, inputs={0: SYMMETRIC}, grad_inputs=(0,)),
    OpCase(
        "_npi_eigh", ((3, 3),), _eigh, {"UPLO": "U"}, inputs={0: SYMMETRIC[1]}, grad_inputs=(0,)
    ),
    *(
        OpCase(
            "_npi_eigvalsh",
            ((2, 3, 3),),
            lambda a, UPLO: np.linalg.eigvalsh(a),  # noqa: N803  # numpy's name
            {"UPLO": triangle},
            inputs={0: SYMMETRIC},
            grad_inputs=(0,),
        )
        for triangle in "LU"
    ),
    OpCase("_npi_eig", ((3, 3),), _eig, inputs={0: REAL}),
    OpCase("_npi_eigvals", ((3, 3),), np.linalg.eigvals, inputs={0: REAL}),
    OpCase("_npi_solve", ((3, 3), (3, 2)), np.linalg.solve, inputs={0: REAL}, grad_inputs=(0, 1)),
    OpCase("_npi_solve", ((3, 3), (3,)), np.linalg.solve, inputs={0: REAL}, grad_inputs=(0, 1)),
    OpCase(
        "_npi_solve",
        ((2, 3, 3), (2, 3, 1)),
        np.linalg.solve,
        inputs={0: POSITIVE},
        grad_inputs=(0, 1),
    ),
    OpCase("_np_solve_backward", ((3, 2), (3, 2), (3, 3)), _solve_backward),
    OpCase("_np_solve_backward", ((3,), (3,), (3, 3)), lambda dy, x, a: -np.outer(dy, x)),
    OpCase("_npi_pinv", ((2, 3), ()), None, inputs={1: np.array(1e-3)}),
    OpCase(
        "_npi_pinv",
        ((2, 2, 3), (2,)),
        np.linalg.pinv,
        inputs={1: np.array([1e-3, 0.9])},
        check_grad=False,  # it is that of matrices whose rank is what rcond says
        check_second=False,
    ),
    OpCase("_npi_pinv_scalar_rcond", ((2, 4, 3),), None, {"rcond": 1e-9}),
    OpCase(
        "_npi_pinv_scalar_rcond", ((3, 2),), lambda a, rcond: np.linalg.pinv(a), {"rcond": 1e-9}
    ),
    OpCase(
        "_npi_pinv_scalar_rcond",
        ((3, 3),),
        lambda a, hermitian: np.linalg.pinv(a),
        {"hermitian": True},
        inputs={0: SYMMETRIC[0]},
        grad_inputs=(0,),
    ),
    OpCase(
        "_npi_tensorinv", ((2, 3, 6),), np.linalg.tensorinv, inputs={0: TENSOR}, grad_inputs=(0,)
    ),
    OpCase(
        "_npi_tensorinv",
        ((6, 2, 3),),
        np.linalg.tensorinv,
        {"ind": 1},
        inputs={0: TENSOR.reshape(6, 2, 3)},
        grad_inputs=(0,),
    ),
    OpCase("_np_tensorinv_backward", ((6, 2, 3), (6, 2, 3), (2, 3, 6)), None),
    OpCase(
        "_npi_tensorsolve",
        ((2, 3, 6), (2, 3)),
        np.linalg.tensorsolve,
        inputs={0: TENSOR},
        grad_inputs=(0, 1),
    ),
    OpCase(
        "_npi_tensorsolve",
        ((6, 2, 3), (2, 3)),
        lambda a, b, a_axes: np.linalg.tensorsolve(a, b, (0,)),
        {"a_axes": (0,)},
        inputs={0: np.moveaxis(TENSOR, -1, 0)},
        grad_inputs=(0, 1),
    ),
    OpCase("_np_tensorsolve_backward", ((6,), (2, 3, 6), (2, 3)), None, inputs={1: TENSOR}),
    *(OpCase("_npi_norm", (shape,), _norm, params, low=0.3) for shape, params in NORMS),
    OpCase(
        "_npi_norm",
        ((4,),),
        _norm,
        {"ord": 0},
        inputs={0: np.array([1.0, 0.0, -2.0, 5.0])},
    ),
)
