"""Names of MXNet 2 that are there beside those of 1.9.1."""

from pathlib import Path
from typing import Any

import numpy as onp
import pytest

from hy_gluon import Constant, HybridBlock, nn, rnn
from hy_gluon.parameter import MismatchError
from hy_io import FileFormatError, load_npz
from hy_ndarray import ArgumentError, autograd, nd, np, npx
from hy_ndarray.npx import use_np
from hy_symbol import NameManager, sym


def test_load_dict_takes_structural_names() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(1, in_units=2, flatten=False), rnn.GRU(1, input_size=1))
    net.load_dict(
        {
            "0.weight": nd.array([[1, 2]]),
            "0.bias": onp.array([3.0], "float32"),
            "1.rnn_param": onp.arange(12, dtype="float32"),
        }
    )
    assert net(nd.ones((1, 1, 2))).shape == (1, 1, 1)
    dense: Any = net[0]
    assert dense.weight.data().asnumpy().tolist() == [[1, 2]]
    with pytest.raises(MismatchError, match="is missing in"):
        net.load_dict({"0.weight": nd.array([[1, 2]])})


def _pair_of_layers(units: int = 1) -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Dense(units, in_units=1), nn.Dense(units, in_units=units), nn.Dense(1))
    net.initialize()
    net(nd.ones((1, 1)))
    return net


def test_load_dict_takes_what_another_block_of_the_class_collected() -> None:
    with NameManager():  # numbers of 9 and 10 are in another order as texts
        blocks = [_pair_of_layers() for _ in range(4)]
    names = [list(block.collect_params()) for block in blocks]
    assert (names[0][2], names[1][0], names[3][2]) == (
        "dense1_weight",
        "dense3_weight",
        "dense10_weight",
    )
    values = {name: nd.full((1, 1) if "w" in name else (1,), i) for i, name in enumerate(names[3])}
    for block in blocks[:3]:
        block.load_dict(dict(sorted(values.items())))
        assert [p.data().asscalar() for p in block.collect_params().values()] == [*range(6)]


def test_numbers_alone_do_not_make_two_blocks_equal(tmp_path: Path) -> None:
    net, file = _pair_of_layers(), str(tmp_path / "x.params")
    other = _pair_of_layers()
    other.collect_params().save(file)
    net.load_parameters(file)
    assert net(nd.ones((1, 1))) == other(nd.ones((1, 1)))
    values = {name: p.data() for name, p in other.collect_params().items()}
    values.popitem()
    with pytest.raises(MismatchError, match="is missing in"):
        net.load_dict(values)
    with pytest.raises(MismatchError, match="shape"):
        _pair_of_layers(2).load_parameters(file)


def test_setattr_and_zero_grad_reach_all_parameters() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize()
    with autograd.record():
        loss = net(nd.ones((1, 2))).sum()
    loss.backward()
    net.zero_grad()
    assert net.weight.grad().asnumpy().tolist() == [[0, 0]]
    net.setattr("lr_mult", 3.0)
    assert {p.lr_mult for p in net.collect_params().values()} == {3.0}


def test_a_constant_of_a_value_alone_is_one() -> None:
    constant = Constant([1.0, 2.0])
    constant.initialize()
    assert (constant.name, constant.data().asnumpy().tolist()) == ("const", [1.0, 2.0])


def test_silu_has_the_numbers_of_mxnet_2() -> None:
    y = nn.SiLU()(nd.array([-1.0, -0.25, 0, 0.5, 2]))
    wanted = [-0.26894143, -0.10945588, 0, 0.31122968, 1.761594]
    onp.testing.assert_allclose(y.asnumpy(), wanted, rtol=1e-5)


def test_savez_writes_arrays_by_number_and_name(tmp_path: Path) -> None:
    file = str(tmp_path / "x.params")
    npx.savez(file, np.ones((2,)), number=np.array(3))
    assert {k: v.tolist() for k, v in load_npz(file).items()} == {"arr_0": [1, 1], "number": 3}
    with pytest.raises(ArgumentError, match="two arrays are called 'arr_0'"):
        npx.savez(file, np.ones((2,)), arr_0=np.ones((1,)))
    with pytest.raises(ArgumentError, match="not a list as 'x'"):
        npx.savez(file, x=[1])  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize(
    ("new", "old"),
    [
        *(("acos", "arccos"), ("acosh", "arccosh"), ("asin", "arcsin"), ("asinh", "arcsinh")),
        *(("atan", "arctan"), ("atanh", "arctanh"), ("atan2", "arctan2"), ("pow", "power")),
        *(("concat", "concatenate"), ("permute_dims", "transpose")),
        ("bitwise_invert", "bitwise_not"),
    ],
)
def test_names_of_the_array_standard_are_other_names(new: str, old: str) -> None:
    assert getattr(np, new) is getattr(np, old)
    assert hasattr(sym.np, new)


def test_extensions_of_mxnet_2_take_symbols() -> None:
    x, m = sym.var("x").as_np_ndarray(), sym.var("m").as_np_ndarray()
    values, mask = np.array([[1.0, 5.0, 1.0]]), np.array([[1.0, 0.0, 1.0]])
    for name in ("masked_softmax", "masked_log_softmax"):
        found = getattr(sym.npx, name)(x, m).eval(x=values, m=mask)[0]
        assert found.asnumpy().tolist() == getattr(npx, name)(values, mask).asnumpy().tolist()
    at = np.array([[0], [1]], dtype="int32")
    for name in ("index_add", "index_update"):
        found = getattr(sym.npx, name)(x, m, sym.var("v").as_np_ndarray())
        result = found.eval(x=values, m=at, v=np.array([7.0]))[0]
        wanted = getattr(npx, name)(values, at, np.array([7.0]))
        assert result.asnumpy().tolist() == wanted.asnumpy().tolist()


def test_no_temperature_is_1() -> None:
    values, mask = np.array([[1.0, 5.0, 2.0]]), np.array([[1, 0, 1]])
    found = npx.masked_softmax(values, mask, temperature=None).asnumpy()
    assert found.tolist() == npx.masked_softmax(values, mask, temperature=1.0).asnumpy().tolist()


def test_no_gradient_flows_through_a_stop() -> None:
    x = np.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = x * npx.stop_gradient(x)
    y.backward()
    assert x.grad is not None
    assert (y.item(), x.grad.item()) == (4, 2)


def test_a_buffer_of_numpy_is_loaded(tmp_path: Path) -> None:
    npx.savez(str(tmp_path / "x.npz"), np.ones((2,)), b=np.array(3))
    loaded: Any = nd.load_frombuffer((tmp_path / "x.npz").read_bytes())
    assert {k: v.asnumpy().tolist() for k, v in loaded.items()} == {"arr_0": [1, 1], "b": 3}
    with pytest.raises(FileFormatError, match="npz"):
        nd.load_frombuffer((tmp_path / "x.npz").read_bytes()[:-9])


@pytest.mark.parametrize("hybridize", [False, True])
@use_np
def test_npx_random_categorical_draws_classes(hybridize: bool) -> None:
    class Drawn(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.npx.random.categorical(x), *F.npx.random.categorical(x, 2, get_prob=True)

    net = Drawn()
    if hybridize:
        net.hybridize()
    one, several, logarithms = net(np.array([[0.0, 1, 0], [1, 0, 0]]))
    assert (one.tolist(), one.dtype.name) == ([1, 0], "int32")
    assert (several.tolist(), logarithms.tolist()) == ([[1, 1], [0, 0]], [[0, 0], [0, 0]])


@pytest.mark.parametrize("name", ["broadcast_like", "slice_like", "box_nms", "group_norm", "pad"])
def test_npx_has_operators_that_1_9_has_elsewhere(name: str) -> None:
    assert name in dir(npx)
    assert callable(getattr(npx, name))
    assert callable(getattr(sym.npx, name))
