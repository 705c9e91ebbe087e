"""What shaping and indexing operators refuse, and how they say it; arrays and types agree."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import DTypeError, IndexingError, ShapeError, invoke, nd, ops
from hy_ndarray.array._functions import function_named
from hy_ndarray.ops import TensorType

S, D = ShapeError, DTypeError

REFUSED: tuple[tuple[str, list[Any], dict[str, Any], type[Exception], str], ...] = (
    ("Reshape", [(2, 3)], {"shape": (4, -1)}, S, r"cannot reshape 6 elements into \(4, \?\)"),
    (
        "Reshape",
        [(2, 3)],
        {"shape": (2, 2)},
        S,
        r"\(2, 3\) \(6 elements\) into \(2, 2\) \(4 elements\)",
    ),
    ("Reshape", [(2, 3)], {"shape": (-1, -1)}, S, "more than one -1"),
    ("Reshape", [(2, 3)], {"shape": (0, 0, 0)}, S, "code 0 in .* needs axis 2"),
    ("Reshape", [(2, 3)], {"shape": (0, -3)}, S, "code -3 in .* needs axis 2"),
    ("Reshape", [(2, 3)], {"shape": (-4, 2, 2, 0)}, S, "cannot split an axis of size 2"),
    ("Reshape", [(2, 3)], {"shape": (-4, -1, -1, 0)}, S, "into -1 and -1"),
    ("Reshape", [(2, 3)], {"shape": (0, -4, 3)}, S, "two sizes after -4"),
    ("Reshape", [(2, 3)], {"shape": (0, -5)}, S, "unknown code, -5"),
    ("reshape_like", [(2, 3), (2, 2)], {}, S, r"\(6 elements\) into \(2, 2\)"),
    (
        "reshape_like",
        [(2, 3), (2, 3)],
        {"lhs_begin": 2, "lhs_end": 1},
        S,
        "axes 2:1 must be one or more",
    ),
    ("Flatten", [()], {}, S, r"data \(\) must have at least one axis"),
    ("expand_dims", [(2, 3)], {"axis": 4}, S, "axis=4 is outside the 3 axes"),
    ("squeeze", [(2, 3)], {"axis": 0}, S, r"\(2, 3\) must be \(1, 3\)"),
    ("squeeze", [(1, 3)], {"axis": (0, -2)}, S, r"\(0, -2\) repeats an axis"),
    ("transpose", [(2, 3)], {"axes": (0, 0)}, S, r"axes=\(0, 0\) must be a permutation"),
    ("SwapAxis", [(2, 3)], {"dim1": 2}, S, "axis 2 is outside the 2 axes"),
    ("reverse", [(2, 3)], {"axis": 2}, S, "axis=2 is outside"),
    ("depth_to_space", [(1, 3, 1, 1)], {"block_size": 2}, S, "axis 1 .* multiple of 4"),
    ("depth_to_space", [(4, 1, 1)], {"block_size": 2}, S, "must have 4 axes"),
    ("space_to_depth", [(1, 1, 1, 3)], {"block_size": 2}, S, "axis 2 .* multiple of 2"),
    ("diag", [(2, 3)], {"axis2": 0}, S, "axis1=0 and axis2=0 must be different"),
    ("Concat", [(2, 3), (3, 4)], {"dim": 1}, S, "must agree in all axes except dim=1"),
    ("Concat", [(2, 3), (2,)], {}, S, "all inputs must have the same number of axes"),
    ("Concat", [(2, 3)], {"dim": 2}, S, "axis=2 is outside"),
    ("stack", [(2, 3), (2, 4)], {}, S, r"must be \(2, 4\)"),
    ("stack", [(2, 3)], {"axis": 3}, S, "axis=3 is outside the 3 axes"),
    ("SliceChannel", [(2, 5)], {"num_outputs": 2}, S, "into 2 equal parts"),
    ("SliceChannel", [(2, 4)], {"num_outputs": 2, "squeeze_axis": True}, S, "size 1 .* got 2"),
    (
        "_split_v2",
        [(2, 5)],
        {"indices": (0, 1), "squeeze_axis": True},
        S,
        r"size 1 .* got \[1, 4\]",
    ),
    ("slice", [(4, 3)], {"begin": (0,), "end": (1, 2)}, S, "must have the same length"),
    (
        "slice",
        [(4,)],
        {"begin": (0, 0), "end": (1, 2)},
        S,
        r"more entries than data \(4,\) has axes",
    ),
    ("slice", [(4,)], {"begin": (0,), "end": (1,), "step": (0,)}, S, "must not contain 0"),
    ("slice_axis", [(4, 3)], {"axis": 0, "begin": 1, "end": 5}, S, "end=5 is outside axis 0"),
    (
        "slice_axis",
        [(4, 3)],
        {"axis": 0, "begin": -5, "end": None},
        S,
        "begin=-5, .* is outside axis 0",
    ),
    ("slice_like", [(2, 2), (3, 2)], {}, S, "larger than"),
    ("slice_like", [(2, 2), (1, 2, 2)], {}, S, "must have the same number of axes"),
    ("_slice_assign", [(3, 3), (1,)], {"begin": (1,), "end": (2,)}, S, r"must be \(1, 3\)"),
    ("Crop", [(1, 1, 4, 4)], {"h_w": (5, 2)}, S, "exceeds the height 4"),
    ("Crop", [(1, 1, 4, 4)], {"h_w": (2, 2), "offset": (0, 3)}, S, "exceeds the width 4"),
    ("Crop", [(1, 1, 4, 4)], {}, S, "height of the crop must be at least 1, got 0"),
    ("repeat", [(2,)], {"repeats": 1, "axis": 1}, S, "axis=1 is outside"),
    ("Pad", [(2, 3)], {"mode": "edge", "pad_width": (1, 1)}, S, "two numbers for each axis"),
    ("Pad", [(2,)], {"mode": "reflect", "pad_width": (2, 0)}, S, "cannot reflect 2"),
    ("Pad", [(0,)], {"mode": "edge", "pad_width": (1, 0)}, S, "size 0 with mode='edge'"),
    ("broadcast_to", [(2, 3)], {"shape": (4, 3)}, S, r"cannot be broadcast to \(4, 3\)"),
    ("broadcast_to", [(3,)], {"shape": (4, 3)}, S, "must have the same number of axes"),
    (
        "broadcast_axis",
        [(2, 3)],
        {"axis": 0, "size": 4},
        S,
        r"axis 0 of data \(2, 3\) must have size 1",
    ),
    ("broadcast_axis", [(1, 3)], {"axis": 0}, S, "must have the same length"),
    ("broadcast_like", [(1, 3), (5, 2)], {}, S, "cannot be broadcast"),
    ("broadcast_like", [(3,), (5, 3)], {}, S, "must have the same number of axes"),
    ("take", [(2, 3), (2,)], {"axis": 2}, S, "axis=2 is outside"),
    ("Embedding", [(2,), (2, 3)], {"input_dim": 3, "output_dim": 2}, S, r"must be \(3, 2\)"),
    ("pick", [(2, 3), (3,)], {}, S, r"index \(3,\) must be \(2,\)"),
    ("pick", [(2, 3), (2,)], {"axis": None}, S, "axis=None"),
    ("where", [(3,), (2, 3), (2, 3)], {}, S, r"condition \(3,\) must be \(2,\)"),
    ("where", [(2, 3), (2, 3), (2, 2)], {}, S, r"x \(2, 3\) must be \(2, 2\)"),
    ("gather_nd", [(2,), (2, 3)], {}, S, "2 coordinates for the 1 axes"),
    ("scatter_nd", [(2,), (1, 3)], {"shape": (4,)}, S, r"\(2,\) must be \(3,\)"),
    ("_scatter_set_nd", [(3,), (2,), (1, 2)], {"shape": (4,)}, S, r"\(3,\) must be \(4,\)"),
    ("batch_take", [(2, 3, 4), (2,)], {}, S, "must have 2 axes"),
    ("batch_take", [(2, 3), (3,)], {}, S, r"indices \(3,\) must be \(2,\)"),
    ("_contrib_boolean_mask", [(2, 3), (3,)], {}, S, r"index \(3,\) must be \(2,\)"),
    ("_contrib_index_copy", [(4, 3), (2,), (2, 2)], {}, S, r"must be \(2, 3\)"),
    ("_ravel_multi_index", [(3, 2)], {"shape": (7, 6)}, S, r"must be \(2, \?\)"),
    ("_contrib_getnnz", [(3,)], {}, S, "must have 2 axes"),
    ("_histogram", [(3,)], {"bin_cnt": 0, "range": (0, 1)}, S, "bin_cnt=0"),
    ("_histogram", [(3,)], {"bin_cnt": 2, "range": (1, 1)}, S, "range=.*increasing"),
    ("_histogram", [(3,), (0,)], {}, S, r"bins \(0,\) must have at least one edge"),
    ("SequenceMask", [(2, 3), (2,)], {"use_sequence_length": True}, S, r"must be \(3,\)"),
    ("SequenceMask", [(2, 3)], {"axis": 2}, S, "axis=2 must be 0 or 1"),
    ("SequenceLast", [(3,)], {}, S, "at least 2 axes, time and batch"),
    ("SequenceLast", [(0, 3)], {}, S, "cannot take the last element .* axis 0 is empty"),
    ("SequenceReverse", [(2, 3), (2,)], {"use_sequence_length": True}, S, r"must be \(3,\)"),
    ("im2col", [(1, 1, 3, 3)], {"kernel": (4, 1)}, S, "size 4 .* exceeds the padded image size 3"),
    ("im2col", [(1, 1, 3)], {"kernel": (1, 1)}, S, "must have 4 axes"),
    ("im2col", [(1, 1, 3)], {"kernel": (1,), "stride": (1, 1)}, S, "1 numbers each"),
    ("col2im", [(1, 6, 4)], {"kernel": (3,), "output_size": (5,)}, S, r"must be .*3\)"),
    (
        "col2im",
        [(1, 5, 3)],
        {"kernel": (3,), "output_size": (5,)},
        S,
        r"data \(1, 5, 3\) must be a multiple of 3",
    ),
    ("_random_pdf_normal", [(2, 3), (3,), (3,)], {}, S, r"mu \(3,\) must be \(2,\)"),
)


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_arrays_and_types_are_refused_alike(case: Any) -> None:
    name, shapes, params, kind, message = case
    op = ops.find(name)
    inputs = [nd.array(np.ones(shape)) for shape in shapes]
    with pytest.raises(kind, match=message) as arrays:
        function_named(name)(*inputs, **params)
    with pytest.raises(kind, match=message):
        invoke(op, inputs, op.parse(params))
    types = [TensorType(shape, "float32", n) for shape, n in zip(shapes, _names(op), strict=False)]
    with pytest.raises(kind, match=message):
        op.infer(types, op.parse(params))
    assert str(arrays.value).startswith(f"{name}: ")


def _names(op: Any) -> list[str]:
    return [f"arg{i}" for i in range(3)] if op.variadic else list(op.inputs)


def _mixed(name: str, **params: Any) -> Any:
    op = ops.find(name)
    arrays = [nd.array([1, 2]), nd.array([1, 2], dtype="int32")]
    return nd.NDArray.apply_operator(op, arrays, op.parse(params))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("Concat", {"dim": 0}),
        ("stack", {}),
        ("_slice_assign", {"begin": (0,), "end": (2,)}),
        ("_histogram", {}),
    ],
)
def test_mixed_dtypes_are_refused(name: str, params: dict[str, Any]) -> None:
    with pytest.raises(D, match=f"{name}: "):
        _mixed(name, **params)


def test_where_refuses_mixed_dtypes() -> None:
    with pytest.raises(D, match="where: "):
        nd.where(nd.array([1]), nd.array([1]), nd.array([1], dtype="int32"))


OUTSIDE = (
    (lambda: nd.take(nd.array([1, 2]), nd.array([2]), mode="raise"), "take: index 2 is outside"),
    (lambda: nd.take(nd.array([1, 2]), nd.array([-1]), mode="raise"), "take: index -1"),
    (lambda: nd.gather_nd(nd.array([1, 2]), nd.array([[5]])), "gather_nd: index 5 is out"),
    (lambda: nd.scatter_nd(nd.array([1]), nd.array([[5]]), shape=(2,)), "scatter_nd: index 5"),
    (
        lambda: nd.contrib.index_copy(nd.array([1, 2]), nd.array([2]), nd.array([1])),
        "_contrib_index_copy: index 2",
    ),
)


@pytest.mark.parametrize(("call", "message"), OUTSIDE)
def test_indices_outside_are_refused(call: Any, message: str) -> None:
    with pytest.raises(IndexingError, match=message):
        call()
