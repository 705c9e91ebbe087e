"""A table whose buffers differ from its fallback's: operands are carried there and back."""

import warnings

import numpy as np
import pytest

from hy_gluon import Trainer, loss, nn
from hy_ndarray import autograd, explain, nd, random, use_kernels
from hy_ndarray.devices._carrying import HOT_CALLS
from hy_ndarray.ops.primitives import PRIMITIVES
from tests.kernels.tiny_table import Block, TinyTable

FEW = ("broadcast_add", "np_matmul", "np_reshape", "copy")


def test_what_a_table_lacks_is_computed_elsewhere_and_its_buffers_are_its_own() -> None:
    table = TinyTable("far", FEW, fallback="numpy")
    with use_kernels(table):
        x = nd.array([[1.0, -2.0], [3.0, 4.0]])
        y = nd.topk(x, k=1, ret_typ="both")
        assert [part.asnumpy().tolist() for part in y] == [[[1.0], [4.0]], [[0.0], [1.0]]]
        assert all(type(part._data) is Block for part in y)
        assert nd.random.uniform(shape=(2, 3)).shape == (2, 3)


def test_explanations_tell_it() -> None:
    with use_kernels(TinyTable("far", FEW, fallback="numpy")):
        assert str(explain("topk")).endswith("are copied to the memory of table 'numpy' and back")
        assert explain("broadcast_add").borrowed == ""
        assert explain("Activation").table == "composition"


def test_a_hot_path_is_told_once() -> None:
    with use_kernels(TinyTable("hot", FEW, fallback="numpy")):
        x = nd.array([1.0, 2.0])
        for _ in range(HOT_CALLS - 1):
            nd.exp(x)
        with pytest.warns(RuntimeWarning, match=f"'hot' has no kernel.* back in {HOT_CALLS} calls"):
            nd.exp(x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(HOT_CALLS + 1):
                nd.exp(x)


def losses(table: TinyTable | str, hybrid: bool) -> list[float]:
    """Losses of a small net, trained on a table."""
    with use_kernels(table), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        random.seed(3)
        rng = np.random.default_rng(3)
        net = nn.HybridSequential()
        net.add(
            nn.Conv2D(3, 3, activation="tanh", in_channels=1),
            nn.MaxPool2D(2, 2),
            nn.Flatten(),
            nn.Dense(4, in_units=27),
        )
        net.initialize()
        for parameter in net.collect_params().values():
            parameter.set_data(nd.array(rng.standard_normal(parameter.shape) * 0.3))
        if hybrid:
            net.hybridize()
        trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        criterion = loss.SoftmaxCrossEntropyLoss()
        found = []
        for _ in range(3):
            x = nd.array(rng.standard_normal((4, 1, 8, 8)))
            label = nd.array(rng.integers(0, 4, 4))
            with autograd.record():
                value = criterion(net(x), label)
            value.backward()
            trainer.step(4)
            found.append(float(value.mean().asscalar()))
    return found


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_net_trains_on_a_table_with_memory_of_its_own(hybrid: bool) -> None:
    expected = losses("numpy", hybrid)
    np.testing.assert_allclose(
        losses(TinyTable("far", FEW, fallback="numpy"), hybrid), expected, rtol=1e-4
    )
    whole = tuple(name for name in PRIMITIVES if name)
    np.testing.assert_allclose(losses(TinyTable("near", whole), hybrid), expected, rtol=1e-4)


def test_its_fusion_and_rules_are_not_asked_for() -> None:
    with use_kernels(TinyTable("far", FEW, fallback="numpy")):
        device = nd.ones((1,))._device
        assert device.fuses is None
        assert device.lowers is None
