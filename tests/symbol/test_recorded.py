"""``autograd.get_symbol``: what was recorded is a graph that computes the same."""

import numpy as np
import pytest

from hy_ndarray import AutogradError, autograd, nd
from hy_symbol.symbol.recorded import get_symbol


def test_the_symbol_of_an_array_computes_it_again() -> None:
    x, scale = nd.array([[1.0, -2.0, 3.0]]), nd.array([[2.0, 2.0, 0.5]])
    x.attach_grad()
    with autograd.record():
        y = nd.split(nd.relu(x * scale + 3), 3, axis=1)[2]
    symbol = autograd.get_symbol(y)
    assert symbol.list_arguments() == ["var0", "var1"]
    (again,) = symbol.eval(var0=x, var1=scale)
    np.testing.assert_array_equal(again.asnumpy(), y.asnumpy())
    assert '"scalar": "3.0"' in symbol.tojson()


def test_the_symbol_of_a_variable_is_a_variable() -> None:
    x = nd.ones(2)
    x.attach_grad()
    assert get_symbol(x).list_arguments() == ["var0"]


def test_an_array_whose_graph_was_freed_has_no_symbol() -> None:
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = x * 2
    y.backward()
    with pytest.raises(AutogradError, match="freed"):
        get_symbol(y)
