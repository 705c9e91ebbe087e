"""A net that has learnt digits knows them on small integers, too."""

from typing import Any

import numpy as np
import pytest

import mxnet as mx
from examples.digit_rows import TEST, accuracy, fit
from examples.lenet_digits import Net, digits
from mxnet import gluon
from mxnet.contrib.quantization import quantize_net_v2

pytestmark = pytest.mark.slow

LOSS = 0.005


@pytest.fixture(scope="module")
def net() -> gluon.HybridBlock:
    """LeNet after some passes over the digits that are not held out."""
    x, labels = digits()
    net = Net(prefix="lenet_")
    mx.random.seed(1)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    fit(net, x[TEST:], labels[TEST:], 6, 0.004)
    assert accuracy(net, x, labels) > 0.97
    return net


@pytest.mark.parametrize("mode", ["none", "naive", "entropy"])
@pytest.mark.parametrize("dtype", ["int8", "auto"])
@pytest.mark.parametrize("granularity", ["tensor-wise", "channel-wise"])
def test_accuracy_stays(net: gluon.HybridBlock, mode: str, dtype: str, granularity: str) -> None:
    x, labels = digits()
    examples = [mx.nd.array(part) for part in np.split(x[TEST : TEST + 512], 8)]
    made: Any = quantize_net_v2(
        net,
        dtype,
        quantize_granularity=granularity,
        calib_data=examples,
        calib_mode=mode,
        num_calib_examples=512,
    )
    assert "Convolution" not in {node.op.name for node in graph_nodes(made) if node.op}
    assert accuracy(made, x, labels) >= accuracy(net, x, labels) - LOSS


def graph_nodes(block: Any) -> Any:
    return block(mx.sym.var("data")).graph.nodes
