"""Cases of searching and sorting along an axis."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase

TIED = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 1.0]])
SEARCHES = (("argmax", np.argmax), ("argmin", np.argmin))

REPEATED = np.random.default_rng(1).integers(0, 4, (3, 50)) / 1.0
WITH_NAN = np.where(np.arange(40) % 9 == 4, np.nan, np.arange(40) % 13)
FIRST_NAN = np.array([4, 13, 22], np.float32)


def _argsort(x: Any, axis: Any = -1, is_ascend: bool = True, dtype: str = "float32") -> Any:
    return np.argsort(x if is_ascend else -x, axis, kind="stable").astype(dtype)


def _sort(x: Any, axis: Any = -1, is_ascend: bool = True) -> Any:
    return np.sort(x, axis) if is_ascend else -np.sort(-x, axis)


def _topk(
    x: Any,
    axis: Any = -1,
    k: int = 1,
    ret_typ: str = "indices",
    is_ascend: bool = False,
    dtype: str = "float32",
) -> Any:
    flat = x.ravel() if axis is None else x
    along = -1 if axis is None else axis
    size = flat.shape[along]
    order = _argsort(flat, along, is_ascend, "int64")
    leading = np.take(order, np.arange(k if k > 0 else size), along)
    values = np.take_along_axis(flat, leading, along)
    mask = np.zeros_like(flat)
    np.put_along_axis(mask, leading, 1, along)
    indices = leading.astype(dtype)
    both = (values, indices)
    results = {"value": values, "indices": indices, "mask": mask.reshape(x.shape), "both": both}
    return results[ret_typ]


def _leading_backward(dy: Any, x: Any, axis: int, k: int, is_ascend: bool) -> Any:
    indices = _topk(x, axis, k, "indices", is_ascend, "int64")
    dx = np.zeros_like(x)
    np.put_along_axis(dx, indices, dy, axis)
    return dx


def _leading_of(values: Any, x: Any, axis: int, k: int, is_ascend: bool) -> Any:
    return np.take_along_axis(values, _topk(x, axis, k, "indices", is_ascend, "int64"), axis)


SHUFFLED = np.random.default_rng(2).permutation(24).reshape(2, 3, 4) / 1.0

CASES = (
    *(
        OpCase(name, (shape,), lambda x, *, f=function, **params: f(x, **params), params)
        for name, function in SEARCHES
        for shape, params in (
            ((3, 5), {"axis": 1}),
            ((2, 3, 4), {"axis": -2, "keepdims": True}),
            ((0, 4), {"axis": 1}),
        )
    ),
    *(OpCase(n, ((2, 3, 4),), lambda x, f=f: f(x)[None]) for n, f in SEARCHES),
    *(OpCase(n, ((2, 3),), lambda x, axis, f=f: f(x, axis), {"axis": 1}, inputs={0: TIED})
      for n, f in SEARCHES),
    OpCase("argmax_channel", ((2, 4, 3),), lambda x: x.argmax(1)),
    OpCase("sort", ((3, 5),), _sort),
    OpCase("sort", ((2, 4, 3),), _sort, {"axis": 1, "is_ascend": False}),
    OpCase("sort", ((2, 5),), _sort, {"axis": None}),
    OpCase("sort", ((0, 5),), _sort, {"axis": -2}),
    OpCase("argsort", ((3, 5),), _argsort),
    OpCase("argsort", ((2, 4, 3),), _argsort, {"axis": 0, "is_ascend": False, "dtype": "int32"}),
    OpCase("argsort", ((2, 5),), _argsort, {"axis": None}),
    OpCase("argsort", ((3, 50),), _argsort, {"is_ascend": False}, inputs={0: REPEATED}),
    *(OpCase("topk", (shape,), _topk, {**params, "ret_typ": kind})
      for kind in ("value", "indices", "mask", "both")
      for shape, params in (
          ((3, 5), {}),
          ((2, 4, 3), {"axis": 1, "k": 2, "is_ascend": True}),
          ((2, 5), {"axis": None, "k": 3, "dtype": "int64"}),
          ((2, 5), {"k": -1}),
          ((3, 100), {"k": 4}),
          ((100, 3), {"k": 4, "axis": 0, "is_ascend": True}),
          ((0, 3), {"k": 2}),
      )),
    OpCase("topk", ((3, 50),), _topk, {"k": 5}, inputs={0: REPEATED}),
    OpCase("topk", ((3, 50),), _topk, {"k": 5, "is_ascend": True}, inputs={0: REPEATED}),
    OpCase("topk", ((40,),), lambda x, k: FIRST_NAN, {"k": 3}, inputs={0: WITH_NAN}),
    OpCase("topk", ((40,),), _topk, {"k": 3, "is_ascend": True}, inputs={0: WITH_NAN}),
    OpCase("_leading_backward", ((2, 2, 4), (2, 3, 4)), _leading_backward,
           {"axis": 1, "k": 2, "is_ascend": False}, inputs={1: SHUFFLED}),
    OpCase("_leading_of", ((2, 3, 4), (2, 3, 4)), _leading_of,
           {"axis": 1, "k": 2, "is_ascend": True}, inputs={1: SHUFFLED}),
)  # fmt: skip
