"""The tutorial: hybridize, its options, export and SymbolBlock.imports."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn
from tests.seeds.lenet import Net, fresh_names


@pytest.fixture
def net() -> Net:
    mx.random.seed(42)
    with fresh_names():
        net = Net()
    net.initialize()
    return net


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Which kinds of x hybrid_forward printed."""
    out = capsys.readouterr().out
    return ["NDArray"] * out.count("<NDArray") + ["Symbol"] * out.count("<Symbol data>")


def test_a_symbol_is_printed_once_after_hybridize(
    net: Net, capsys: pytest.CaptureFixture[str]
) -> None:
    x = mx.nd.random_normal(shape=(16, 1, 28, 28))
    net(x)
    net(x)
    assert printed(capsys) == ["NDArray", "NDArray"]
    net.hybridize()
    net(x)
    assert printed(capsys) == ["Symbol"]
    net(mx.nd.random_normal(shape=(16, 1, 28, 28)))
    assert printed(capsys) == []


@pytest.mark.parametrize(
    "flags", [{"static_alloc": True}, {"static_alloc": True, "static_shape": True}]
)
def test_static_memory_gives_the_same_numbers(net: Net, flags: dict[str, Any]) -> None:
    x = mx.nd.random_normal(shape=(16, 1, 28, 28))
    expected = net(x).asnumpy()
    net.hybridize(**flags)
    first = net(x)
    kept = first.asnumpy()
    np.testing.assert_allclose(kept, expected, rtol=1e-5, atol=1e-6)
    net(x * 2)
    np.testing.assert_array_equal(first.asnumpy(), kept)  # a later call leaves results alone
    other = mx.nd.random_normal(shape=(3, 1, 28, 28))  # another shape is allowed
    assert net(other).shape == (3, 10)


def test_static_shape_needs_static_alloc(net: Net) -> None:
    with pytest.raises(mx.MXNetError, match="static_shape=True needs static_alloc=True"):
        net.hybridize(static_shape=True)


def test_export_and_import(net: Net, tmp_path: Path) -> None:
    net.hybridize()
    x = mx.nd.random_normal(shape=(16, 1, 28, 28))
    y = net(x)
    net.export(str(tmp_path / "model"), epoch=1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model-0001.params", "model-symbol.json"]
    net2 = gluon.SymbolBlock.imports(
        str(tmp_path / "model-symbol.json"), ["data"], str(tmp_path / "model-0001.params")
    )
    np.testing.assert_array_equal(net2(x).asnumpy(), y.asnumpy())


class Model(gluon.HybridBlock):
    """The block of the API page, which overrides forward instead of hybrid_forward."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense0 = nn.Dense(20)
            self.dense1 = nn.Dense(20)

    def forward(self, x: Any, *_: Any) -> Any:
        x = mx.nd.relu(self.dense0(x))
        return mx.nd.relu(self.dense1(x))


def test_the_model_of_the_api_page() -> None:
    with fresh_names():
        model = Model()
    model.initialize(ctx=mx.cpu(0))
    model.hybridize()
    assert model(mx.nd.zeros((10, 10), ctx=mx.cpu(0))).shape == (10, 20)
    names = [f"model0_dense{i}_{kind}" for i in (0, 1) for kind in ("weight", "bias")]
    assert list(model.collect_params()) == names
    assert list(model.collect_params(".*weight")) == names[::2]
    assert (model.name, model.prefix) == ("model0", "model0_")


def test_a_top_level_block_hybridizes_its_children(capsys: pytest.CaptureFixture[str]) -> None:
    net = nn.Sequential()
    net.add(Net())
    net.initialize()
    with pytest.warns(UserWarning, match="HybridSequential"):  # it could be one graph
        net.hybridize()
    x = mx.nd.zeros((2, 1, 28, 28))
    net(x)
    net(x)
    assert printed(capsys) == ["Symbol"]
