"""Cases of products by NumPy's rules, and their gradients."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

DOTS = (
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2, 3), (3, 4)),
    ((2, 2, 3), (2, 3, 4)),
    ((), (2, 3)),
    ((2,), ()),
    ((2, 0), (0, 3)),
)
MATMULS = (
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (2, 3, 4)),
    ((2, 1, 2, 3), (4, 3, 2)),
    ((1, 2, 3), (5, 3, 1)),
)
EINSUMS = (
    ("ij,jk->ik", ((2, 3), (3, 4))),
    ("ij,jk", ((2, 3), (3, 4))),
    ("ii->i", ((3, 3),)),
    ("ii", ((3, 3),)),
    ("ij->", ((2, 3),)),
    ("ij->j", ((2, 3),)),
    ("...ij,...jk->...ik", ((2, 1, 2, 3), (4, 3, 2))),
    ("i,j,k->ijk", ((2,), (3,), (2,))),
    ("ijk,jil->kl", ((2, 3, 2), (3, 2, 4))),
    ("b...,b...->b...", ((2, 3, 2), (2, 3, 2))),
    # a letter that is summed and has one element in one operand
    ("ij,j", ((2, 3), (1,))),
    ("i,i->", ((1,), (3,))),
    ("ij,jk->ik", ((2, 1), (3, 2))),
    ("...i,...i->...", ((2, 1), (2, 3))),
    ("ij,ij,ij->i", ((2, 3), (2, 1), (1, 1))),
    ("ii,i->", ((3, 3), (1,))),
)


def _einsum(*data: Any, subscripts: str) -> Any:
    return np.einsum(subscripts, *data)


def _tensordot(a: Any, b: Any, a_axes_summed: Any, b_axes_summed: Any) -> Any:
    return np.tensordot(a, b, (a_axes_summed, b_axes_summed))


AXES = {"a_axes_summed": (0, 2), "b_axes_summed": (-1, 0)}

CASES = (
    *(OpCase("_np_dot", shapes, np.dot) for shapes in DOTS),
    OpCase("_np_dot_backward_a", ((2, 4), (3, 4), (2, 3)), lambda dy, b, a: dy @ b.T),
    OpCase("_np_dot_backward_b", ((2, 4), (2, 3), (3, 4)), lambda dy, a, b: a.T @ dy),
    *(OpCase("_npi_matmul", shapes, np.matmul) for shapes in MATMULS),
    OpCase("_np_matmul_backward_a", ((2, 4), (3, 4), (2, 3)), lambda dy, b, a: dy @ b.T),
    OpCase("_np_matmul_backward_b", ((2, 4), (2, 3), (3, 4)), lambda dy, a, b: a.T @ dy),
    OpCase("_npi_tensordot", ((2, 3, 4), (4, 5, 2)), _tensordot, AXES),
    OpCase("_np_tensordot_backward_a", ((3, 5), (4, 5, 2), (2, 3, 4)), None, AXES),
    OpCase("_np_tensordot_backward_b", ((3, 5), (2, 3, 4), (4, 5, 2)), None, AXES),
    *(
        OpCase("_npi_tensordot_int_axes", shapes, np.tensordot, {"axes": axes})
        for shapes, axes in ((((2, 3), (3, 4)), 1), (((2,), (3,)), 0), (((2, 3), (2, 3)), 2))
    ),
    OpCase("_np_tensordot_int_axes_backward_a", ((2, 4), (3, 4), (2, 3)), None, {"axes": 1}),
    OpCase("_np_tensordot_int_axes_backward_b", ((2, 4), (2, 3), (3, 4)), None, {"axes": 1}),
    *(
        OpCase("_npi_einsum", shapes, _einsum, {"subscripts": subscripts})
        for subscripts, shapes in EINSUMS
    ),
    *(
        OpCase(
            "_np_einsum_backward",
            ((2, 4), (2, 3), (3, 4)),
            lambda dy, a, b, subscripts, position: dy @ b.T if position == 0 else a.T @ dy,
            {"subscripts": "ij,jk->ik", "position": position},
        )
        for position in (0, 1)
    ),
)
