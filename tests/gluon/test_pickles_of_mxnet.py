"""What MXNet 1.9.1 pickled: its contexts, and blocks that have no parameters."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx

PICKLED = Path(__file__).parent / "data" / "pickled" / "blocks.pickle"
"""A context, and blocks with what they were given and what they gave."""


@pytest.fixture
def pickled() -> Any:
    return pickle.loads(PICKLED.read_bytes())  # noqa: S301  # our own file


def test_pickled_blocks_compute_what_they_did(pickled: Any) -> None:
    for block, data, label, wanted in pickled["rows"]:
        given = [mx.nd.array(x) for x in (data, label) if x is not None]
        for _ in range(2):
            np.testing.assert_allclose(block(*given).asnumpy(), wanted, rtol=1e-5)
            block.hybridize()


def test_pickled_blocks_go_on_counting_names(pickled: Any) -> None:
    net = pickled["rows"][-1][0]
    assert [child.prefix for child in net] == ["net_relu0_", "net_flatten0_"]
    with net.name_scope():
        assert mx.gluon.nn.Activation("relu").prefix == "net_relu1_"


def test_pickled_blocks_are_pickled_again(pickled: Any) -> None:
    block, data, label, wanted = pickled["rows"][0]
    again = pickle.loads(pickle.dumps(block))  # noqa: S301  # from the line itself
    found = again(mx.nd.array(data), mx.nd.array(label)).asnumpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_pickled_context_is_the_one_there_is(pickled: Any) -> None:
    ctx = pickled["ctx"]
    assert isinstance(ctx, mx.Context)
    assert (str(ctx), ctx.device_typeid) == ("cpu(1)", 1)
    assert ctx == mx.cpu(1) == ctx != mx.cpu(0)
    assert {mx.cpu(1): "found"}[ctx] == {ctx: "found"}[mx.cpu(1)] == "found"
    assert mx.nd.zeros(2, ctx=ctx).context is mx.Context(ctx) is mx.cpu(1)
    assert pickle.loads(pickle.dumps(ctx)) is mx.cpu(1)  # noqa: S301  # from the line itself
    with pytest.raises(TypeError, match="device_type"):
        mx.Context()  # type: ignore[call-arg]  # what pickles do without __init__
