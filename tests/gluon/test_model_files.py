"""``Block.save`` and ``Block.load``: structure, graphs and parameters of a model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Block, StructureError, SymbolBlock, nn
from hy_ndarray import cpu, nd
from hy_symbol import sym

OF_MXNET = (
    '{"hybridsequential0": {"orig_name": "a", "hybridized": false, "children": {"a_dense0": "0", '
    '"a_dense1": "1"}, "dense1": {"orig_name": "a_dense0", "hybridized": false, "children": {}}, '
    '"dense2": {"orig_name": "a_dense1", "hybridized": false, "children": {}}}}'
)
"""What MXNet 1.9.1 wrote for ``two("a_")``."""


def two(prefix: str, count: int = 2) -> nn.HybridSequential:
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(*(nn.Dense(3, in_units=3) for _ in range(count)))
    net.initialize("normal")
    return net


def test_the_structure_is_written_as_mxnet_writes_it(tmp_path: Path) -> None:
    two("a_").save(str(tmp_path / "net"))
    text = (tmp_path / "net-model.json").read_text(encoding="utf-8")
    assert json.loads(text) == json.loads(OF_MXNET)


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_model_of_other_names_takes_it_over(hybrid: bool, tmp_path: Path) -> None:
    net, other = two("a_"), two("b_")
    net.hybridize(hybrid)
    x = nd.ones((2, 3))
    expected = net(x).asnumpy()
    net.save(str(tmp_path / "net"))
    other.load(str(tmp_path / "net"))
    assert other._active is hybrid
    np.testing.assert_allclose(other(x).asnumpy(), expected, rtol=1e-6)


def test_plain_blocks_have_no_graph(tmp_path: Path) -> None:
    class Model(Block):
        def __init__(self, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            self.first = nn.Dense(3, in_units=3)
            self.again = self.first

        def forward(self, *args: Any) -> Any:
            return self.again(self.first(args[0]))

    model, other = Model(prefix="m_"), Model()
    model.initialize()
    model.save(str(tmp_path / "model"))
    saved = json.loads((tmp_path / "model-model.json").read_text(encoding="utf-8"))["model0"]
    assert set(saved) == {"orig_name", "children", "dense1", "dense2"}
    other.load(str(tmp_path / "model"))
    x = nd.ones((1, 3))
    np.testing.assert_array_equal(other(x).asnumpy(), model(x).asnumpy())


def test_another_structure_is_refused(tmp_path: Path) -> None:
    two("a_").save(str(tmp_path / "net"))
    with pytest.raises(StructureError, match=r"block b_dense2 is missing .*no entry 'dense3'"):
        two("b_", 3).load(str(tmp_path / "net"))
    (tmp_path / "net-model.json").write_text("[")
    with pytest.raises(StructureError, match="is not JSON"):
        two("b_").load(str(tmp_path / "net"))


def test_a_symbol_block_moves_to_other_contexts() -> None:
    net = two("a_")
    net.hybridize()
    net(nd.ones((1, 3)))
    inputs, out = net._get_graph(nd.ones((1, 3)))
    block = SymbolBlock(out, inputs, params=net.collect_params())
    block.reset_ctx([cpu(0), cpu(1)])
    assert block.collect_params().list_ctx() == [cpu(0), cpu(1)]


def test_parameters_of_a_symbol_block_are_arguments_first_then_states() -> None:
    data = sym.var("data")
    hidden = sym.FullyConnected(sym.BatchNorm(data, name="bn"), num_hidden=2, name="fc")
    assert list(SymbolBlock(hidden, data).collect_params()) == [
        "bn_gamma",
        "bn_beta",
        "fc_weight",
        "fc_bias",
        "bn_moving_mean",
        "bn_moving_var",
    ]


@pytest.mark.parametrize("kind", ["null", "add"])
def test_a_symbol_block_leaves_gradients_of_parameters_it_is_given(kind: str) -> None:
    net = two("a_")
    net.collect_params().setattr("grad_req", kind)
    block = SymbolBlock(net(sym.var("data")), sym.var("data"), params=net.collect_params())
    assert {p.grad_req for p in block.collect_params().values()} == {kind}


def test_a_symbol_block_without_a_file_of_parameters_goes_by_declared_shapes(
    tmp_path: Path,
) -> None:
    weight = sym.var("weight", shape=(2, 3))
    out = sym.FullyConnected(sym.var("data"), sym.broadcast_mul(weight, sym.ones((2, 1))),
                             num_hidden=2, no_bias=True)  # fmt: skip
    (tmp_path / "net.json").write_text(out.tojson())
    net = SymbolBlock.imports(str(tmp_path / "net.json"), "data")
    net.initialize("ones")
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


class Numbered(Block):
    """Its children are named by counters that run on from block to block."""

    def add(self, block: Block) -> None:
        self._children[f"{block.name}_{len(self._children)}"] = block

    def forward(self, x: Any) -> Any:
        for block in self._children.values():
            x = block(x)
        return x


def numbered() -> Numbered:
    inner, outer = Numbered(), Numbered()
    inner.add(nn.Dense(2))
    outer.add(inner)
    outer.add(nn.Dense(3))
    return outer


def test_a_model_is_loaded_by_its_structure_whatever_its_children_are_called(
    tmp_path: Path,
) -> None:
    prefix, x = str(tmp_path / "held"), nd.ones((1, 4))
    saved, loaded = numbered(), numbered()
    saved.initialize()
    expected = saved(x).asnumpy()
    saved.save(prefix)
    loaded.load(prefix)
    assert loaded(x).asnumpy().tolist() == expected.tolist()
