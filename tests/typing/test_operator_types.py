"""What type checkers know of the operators; an error they do not find is an unused ignore."""

from typing import Any, assert_type

import pytest

import mxnet as mx
from hy_ndarray import ArgumentError, NDArray, nd
from hy_symbol import Symbol, sym
from mxnet import symbol
from mxnet.ndarray import contrib


def test_functions_on_arrays_give_arrays() -> None:
    x = nd.ones((2, 3))
    assert_type(nd.relu(x), NDArray)
    assert_type(nd.one_hot(nd.zeros((2,)), 3), NDArray)
    assert_type(nd.linalg.gemm2(x, x, transpose_b=True), NDArray)
    assert_type(nd.linalg_gemm2(x, x, transpose_b=True), NDArray)
    assert_type(nd.sparse.relu(x), NDArray)
    assert_type(nd.op.relu(x), NDArray)
    assert_type(nd._internal._plus_scalar(x, scalar=1), NDArray)
    assert_type(nd.concat(x, x, dim=0), NDArray)
    assert_type(nd.stack([x, x]), NDArray)
    assert_type(nd.FullyConnected(x, x, no_bias=True, num_hidden=2), NDArray)
    assert_type(nd.FullyConnected(x, x, nd.ones((2,)), 2), NDArray)
    assert_type(nd.moments(x, axes=(0,)), list[NDArray])


def test_mxnets_paths_lead_to_the_same_functions() -> None:
    box = mx.nd.array([[0, 0, 1, 1]])
    assert_type(mx.nd.contrib.box_iou(box, box), NDArray)
    assert_type(mx.nd.random.unique_zipfian(range_max=5, shape=(1, 3)), list[NDArray])
    assert_type(contrib.box_iou(box, box), NDArray)
    assert_type(symbol.contrib.box_iou(), Symbol)


def test_functions_with_one_or_several_results_give_anything() -> None:
    parts: list[NDArray] = nd.split(nd.ones((2, 3)), num_outputs=3)
    assert len(parts) == 3


def test_functions_on_symbols_give_symbols() -> None:
    x = sym.var("x")
    assert_type(sym.relu(x, name="r"), Symbol)
    assert_type(sym.split(x, num_outputs=3), Symbol)
    assert_type(sym.FullyConnected(x, num_hidden=3), Symbol)
    assert_type(sym.FullyConnected(num_hidden=3), Symbol)
    assert_type(sym.expand_dims(x, 0), Symbol)


def test_methods_give_what_they_are_called_on() -> None:
    assert_type(nd.ones((2, 3)).sum(axis=1).sqrt(), NDArray)
    assert_type(sym.var("x").softmax(axis=1).log(), Symbol)


def test_wrong_calls_are_found_before_they_run() -> None:
    x = nd.ones((2, 3))
    wrong: tuple[Any, ...] = (
        lambda: nd.softmax(x, axes=1),  # type: ignore[call-arg]
        lambda: nd.FullyConnected(x, x),  # type: ignore[call-overload]
        lambda: nd.Activation(x, act_type="gelu"),  # type: ignore[arg-type]
        lambda: nd.relu([1, 2]),  # type: ignore[arg-type]
        lambda: sym.relu(x),  # type: ignore[arg-type]
        lambda: x.clip(0),  # type: ignore[call-arg]
    )
    for call in wrong:
        with pytest.raises(ArgumentError):
            call()
    with pytest.raises(AttributeError, match="rellu"):
        nd.rellu(x)  # type: ignore[attr-defined]
