"""A hybridized block finds its parameters' arrays once, and again when one got other ones."""

import copy
from typing import Any

import numpy as np
import pytest

from hy_gluon import nn
from hy_gluon.trace.inputs import Inputs
from hy_ndarray import cpu, nd


@pytest.fixture
def net() -> Any:
    """Its weights are all ones; called once."""
    net = nn.Dense(2, in_units=3, use_bias=False)
    net.initialize("ones")
    net.hybridize()
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]
    return net


def test_a_value_that_is_set_counts(net: Any) -> None:
    net.weight.set_data(nd.ones((2, 3)) * 2)
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[6, 6]]


def test_arrays_made_anew_are_found(net: Any) -> None:
    net.initialize("zeros", force_reinit=True)
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[0, 0]]


def test_arrays_are_found_where_the_argument_is(net: Any) -> None:
    net.collect_params().reset_ctx([cpu(0), cpu(1)])
    net.weight.list_data()[1][:] = 5
    for _ in range(2):
        assert net(nd.ones((1, 3), ctx=cpu(0))).asnumpy().tolist() == [[3, 3]]
        y = net(nd.ones((1, 3), ctx=cpu(1)))
        assert (y.context, y.asnumpy().tolist()) == (cpu(1), [[15, 15]])


def test_arrays_that_moved_are_found(net: Any) -> None:
    net.collect_params().reset_ctx(cpu(1))
    assert net(nd.ones((1, 3), ctx=cpu(1))).context == cpu(1)


def test_arrays_made_anew_at_the_same_place_are_found(net: Any) -> None:
    net.collect_params().reset_ctx(net.weight.list_ctx())
    net.weight.list_data()[0][:] = 4
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[12, 12]]


def test_arrays_that_are_gone_are_not_used(net: Any) -> None:
    def broken(*_: Any) -> None:
        raise OSError("no file of weights")

    with pytest.raises(OSError, match="no file of weights"):
        net.weight.initialize(broken, force_reinit=True)
    with pytest.raises(OSError, match="no file of weights"):
        net(nd.ones((1, 3)))


def test_another_dtype_is_found(net: Any) -> None:
    net.weight.cast("float64")
    y = net(nd.ones((1, 3), dtype="float64"))
    assert (y.dtype, y.asnumpy().tolist()) == (np.float64, [[3, 3]])


def test_a_copy_has_parameters_of_its_own(net: Any) -> None:
    twin = copy.deepcopy(net)
    twin.weight.set_data(nd.zeros((2, 3)))
    assert twin(nd.ones((1, 3))).asnumpy().tolist() == [[0, 0]]
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


def test_they_are_looked_for_again_only_after_a_change(
    net: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    weight, seen = net.weight, []
    inputs, x = Inputs([(True, 0), (False, weight)]), nd.ones((1, 3))
    found = type(weight)._on

    def counted(parameter: Any, ctx: Any) -> Any:
        seen.append(ctx)
        return found(parameter, ctx)

    monkeypatch.setattr(type(weight), "_on", counted)
    for _ in range(3):
        first, second = inputs.of([x], x.context)
        assert first is x
        assert second is weight.list_data()[0]
    assert len(seen) == 1
    weight.initialize("zeros", force_reinit=True)
    assert inputs.of([x], x.context)[1] is weight.list_data()[0]
    assert len(seen) == 2


def test_a_shared_parameter_that_is_cast_is_found_by_every_block() -> None:
    first = nn.Dense(2, in_units=3)
    second = nn.Dense(2, in_units=3, params=first.params)
    first.initialize()
    second.hybridize()
    x = nd.ones((1, 3))
    expected = second(x).asnumpy()
    first.cast("float64")
    with pytest.raises(TypeError, match="float64"):
        second(x)
    y = second(x.astype("float64"))
    assert y.dtype == np.float64
    np.testing.assert_allclose(y.asnumpy(), expected, rtol=1e-6)
    first.cast("float32")
    np.testing.assert_array_equal(second(x).asnumpy(), expected)
