"""The notebook that looks inside HybridBlock, statement by statement.

Where MXNet 1.9.1 prints something else than the notebook, which is older, 1.9.1 is followed.
"""

from typing import Any

import pytest

import mxnet as mx
from mxnet import ndarray, symbol
from mxnet.gluon.block import _flatten, _regroup
from mxnet.symbol import Symbol
from tests.seeds.lenet import Net, fresh_names

POOL = (
    "MaxPool2D(size=(2, 2), stride=(2, 2), padding=(0, 0), ceil_mode=False, global_pool=False, "
    "pool_type=max, layout=NCHW)"
)
PARAMETERS = """\
net0_ (
  Parameter net0_fc3_weight (shape=(10, 84), dtype=<class 'numpy.float32'>)
  Parameter net0_conv0_weight (shape=(6, 1, 5, 5), dtype=<class 'numpy.float32'>)
  Parameter net0_conv0_bias (shape=(6,), dtype=<class 'numpy.float32'>)
  Parameter net0_conv1_weight (shape=(16, 6, 5, 5), dtype=<class 'numpy.float32'>)
  Parameter net0_conv1_bias (shape=(16,), dtype=<class 'numpy.float32'>)
  Parameter net0_dense0_weight (shape=(120, 256), dtype=float32)
  Parameter net0_dense0_bias (shape=(120,), dtype=float32)
  Parameter net0_dense1_weight (shape=(84, 120), dtype=float32)
  Parameter net0_dense1_bias (shape=(84,), dtype=float32)
)"""
INPUTS = [
    "data",
    "net0_conv0_weight",
    "net0_conv0_bias",
    "net0_conv1_weight",
    "net0_conv1_bias",
    "net0_dense0_weight",
    "net0_dense0_bias",
    "net0_dense1_weight",
    "net0_dense1_bias",
    "net0_fc3_weight",
]


@pytest.fixture
def net() -> Net:
    mx.random.seed(42)
    with fresh_names():
        return Net()


def test_a_fresh_net(net: Net) -> None:
    children = net._children
    assert list(children) == ["conv1", "pool1", "conv2", "pool2", "fc1", "fc2"]
    assert repr(children["conv1"]) == "Conv2D(None -> 6, kernel_size=(5, 5), stride=(1, 1))"
    assert repr(children["pool1"]) == POOL
    assert repr(children["fc1"]) == "Dense(None -> 120, linear)"
    assert repr(net._reg_params) == (
        "{'fc3_weight': Parameter net0_fc3_weight (shape=(10, 84), dtype=<class 'numpy.float32'>)}"
    )
    assert net._flags == []
    assert net._cached_graph == ()
    assert net._cached_op is None


def test_an_eager_call_leaves_no_cache(net: Net, capsys: pytest.CaptureFixture[str]) -> None:
    net.initialize()
    x = mx.nd.random_normal(shape=(16, 1, 28, 28))
    y = net(x)
    assert y.shape == (16, 10)
    assert "<NDArray 16x1x28x28 @cpu(0)>" in capsys.readouterr().out
    assert repr(y).endswith("<NDArray 16x10 @cpu(0)>")
    assert (net._flags, net._cached_graph, net._cached_op) == ([], (), None)
    assert repr(net.collect_params()) == PARAMETERS


def test_flatten_and_regroup() -> None:
    x = mx.nd.zeros((2, 3))

    def t(*args: Any) -> Any:
        return args

    _, fmt = _flatten(t(x), "input")
    assert fmt == [0]
    assert _flatten(x, "input")[1] == 0
    flat, fmt = _flatten([x, [x, None]], "input")
    assert (len(flat), fmt) == (3, [0, [0, -1]])
    first, (second, nothing) = _regroup(flat, fmt)
    assert first is x
    assert second is x
    assert nothing is None
    with pytest.raises(ValueError, match="the input of a hybridized block must be an NDArray"):
        _flatten("text", "input")


def build_by_hand(net: Net, x: Any) -> list[tuple[str, Any]]:
    """What hybridize does on the first call, done by hand; returns the flags."""
    _, net._in_format = _flatten(x, "input")
    inputs = [symbol.var("data")]
    grouped = _regroup(inputs, net._in_format)
    assert isinstance(grouped, Symbol)
    params = {i: j.var() for i, j in net._reg_params.items()}
    assert repr(params) == "{'fc3_weight': <Symbol net0_fc3_weight>}"
    with net.name_scope():
        out = net.hybrid_forward(symbol, grouped, **params)
    out, net._out_format = _flatten(out, "output")
    assert repr((out, net._out_format)) == "([<Symbol net0_dot0>], 0)"
    net._cached_graph = inputs, symbol.Group(out)
    assert repr(net._cached_graph) == "([<Symbol data>], <Symbol net0_dot0>)"

    data, out = net._cached_graph
    data_names = {d.name: i for i, d in enumerate(data)}
    assert data_names == {"data": 0}
    collected = net.collect_params()
    assert out.list_inputs() == INPUTS
    param_names, expected_names = set(collected.keys()), set(out.list_inputs())
    used_data_names = [i for i in data_names if i in expected_names]
    assert used_data_names == ["data"]
    used_param_names = [i for i in param_names if i in expected_names]
    assert sorted(used_param_names) == sorted(param_names) == sorted(INPUTS[1:])
    data_indices: list[int] = []
    param_indices: list[int] = []
    net._cached_op_args = []
    for i, name in enumerate(out.list_inputs()):
        if name in data_names:
            data_indices.append(i)
            net._cached_op_args.append((True, data_names[name]))
        else:
            param_indices.append(i)
            net._cached_op_args.append((False, collected[name]))
    return [("data_indices", data_indices), ("param_indices", param_indices), *net._flags]


def test_the_cache_built_by_hand(net: Net) -> None:
    net.initialize()
    x = mx.nd.random_normal(shape=(16, 1, 28, 28))
    expected = net(x).asnumpy()
    net.hybridize()
    assert net._active is True
    assert net._cached_op is None
    flags = build_by_hand(net, x)
    assert repr(net._cached_op_args[:2]) == (
        "[(True, 0), (False, Parameter net0_conv0_weight "
        "(shape=(6, 1, 5, 5), dtype=<class 'numpy.float32'>))]"
    )
    assert flags == [
        ("data_indices", [0]),
        ("param_indices", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("static_alloc", False),
        ("static_shape", False),
        ("inline_limit", 2),
    ]
    assert net._cached_graph
    _, out = net._cached_graph
    net._cached_op = ndarray.CachedOp(out, flags)
    with pytest.raises(ValueError, match="structure"):  # it was flattened as x, not as (x,)
        net(x)
    net._in_format = [0]
    assert abs(net(x).asnumpy() - expected).max() < 1e-6


def test_the_cache_after_a_call(net: Net) -> None:
    net.initialize()
    x = mx.nd.random_normal(shape=(16, 1, 28, 28))
    net.hybridize()
    net(x)
    assert net._in_format == [0]
    assert repr(net._cached_graph) == "([<Symbol data>], <Symbol net0_dot0>)"
    assert isinstance(net._cached_op, ndarray.CachedOp)
