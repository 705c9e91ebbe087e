"""What type checkers know of the operators; an error they do not find is an unused ignore."""

from typing import Any, assert_type

import pytest

from hy_ndarray import ArgumentError, NDArray, nd
from hy_symbol import Symbol, sym


def test_functions_on_arrays_give_arrays() -> None:
    x = nd.ones((2, 3))
    assert_type(nd.relu(x), NDArray)
    assert_type(nd.one_hot(nd.zeros((2,)), 3), NDArray)
    assert_type(nd.linalg.gemm2(x, x, transpose_b=True), NDArray)
    assert_type(nd.concat(x, x, dim=0), NDArray)
    assert_type(nd.stack([x, x]), NDArray)
    assert_type(nd.FullyConnected(x, x, no_bias=True, num_hidden=2), NDArray)
    assert_type(nd.FullyConnected(x, x, nd.ones((2,)), 2), NDArray)
    assert_type(nd.moments(x, axes=(0,)), list[NDArray])


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
