"""A call means the same whatever was called before: parameters are read once for equal calls."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, Context, autograd, limits, nd, ops, profiler, use_kernels
from hy_ndarray.core import _dispatch
from hy_ndarray.core._bound_params import BoundParams
from hy_ndarray.devices._kernels import StaleTableError
from hy_ndarray.devices._tables import kernel_table

CLIP: Any = nd.clip
DENSE: Any = nd.FullyConnected
EXPAND: Any = nd.expand_dims
POOL: Any = nd.Pooling


def test_zeros_of_either_sign_are_two_numbers() -> None:
    x = nd.ones((2,))
    for scalar in (0.0, -0.0, 0.0):
        y = nd._internal._mul_scalar(x, scalar=scalar).asnumpy()
        assert np.signbit(y).all() == np.signbit(scalar)


def test_sizes_that_are_no_integers_are_refused_after_equal_ones() -> None:
    x = nd.ones((1, 1, 4, 4))
    assert POOL(x, kernel=(2, 2), stride=(2, 2)).shape == (1, 1, 2, 2)
    with pytest.raises(ArgumentError, match="kernel"):
        POOL(x, kernel=(2.0, 2.0), stride=(2, 2))


def test_an_axis_that_is_no_integer_is_refused_after_an_equal_one() -> None:
    x = nd.ones((2, 3))
    assert EXPAND(x, axis=1).shape == (2, 1, 3)
    with pytest.raises(ArgumentError, match="axis"):
        EXPAND(x, axis=1.0)


def test_parameters_by_position_by_name_and_as_lists() -> None:
    x = nd.array([[1, -2, 3]])
    for _ in range(2):
        assert CLIP(x, -1, 1).asnumpy().tolist() == [[1, -1, 1]]
        assert CLIP(x, -1, a_max=1).asnumpy().tolist() == [[1, -1, 1]]
        assert nd.transpose(x, axes=[1, 0]).shape == nd.transpose(x, (1, 0)).shape == (3, 1)
        assert nd.sum(x, axis=(0, 1)).asnumpy().tolist() == [2]
        with pytest.raises(ArgumentError, match="multiple values for parameter a_max"):
            CLIP(x, -1, 1, a_max=1)
        with pytest.raises(ArgumentError, match="at most 3"):
            CLIP(x, -1, 1, 2)


def test_numbers_of_numpy_are_those_they_are_though_others_have_their_bytes() -> None:
    x = nd.array([-9, 2, 9])
    for _ in range(2):
        for low, high in (
            (np.float32(-1), np.float32(1)),
            (np.float32(1).view(np.int32), np.float32(4).view(np.int32)),
            (np.int64(-2), np.int64(3)),
            (np.int64(-2).view(np.float64), np.int64(3).view(np.float64)),
        ):
            found = CLIP(x, low, high).asnumpy()
            np.testing.assert_allclose(found, np.clip(x.asnumpy(), float(low), float(high)))


def test_a_dtype_by_class_or_by_name() -> None:
    x = nd.array([0, 2])
    for _ in range(2):
        for dtype in (np.int32, "int32", float, np.float16, np.dtype("uint8"), "float32"):
            found = nd.one_hot(x, 3, dtype=dtype)
            assert np.dtype(found.dtype) == np.dtype(dtype)
            assert found.asnumpy().tolist() == [[1, 0, 0], [0, 0, 1]]
        with pytest.raises(ArgumentError, match="dtype"):
            nd.one_hot(x, 3, dtype=list)


def test_inputs_by_name_behind_others() -> None:
    x, b = nd.array([[1, 2]]), nd.array([10])
    for _ in range(2):
        assert DENSE(x, weight=x, bias=b, num_hidden=1).asnumpy().tolist() == [[15]]
        assert DENSE(x, x, bias=b, num_hidden=1).asnumpy().tolist() == [[15]]
        assert nd.where(condition=x, y=x, x=-x).asnumpy().tolist() == [[-1, -2]]
        assert nd.concat(x, x, dim=1, name="joined").shape == (1, 4)
        with pytest.raises(ArgumentError, match="multiple values for input data"):
            DENSE(x, data=x, weight=x, num_hidden=1, no_bias=True)
        with pytest.raises(ArgumentError, match="input weight is missing"):
            DENSE(data=x, bias=b, num_hidden=1)
        with pytest.raises(ArgumentError, match="unknown argument 'wight'"):
            DENSE(data=x, wight=x, num_hidden=1)


def test_a_change_of_a_list_is_seen() -> None:
    x, axes = nd.ones((1, 2, 3)), [0, 1, 2]
    assert nd.transpose(x, axes=axes).shape == (1, 2, 3)
    axes.reverse()
    assert nd.transpose(x, axes=axes).shape == (3, 2, 1)


def test_a_lower_limit_holds_for_calls_that_were_allowed() -> None:
    x, most = nd.ones((1, 4)), limits.most
    assert len(nd.split(x, num_outputs=4)) == 4
    limits.most = 3
    try:
        with pytest.raises(ArgumentError, match="num_outputs"):
            nd.split(x, num_outputs=4)
    finally:
        limits.most = most


def test_a_place_by_name_text_or_scope() -> None:
    for _ in range(2):
        assert nd._internal._zeros(shape=(2,), ctx=Context("cpu", 1)).context == Context("cpu", 1)
        assert nd._internal._zeros(shape=(2,), ctx="cpu(2)").context == Context("cpu", 2)
        with Context("cpu", 3):
            assert nd._internal._zeros(shape=(2,)).context == Context("cpu", 3)


def test_inputs_by_name_and_options_without_effect() -> None:
    x = nd.array([[1, 2]])
    for _ in range(2):
        y = nd.FullyConnected(data=x, weight=x, num_hidden=1, no_bias=True, name="layer")
        assert y.asnumpy().tolist() == [[5]]
        assert nd.FullyConnected(x, x, num_hidden=1, no_bias=True).asnumpy().tolist() == [[5]]
        assert nd.relu(x, name="layer").asnumpy().tolist() == [[1, 2]]


class Binding:
    """The numpy table, of which a kernel has a function for given parameters, which tells of it."""

    def __init__(self, told: list[Any], kernel: str = "clip") -> None:
        self._table: Any = kernel_table("numpy")
        self._told = told
        self._kernel = kernel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def find(self, name: str) -> Any:
        found = self._table.find(name)
        return replace(found, specialize=self._specialized) if name == self._kernel else found

    def _specialized(self, types: Any, params: Any) -> Any:
        assert types is None
        self._told.append(dict(params))
        if self._kernel == "clip":
            clip = self._table.find("clip").function
            return lambda data: clip(data, **params) + 100
        return lambda *inputs, **_: np.full((2,), 7, np.float32)


def test_a_function_for_the_parameters_is_asked_for_once() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told)):
        x = nd.array([-5, 5])
        for _ in range(3):
            assert CLIP(x, -1, 1).asnumpy().tolist() == [99, 101]
        assert told == [{"a_min": -1.0, "a_max": 1.0}]
        assert CLIP(x, a_min=-2, a_max=2).asnumpy().tolist() == [98, 102]
        assert len(told) == 2
    assert CLIP(x, -1, 1).asnumpy().tolist() == [-1, 1]
    with use_kernels(Binding(told)):
        assert CLIP(x, -1, 1).asnumpy().tolist() == [99, 101]


def test_calls_without_parameters_repeat_those_that_are_left_out() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told, "softmax")):
        x = nd.array([-5, 5])
        for _ in range(2):
            assert nd.softmax(x).asnumpy().tolist() == [7, 7]
        assert told == [dict(ops.find("softmax").defaults)]


def test_for_a_number_beside_an_array_a_function_is_asked_for_once_it_comes_again() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told, "plus_scalar")):
        x, seven = nd.array([-5, 5]), [7, 7]
        assert (x + 0.625).asnumpy().tolist() == [-4.375, 5.625]
        assert told == []
        for number in (0.625, np.float32(0.625), 0.625):
            assert (x + number).asnumpy().tolist() == seven
        assert told == [{"scalar": 0.625, "is_int": True}]


def test_what_is_observed_is_the_kernel_itself() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told)):
        x = nd.array([-5, 5])
        assert CLIP(x, -1, 1).asnumpy().tolist() == [99, 101]
        profiler.set_state("run")
        try:
            assert CLIP(x, -1, 1).asnumpy().tolist() == [-1, 1]
        finally:
            profiler.set_state("stop")
        assert CLIP(x, -1, 1).asnumpy().tolist() == [99, 101]


def test_results_that_nobody_sees_are_left_out_where_nothing_is_recorded() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told, "dropout")):
        x = nd.array([1, 1])
        assert nd.Dropout(x, p=0.0).asnumpy().tolist() == [7, 7]
        with autograd.train_mode():
            assert nd.Dropout(x, p=0.0).asnumpy().tolist() == [1, 1]
        x.attach_grad()
        with autograd.record(train_mode=False):
            y = nd.Dropout(x, p=0.0)
        assert y.asnumpy().tolist() == [1, 1]
        y.backward()
        assert x.grad is not None
        assert x.grad.asnumpy().tolist() == [1, 1]
        out = nd.zeros((2,))
        assert nd.Dropout(x, p=0.0, out=out).asnumpy().tolist() == [7, 7]
        assert len(told) == 1


def test_a_call_that_overwrites_an_input_is_no_short_one() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told, "batch_norm")):
        data, gamma, beta = nd.ones((2, 1)), nd.array([5]), nd.zeros((1,))
        states = nd.zeros((1,)), nd.ones((1,))
        assert nd.BatchNorm(data, gamma, beta, *states, eps=0, fix_gamma=True).shape == (2, 1)
        assert gamma.asscalar() == 1
        several = nd.BatchNorm(
            data, gamma, beta, *states, eps=0, fix_gamma=False, output_mean_var=True
        )
        assert len(several) == 3
        assert told == []
        assert nd.BatchNorm(data, gamma, beta, *states, fix_gamma=False).asnumpy()[0] == 7


def test_what_makes_arrays_is_told_where_alone() -> None:
    told: list[Any] = []
    with use_kernels(Binding(told, "zeros")):
        for _ in range(2):
            assert nd.zeros((3,)).asnumpy().tolist() == [7, 7]
            assert nd.zeros((3,), Context("cpu", 1)).context == Context("cpu", 1)
            assert nd.zeros((3,), out=nd.ones((2,))).asnumpy().tolist() == [7, 7]
        with pytest.raises(ArgumentError, match="shape"):
            nd.zeros((3.0,))
    absent: Any = None
    with pytest.raises(ArgumentError, match="input gamma is missing"):
        nd.LayerNorm(nd.ones((2, 2)), absent, nd.ones((2,)))


def test_arrays_are_made_though_the_table_is_replaced_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    make = _dispatch.created_array

    def made(*how: Any) -> Any:
        asked.append(how)
        if len(asked) == 1:
            raise StaleTableError("zeros")
        return make(*how)

    monkeypatch.setattr(_dispatch, "created_array", made)
    assert nd.zeros((3,), dtype="int32").asnumpy().tolist() == [0, 0, 0]
    assert len(asked) == 2


def test_copies_of_kept_parameters_are_plain() -> None:
    kept = BoundParams(ops.find("sum"), {"axis": 1})
    assert type(copy.deepcopy(kept)) is dict
    assert copy.deepcopy(kept) == kept


def test_an_input_that_is_left_out_is_missed_after_calls_with_one_that_is_gone() -> None:
    x, weight = nd.ones((2, 3)), nd.ones((4, 3))
    for _ in range(2):
        nd.FullyConnected(x, weight, nd.ones(4), num_hidden=4)  # whose bias is freed
    with pytest.raises(ArgumentError, match="input bias is missing"):
        nd.FullyConnected(x, weight, None, num_hidden=4)
