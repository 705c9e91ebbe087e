"""Cases of BLAS-style products of matrices, and of their triangles and diagonals."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _transposed(matrix: Any, turn: Any) -> Any:
    return matrix.swapaxes(-1, -2) if turn else matrix


def _gemm2(
    a: Any, b: Any, transpose_a: Any = 0, transpose_b: Any = 0, alpha: float = 1, axis: int = -2
) -> Any:
    left, right = np.moveaxis(a, axis, -2), np.moveaxis(b, axis, -2)
    y = alpha * (_transposed(left, transpose_a) @ _transposed(right, transpose_b))
    return np.moveaxis(y, -2, axis)


def _gemm(a: Any, b: Any, c: Any, beta: float = 1, **params: Any) -> Any:
    return _gemm2(a, b, **params) + beta * c


def _syrk(a: Any, transpose: bool = False, alpha: float = 1) -> Any:
    return alpha * (_transposed(a, transpose) @ _transposed(a, not transpose))


def _factor(a: Any, params: Any) -> Any:
    inside = np.tril(a) if params.get("lower", True) else np.triu(a)
    return _transposed(inside, params.get("transpose"))


def _trmm(a: Any, b: Any, **params: Any) -> Any:
    factor = _factor(a, params)
    return params.get("alpha", 1) * (b @ factor if params.get("rightside") else factor @ b)


def _trsm(a: Any, b: Any, **params: Any) -> Any:
    inverted = np.linalg.inv(_factor(a, params))
    return params.get("alpha", 1) * (b @ inverted if params.get("rightside") else inverted @ b)


def _make_diagonal(a: Any, offset: int = 0) -> Any:
    return np.stack([np.diag(row, offset) for row in a.reshape(-1, a.shape[-1])]).reshape(
        *a.shape[:-1], a.shape[-1] + abs(offset), -1
    )


def _extract_triangle(a: Any, offset: int = 0, lower: bool = True) -> Any:
    if offset > 0 or (offset == 0 and not lower):
        a, offset = a.swapaxes(-1, -2), -offset
    return a[..., *np.tril_indices(a.shape[-1], offset)]


def _symmetric(a: Any, lower: bool = True) -> Any:
    return np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T


def _symmetric_gradient(a: Any, lower: bool = True) -> Any:
    return (np.tril if lower else np.triu)(a + a.T - np.diag(a.diagonal()))


WELL = np.array([[3.0, 0.5, -0.4], [0.7, -2.5, 0.3], [-0.2, 0.6, 2.0]])
SIDES: tuple[dict[str, Any], ...] = (
    {},
    {"transpose": True, "alpha": 2.0},
    {"rightside": True},
    {"rightside": True, "transpose": True, "alpha": -0.5},
    {"lower": False},
    {"lower": False, "transpose": True},
    {"lower": False, "rightside": True},
    {"lower": False, "rightside": True, "transpose": True},
)

CASES = (
    OpCase("_linalg_gemm", ((2, 3), (3, 5), (2, 5)), _gemm, {"alpha": 2.0, "beta": 0.5}),
    OpCase("_linalg_gemm", ((4, 3, 2), (4, 5, 3), (4, 2, 5)), _gemm,
           {"transpose_a": True, "transpose_b": True}),
    OpCase("_linalg_gemm", ((2, 4, 3), (3, 4, 5), (2, 4, 5)), _gemm, {"axis": 0, "beta": -1.0}),
    OpCase("_linalg_gemm2", ((2, 3), (3, 1)), _gemm2),
    OpCase("_linalg_gemm2", ((3, 2), (3, 5)), _gemm2, {"transpose_a": True, "alpha": 3.0}),
    OpCase("_linalg_gemm2", ((4, 2, 3), (4, 5, 3)), _gemm2, {"transpose_b": True}),
    OpCase("_linalg_gemm2", ((3, 2), (5, 3)), _gemm2, {"transpose_a": True, "transpose_b": True}),
    OpCase("_linalg_gemm2", ((2, 3, 4, 5), (2, 5, 4, 3)), _gemm2, {"axis": 1}),
    OpCase("_linalg_gemm2", ((0, 2, 3), (0, 3, 1)), _gemm2),
    OpCase("_linalg_syrk", ((2, 3),), _syrk, {"alpha": 2.0}),
    OpCase("_linalg_syrk", ((4, 2, 3),), _syrk, {"transpose": True}),
    *(
        OpCase(name, ((3, 3), (2, 3) if params.get("rightside") else (3, 2)), function, params,
               inputs={0: WELL}, grad_inputs=(0, 1))
        for name, function in (("_linalg_trmm", _trmm), ("_linalg_trsm", _trsm))
        for params in SIDES
    ),
    OpCase("_linalg_trmm", ((2, 3, 3), (2, 3, 1)), _trmm),
    OpCase("_linalg_trsm", ((2, 1, 1), (2, 1, 4)), _trsm, low=0.5),
    OpCase("_linalg_triangle", ((2, 3, 3),), np.tril),
    OpCase("_linalg_triangle", ((3, 3),), lambda a, lower: np.triu(a), {"lower": False}),
    OpCase("_linalg_symmetric_of", ((3, 3),), _symmetric),
    OpCase("_linalg_symmetric_of", ((3, 3),), _symmetric, {"lower": False}),
    OpCase("_linalg_symmetric_gradient", ((3, 3),), _symmetric_gradient),
    OpCase("_linalg_symmetric_gradient", ((3, 3),), _symmetric_gradient, {"lower": False}),
    *(
        OpCase("_linalg_extractdiag", (shape,), lambda a, offset: a.diagonal(offset, -2, -1),
               {"offset": offset})
        for shape, offset in (((3, 3), 0), ((2, 4, 4), 1), ((2, 2, 3, 3), -2))
    ),
    *(
        OpCase("_linalg_makediag", (shape,), _make_diagonal, {"offset": offset})
        for shape, offset in (((3,), 0), ((2, 1), 1), ((2, 2, 3), -2))
    ),
    *(
        OpCase("_linalg_extracttrian", (shape,), _extract_triangle, params)
        for shape, params in (
            ((3, 3), {}),
            ((2, 3, 3), {"lower": False}),
            ((4, 4), {"offset": 1}),
            ((2, 4, 4), {"offset": -2, "lower": False}),
        )
    ),
    OpCase("_linalg_maketrian", ((3,),), lambda a: np.array([[a[0], 0], [a[1], a[2]]])),
    OpCase("_linalg_maketrian", ((3,),), lambda a, lower: np.array([[a[0], a[1]], [0, a[2]]]),
           {"lower": False}),
    OpCase("_linalg_maketrian", ((2, 1),), lambda a, offset: a[:, None] * np.eye(2, k=1),
           {"offset": 1}),
    OpCase("_linalg_maketrian", ((1,),), lambda a, offset: a * np.eye(3, k=-2), {"offset": -2}),
)  # fmt: skip
