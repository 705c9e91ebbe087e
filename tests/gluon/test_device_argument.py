"""`device=` of MXNet 2, wherever a function takes `ctx=`; its names of contexts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mxnet as mx
from hy_gluon import Parameter, nn
from hy_ndarray import ArgumentError, cpu, nd, np, npx
from hy_symbol import sym

ELSEWHERE = cpu(1)
CALLS: dict[str, Callable[..., Any]] = {
    "np.zeros": lambda **x: np.zeros((1,), **x),
    "np.array": lambda **x: np.array([1], **x),
    "np.full_like": lambda **x: np.full_like(np.ones((1,), ctx=cpu()), 2, **x),
    "np.random.uniform": lambda **x: np.random.uniform(size=(1,), **x),
    "npx.random.bernoulli": lambda **x: npx.random.bernoulli(0.5, size=(1,), **x),
    "nd.array": lambda **x: nd.array([1], **x),
    "nd.arange": lambda **x: nd.arange(2, **x),
    "nd.random.normal": lambda **x: nd.random.normal(shape=(1,), **x),
    "nd.random_uniform": lambda **x: nd.random_uniform(shape=(1,), **x),
    "nd.sparse.zeros": lambda **x: nd.sparse.zeros("csr", (1, 1), **x),
}


@pytest.mark.parametrize("call", CALLS)
def test_an_array_is_on_the_device(call: str) -> None:
    with cpu(2):
        assert CALLS[call](device=ELSEWHERE).context == CALLS[call](ctx=ELSEWHERE).context
    with pytest.raises(ArgumentError, match="ctx"):
        CALLS[call](device=ELSEWHERE, ctx=ELSEWHERE)


def test_a_node_has_the_device() -> None:
    assert '"ctx": "cpu(1)"' in sym.zeros((1,), device=ELSEWHERE).tojson()
    assert '"ctx": "cpu(1)"' in sym.np.zeros((1,), device=ELSEWHERE).tojson()  # type: ignore[call-arg]


def test_a_block_and_its_parameters_are_on_the_device(tmp_path: Path) -> None:
    net: Any = nn.Dense(1, in_units=1)
    net.initialize(device=ELSEWHERE)
    weight = net.weight
    assert weight.data(device=ELSEWHERE).context == ELSEWHERE
    assert weight.list_device() == [ELSEWHERE]
    net.save_parameters(str(tmp_path / "x.params"))
    net.reset_device([cpu(2)])
    assert weight.list_ctx() == [cpu(2)]
    weight.reset_device(ELSEWHERE)
    other: Any = nn.Dense(1, in_units=1)
    other.load_parameters(str(tmp_path / "x.params"), device=ELSEWHERE)
    assert other.weight.grad(device=ELSEWHERE).context == ELSEWHERE
    with pytest.raises(
        ArgumentError, match="initialize: ctx and device are two names of one argument"
    ):
        Parameter("x", shape=(1,)).initialize(ctx=cpu(), device=cpu())  # type: ignore[call-arg]


def test_contexts_are_devices() -> None:
    assert mx.Device is mx.device.Device is mx.Context
    assert mx.current_device() == mx.device.current_device() == mx.current_context()
    assert mx.device.num_gpus() == mx.num_gpus()
    assert np.ones((1,)).to_device(ELSEWHERE).context == ELSEWHERE


def test_mixed_precision_has_its_name_of_mxnet_2() -> None:
    assert mx.amp is mx.contrib.amp
