"""Cases of reshaping, permuted axes and diagonals by NumPy's rules."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

X = (2, 3, 4)


def _diagonal_backward(dy: Any, data: Any, **params: Any) -> Any:
    dx = np.zeros(data.shape)
    view = np.diagonal(dx, **params)
    view.flags.writeable = True
    view[...] = dy
    return dx


def _trace_backward(dy: Any, data: Any, **params: Any) -> Any:
    return _diagonal_backward(dy[..., None], data, **params)


def _atleast(name: str) -> Any:
    return lambda *arrays, num_args: tuple(getattr(np, name)(x) for x in arrays)


NPX_CODES = (
    ((2, 3, 8), (-2, -2, 2, -1), (2, 3, 2, 4)),
    ((8, 3, 3, 3), (-6, 2, -1, -4), (2, 4, 3, 3, 3)),
    ((2, 1, 4), (-2, -3, -1), (2, 4)),
    ((2, 3, 4), (-5, -4), (6, 4)),
    ((0, 4), (-2, 2, 2), (0, 2, 2)),
    ((2, 1, 1), (-4,), (2, 1, 1)),
)

CASES = (
    *(
        OpCase("_np_reshape", (X,), lambda a, newshape: a.reshape(newshape), {"newshape": shape})
        for shape in ((6, 4), (-1,), (4, -1, 2))
    ),
    OpCase("_np_reshape", ((),), lambda a, newshape: a.reshape(1, 1), {"newshape": (1, 1)}),
    OpCase("_np_reshape", ((1, 1),), lambda a, newshape: a.reshape(()), {"newshape": ()}),
    *(
        OpCase(
            "_npx_reshape",
            (shape,),
            lambda a, newshape, target=target: a.reshape(target),
            {"newshape": codes},
        )
        for shape, codes, target in NPX_CODES
    ),
    OpCase(
        "_npx_reshape",
        ((8, 3, 3, 4, 4),),
        lambda a, newshape, reverse: a.reshape(2, 4, 3, 3, 4, 4),
        {"newshape": (-6, -1, 4, -2, -2, -2, -2), "reverse": False},
    ),
    OpCase(
        "_npx_reshape",
        ((2, 3, 4),),
        lambda a, newshape, reverse: a.reshape(6, 4),
        {"newshape": (-1, -2), "reverse": True},
    ),
    OpCase("_np_squeeze", ((1, 3, 1),), lambda a: a.reshape(3)),
    OpCase("_np_squeeze", ((1, 3, 1),), lambda a, axis: a.reshape(1, 3), {"axis": -1}),
    OpCase("_np_squeeze", ((1, 1),), lambda a: a.reshape(())),
    OpCase("_np_squeeze", ((),), lambda a, axis: a, {"axis": -1}),
    OpCase("_npi_broadcast_to", ((3, 1),), np.broadcast_to, {"shape": (2, 3, 4)}),
    OpCase("_npi_broadcast_to", ((),), np.broadcast_to, {"shape": (2, 0)}),
    OpCase(
        "_npi_broadcast_to",
        ((3, 1),),
        lambda array, shape: np.broadcast_to(array, (2, 3, 4)),
        {"shape": (2, -2, 4)},
    ),
    *(
        OpCase(f"_np_{name}", ((), (3,), X), _atleast(name), {"num_args": 3})
        for name in ("atleast_1d", "atleast_2d", "atleast_3d")
    ),
    OpCase("_np_atleast_2d", ((3,),), lambda x, num_args: x.reshape(1, 3), {"num_args": 1}),
    OpCase("_np_transpose", (X,), np.transpose),
    OpCase("_np_transpose", (X,), np.transpose, {"axes": (1, -1, 0)}),
    OpCase("_np_moveaxis", (X,), np.moveaxis, {"source": (0,), "destination": (-1,)}),
    OpCase("_np_moveaxis", (X,), np.moveaxis, {"source": (0, 1), "destination": (2, 0)}),
    OpCase("_np_roll", (X,), np.roll, {"shift": 5}),
    OpCase("_np_roll", (X,), np.roll, {"shift": (1, -2), "axis": (0, 2)}),
    OpCase("_npi_rot90", (X,), np.rot90),
    OpCase("_npi_rot90", (X,), np.rot90, {"k": -2, "axes": (1, 2)}),
    OpCase("_npi_rot90", (X,), np.rot90, {"k": 3, "axes": (2, 0)}),
    OpCase("_npi_flip", (X,), np.flip, {"axis": None}),
    OpCase("_npi_flip", (X,), np.flip, {"axis": (0, -1)}),
    OpCase("_npi_flip", ((2, 3),), lambda data, axis: np.flip(data, 0), {"axis": (1, 0, -1)}),
    OpCase("_npi_tril", (X,), np.tril, {"k": 1}),
    OpCase("_npi_tril", ((3,),), np.tril),
    OpCase("_np_tril_backward", ((3, 3), (3,)), lambda dy, data: np.tril(dy).sum(0)),
    OpCase("_np_tril_backward", (X, X), lambda dy, data, k: np.tril(dy, k), {"k": -1}),
    OpCase("_np_diag", ((3,),), np.diag, {"k": -1}),
    OpCase("_np_diag", ((3, 4),), np.diag, {"k": 2}),
    OpCase("_np_diag", ((3, 4),), np.diag, {"k": 7}),
    OpCase("_np_diag_backward", ((3, 3), (3,)), lambda dy, data: np.diag(dy)),
    OpCase("_np_diag_backward", ((2,), (2, 3)), lambda dy, data: np.eye(2, 3) * dy[:, None]),
    OpCase("_np_diagflat", ((2, 2),), np.diagflat, {"k": 1}),
    OpCase("_np_diagonal", (X,), np.diagonal),
    OpCase("_np_diagonal", (X,), np.diagonal, {"offset": -1, "axis1": -1, "axis2": 1}),
    OpCase("_np_diagonal_backward", ((4, 2), X), _diagonal_backward),
    OpCase("_np_trace", (X,), np.trace),
    OpCase("_np_trace", ((3, 3),), np.trace, {"offset": 1}),
    OpCase("_np_trace_backward", ((4,), X), _trace_backward),
)
