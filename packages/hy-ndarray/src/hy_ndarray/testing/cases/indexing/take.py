"""Cases of elements and rows selected by arrays of indices, or by a condition."""

from typing import Any

import numpy as np

from hy_ndarray.testing.op_case import OpCase


def _take(a: Any, indices: Any, axis: int = 0, mode: Any = "clip") -> Any:
    return np.take(a, indices.astype(int), axis, mode=mode)


def _take_backward(dy: Any, a: Any, indices: Any, axis: int = 0, mode: str = "clip") -> Any:
    size = a.shape[axis]
    index = indices.astype(int).ravel()
    index = index % size if mode == "wrap" else np.clip(index, 0, size - 1)
    at = axis % a.ndim
    rows = dy.reshape(*a.shape[:at], index.size, *a.shape[at + 1 :])
    da = np.zeros_like(a)
    np.add.at(np.moveaxis(da, at, 0), index, np.moveaxis(rows, at, 0))
    return da


def _embedding(data: Any, weight: Any, **_: Any) -> Any:
    return weight[np.clip(data.astype(int), 0, len(weight) - 1)]


def _pick(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = "clip") -> Any:
    size = data.shape[axis]
    column = (
        index.astype(int) if index.ndim == data.ndim else np.expand_dims(index, axis).astype(int)
    )
    column = column % size if mode == "wrap" else np.clip(column, 0, size - 1)
    picked = np.take_along_axis(data, column, axis)
    return picked if keepdims else picked.squeeze(axis)


def _one_hot(indices: Any, depth: int, on_value: float = 1, off_value: float = 0, **_: Any) -> Any:
    hit = indices.astype(int)[..., None] == np.arange(depth)
    return np.where(hit, on_value, off_value)


def _where(condition: Any, x: Any, y: Any) -> Any:
    if condition.ndim < x.ndim:
        condition = condition.reshape(-1, *[1] * (x.ndim - 1))
    return np.where(condition != 0, x, y)


def _float(*values: Any) -> Any:
    return np.array(values, np.float32)


CASES = (
    OpCase("take", ((5, 3), (4,)), _take, inputs={1: _float(1, 4.9, 1, 7)}),
    OpCase("take", ((5, 3), (4,)), _take, {"mode": "wrap"}, inputs={1: np.array([-1, 2, 5, -7])}),
    OpCase(
        "take",
        ((2, 5, 3), (2, 2)),
        _take,
        {"axis": -2},
        inputs={1: np.array([[0, 4], [-3, 0]], np.int32)},
    ),
    OpCase("take", ((3,), (1,)), _take, {"mode": "raise"}, inputs={1: np.array([2])}),
    OpCase("take", ((5, 3), (0,)), _take, inputs={1: np.zeros(0, np.int64)}),
    OpCase(
        "_sparse_retain",
        ((4, 3), (3,)),
        lambda x, i: np.where(np.isin(np.arange(4), i)[:, None], x, 0).astype(x.dtype),
        grad_inputs=(0,),
        inputs={1: np.array([3, 1, 3])},
    ),
    OpCase(
        "_sparse_retain",
        ((2, 0), (0,)),
        lambda x, i: x,
        grad_inputs=(0,),
        inputs={1: _float()},
    ),
    OpCase(
        "_take_backward",
        ((4, 3), (5, 3), (4,)),
        _take_backward,
        grad_inputs=(0,),
        inputs={2: np.array([1, 4, 1, 9])},
    ),
    OpCase(
        "_take_backward",
        ((2, 2, 2, 3), (2, 5, 3), (2, 2)),
        _take_backward,
        {"axis": 1, "mode": "wrap"},
        grad_inputs=(0,),
        inputs={2: _float([-1, 0], [4, 0])},
    ),
    OpCase(
        "Embedding",
        ((2, 3), (5, 4)),
        _embedding,
        {"input_dim": 5, "output_dim": 4},
        inputs={0: _float([1, 0, 1], [-1, 4, 8])},
    ),
    OpCase(
        "Embedding",
        ((0,), (5, 1)),
        _embedding,
        {"input_dim": 5, "output_dim": 1},
        inputs={0: np.zeros(0, np.int32)},
    ),
    OpCase("pick", ((3, 4), (3,)), _pick, inputs={1: _float(1, 9, -2)}),
    OpCase(
        "pick",
        ((2, 3, 4), (2, 4)),
        _pick,
        {"axis": -2, "keepdims": True, "mode": "wrap"},
        inputs={1: np.array([[0, -1, 4, 2], [1, 1, 1, 7]])},
    ),
    OpCase("pick", ((2, 3), (2, 1)), _pick, inputs={1: np.array([[0], [2]], np.int32)}),
    OpCase(
        "pick", ((4,), (1,)), lambda x, i, **_: x[i.astype(int)], {"axis": 0}, inputs={1: _float(2)}
    ),
    OpCase(
        "_pick_backward",
        ((3,), (3, 4), (3,)),
        lambda dy, x, i: dy[:, None] * (i.astype(int)[:, None] == np.arange(4)),
        grad_inputs=(0,),
        inputs={2: _float(1, 0, 3)},
    ),
    OpCase("one_hot", ((4,),), _one_hot, {"depth": 3}, inputs={0: _float(1, 2.9, 3, -1)}),
    OpCase(
        "one_hot",
        ((2, 2),),
        _one_hot,
        {"depth": 3, "on_value": 5, "off_value": -1, "dtype": "int32"},
        inputs={0: np.array([[0, 2], [1, 7]])},
    ),
    OpCase("one_hot", ((0,),), _one_hot, {"depth": 2}, inputs={0: np.zeros(0, np.int32)}),
    OpCase(
        "where", ((2, 3), (2, 3), (2, 3)), _where, inputs={0: np.array([[1, 0, 2], [0, -1, 0]])}
    ),
    OpCase("where", ((2,), (2, 3, 1), (2, 3, 1)), _where, inputs={0: _float(0, 0.5)}),
    OpCase("where", ((0,), (0, 3), (0, 3)), _where, inputs={0: np.zeros(0, bool)}),
    OpCase(
        "_contrib_SparseEmbedding",
        ((3,), (5, 2)),
        _embedding,
        {"input_dim": 5, "output_dim": 2},
        inputs={0: np.array([4, 4, 0])},
    ),
    OpCase(
        "_onehot_encode",
        ((3,), (3, 2)),
        lambda index, like: np.eye(2)[index],
        inputs={0: np.array([1, 0, 1])},
    ),
    OpCase(
        "fill_element_0index",
        ((2, 3), (2,), (2,)),
        lambda x, values, index: np.where(index[:, None] == np.arange(3), values[:, None], x),
        inputs={2: np.array([2, 0])},
    ),
)
