"""Calling a symbol: its variables are replaced by other symbols."""

import pytest

from hy_ndarray import ArgumentError
from hy_symbol import GraphError, Symbol, sym


@pytest.fixture
def first() -> Symbol:
    made: Symbol = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
    return made


@pytest.fixture
def second() -> Symbol:
    made: Symbol = sym.FullyConnected(sym.var("data2"), num_hidden=10, name="fc2")
    return made


EXPECTED = ["data", "fc1_weight", "fc1_bias", "fc2_weight", "fc2_bias"]


def test_a_variable_is_replaced_by_name(first: Symbol, second: Symbol) -> None:
    composed = second(data2=first, name="composed")
    assert composed.list_arguments() == EXPECTED
    assert composed.name == "composed"
    assert composed.list_outputs() == ["composed_output"]


def test_a_variable_is_replaced_by_position(first: Symbol, second: Symbol) -> None:
    assert second(first).list_arguments() == EXPECTED
    replaced = second(first, sym.var("w"))
    assert replaced.list_arguments() == ["data", "fc1_weight", "fc1_bias", "w", "fc2_bias"]


def test_the_symbol_that_is_called_stays_as_it_was(first: Symbol, second: Symbol) -> None:
    second(data2=first, name="composed")
    assert second.list_arguments() == ["data2", "fc2_weight", "fc2_bias"]
    assert second.name == "fc2"


def test_every_use_of_the_variable_is_replaced(first: Symbol) -> None:
    x = sym.var("x")
    twice = sym.relu(x) + x
    assert twice(x=first).list_arguments() == ["data", "fc1_weight", "fc1_bias"]


def test_variables_of_one_name_are_replaced_together() -> None:
    both = sym.var("a") + sym.var("a")
    assert both.list_arguments() == ["a", "a"]
    assert both(a=sym.var("b")).list_arguments() == ["b"]


def test_a_group_and_internals_can_be_called(first: Symbol, second: Symbol) -> None:
    group = sym.Group([first, second])
    assert group(data=sym.var("q")).list_arguments()[0] == "q"
    assert second.get_internals()(data2=first).list_outputs()[0] == "fc1_output"


def test_auxiliary_states_can_be_replaced() -> None:
    bn = sym.BatchNorm(sym.var("d"), name="bn")
    assert bn(bn_moving_mean=sym.var("mean")).list_auxiliary_states() == ["mean", "bn_moving_var"]


def test_a_variable_itself_can_be_called(first: Symbol) -> None:
    assert sym.var("v")(v=first).list_outputs() == ["fc1_output"]


def test_a_wrong_call_says_what_is_wrong(first: Symbol, second: Symbol) -> None:
    with pytest.raises(ArgumentError, match="by position or by name, not both"):
        second(first, fc2_weight=first)
    with pytest.raises(ArgumentError, match="no input 'zz'; inputs: data2, fc2_weight, fc2_bias"):
        second(zz=first)
    with pytest.raises(ArgumentError, match="has 3 inputs, 4 are given"):
        second(first, first, first, first)
    with pytest.raises(ArgumentError, match="an int is given where a Symbol belongs"):
        second(data2=3)
    with pytest.raises(GraphError, match="has 2 outputs; choose one"):
        second(data2=sym.Group([first, first]))
    with pytest.raises(GraphError, match="is a group of several nodes, it cannot be named 'n'"):
        sym.Group([first, second])(data=first, name="n")
