"""Cases of products of matrices, and of arrays treated as matrices."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _dot(lhs: Any, rhs: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    left = np.moveaxis(lhs, 0, -1) if transpose_a else lhs
    right = np.moveaxis(rhs, -1, 0) if transpose_b else rhs
    y = np.tensordot(left, right, 1)
    return y if y.ndim else y[None]


def _batch_dot(lhs: Any, rhs: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    return np.matmul(
        lhs.swapaxes(-1, -2) if transpose_a else lhs, rhs.swapaxes(-1, -2) if transpose_b else rhs
    )


BOTH = {"transpose_a": True, "transpose_b": True}
A = {"transpose_a": True}
B = {"transpose_b": True}

CASES = (
    OpCase("dot", ((4,), (4,)), _dot),
    OpCase("dot", ((2, 3), (3, 5)), _dot),
    OpCase("dot", ((3, 2), (3, 5)), _dot, A),
    OpCase("dot", ((2, 3), (5, 3)), _dot, B),
    OpCase("dot", ((3, 2), (5, 3)), _dot, BOTH),
    OpCase("dot", ((2, 3, 4), (4,)), _dot),
    OpCase("dot", ((4,), (4, 2, 3)), _dot),
    OpCase("dot", ((2, 3, 4), (5, 6, 2)), _dot, BOTH),
    OpCase("dot", ((2, 3, 4), (5, 1, 4)), _dot, B),
    OpCase("dot", ((2, 0), (0, 3)), _dot),
    OpCase("dot", ((0, 2, 3), (3, 1)), _dot),
    OpCase("_dot_backward_lhs", ((2, 3, 5), (4, 5), (2, 3, 4)), lambda dy, b, _: dy @ b.T),
    OpCase("_dot_backward_lhs", ((2, 5), (5, 3), (3, 2)), lambda dy, b, _, **__: (dy @ b).T, BOTH),
    OpCase(
        "_dot_backward_rhs",
        ((2, 3, 5), (2, 3, 4), (4, 5)),
        lambda dy, a, _: np.tensordot(a, dy, ((0, 1), (0, 1))),
    ),
    OpCase("_dot_backward_rhs", ((2, 5), (3, 2), (5, 3)), lambda dy, a, _, **__: (a @ dy).T, BOTH),
    OpCase("batch_dot", ((2, 3, 4), (2, 4, 5)), _batch_dot),
    OpCase("batch_dot", ((2, 4, 3), (2, 4, 5)), _batch_dot, A),
    OpCase("batch_dot", ((2, 3, 4), (2, 5, 4)), _batch_dot, B),
    OpCase("batch_dot", ((2, 1, 4, 3), (2, 1, 5, 4)), _batch_dot, BOTH),
    OpCase("batch_dot", ((0, 3, 4), (0, 4, 5)), _batch_dot),
    OpCase(
        "khatri_rao",
        ((2, 3), (4, 3)),
        lambda a, b: np.stack([np.kron(x, y) for x, y in zip(a.T, b.T, strict=True)], 1),
    ),
    OpCase("khatri_rao", ((0, 3), (4, 3), (1, 3)), lambda *_: np.zeros((0, 3))),
    OpCase("khatri_rao", ((2, 3),), lambda a: a),
)
