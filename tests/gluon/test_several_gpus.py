"""Several GPUs: each has the parameters and a part of the batch, and the trainer sums gradients."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, loss, nn
from hy_gluon.utils import split_and_load
from hy_ndarray import autograd, cpu, gpu, kernel_table, nd, use_kernels
from hy_ndarray.devices.context import num_gpus
from tests.gluon.capturing import STATIC, has_cuda
from tests.gluon.stand_in import TwoGpus

GPUS = [gpu(0), gpu(1)]


@pytest.fixture(params=["stand-in", pytest.param("torch", marks=pytest.mark.gpu)], autouse=True)
def _table(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.param == "torch" and not (has_cuda() and kernel_table("torch").count("gpu") > 1):
        pytest.skip("there are no two CUDA devices")
    table: Any = TwoGpus() if request.param == "stand-in" else "torch"
    with use_kernels(table, device="gpu"):
        yield


def net(ctx: Any, **how: Any) -> nn.HybridSequential:
    made = nn.HybridSequential()
    made.add(nn.Dense(4, in_units=3, activation="tanh"), nn.Dense(2, in_units=4))
    made.initialize(ctx=ctx)
    for k, parameter in enumerate(made.collect_params().values()):
        draw = np.random.default_rng(k)
        parameter.set_data(nd.array(draw.normal(size=parameter.shape)))
    made.hybridize(**how)
    return made


def learned(contexts: list[Any], rule: str, *, store: str = "device", **how: Any) -> Any:
    """All copies of all parameters, after some steps."""
    block = net(contexts, **how)
    trainer = Trainer(block.collect_params(), rule, {"learning_rate": 0.1}, kvstore=store)
    data, label = nd.array(np.arange(18.0).reshape(6, 3) / 9), nd.ones((6, 2))
    loss_of = loss.L2Loss()
    for _ in range(5):
        parts = zip(split_and_load(data, contexts), split_and_load(label, contexts), strict=True)
        with autograd.record():
            losses = [loss_of(block(x), y) for x, y in parts]
        autograd.backward(losses)
        trainer.step(6)
    params = block.collect_params().values()
    return [[p.data(context).asnumpy() for p in params] for context in contexts]


def test_each_gets_a_part_of_the_batch() -> None:
    parts = split_and_load(nd.array([[1, 2], [3, 4], [5, 6], [7, 8]]), GPUS)
    assert [x.context for x in parts] == GPUS
    assert [x.asnumpy().tolist() for x in parts] == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]


@pytest.mark.parametrize("store", ["device", "local"])
@pytest.mark.parametrize("rule", ["sgd", "adam"])
def test_two_learn_what_one_does(rule: str, store: str) -> None:
    both = learned(GPUS, rule, store=store)
    (alone,) = learned([cpu()], rule)
    for copies in both:
        for found, wanted in zip(copies, alone, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_static_blocks_learn_the_same_there() -> None:
    for copies in learned(GPUS, "sgd", **STATIC):
        for found, wanted in zip(copies, learned([cpu()], "sgd")[0], strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6)


def test_an_array_of_one_is_no_operand_of_the_other() -> None:
    assert num_gpus() >= 2
    x, y = (nd.ones((2,), ctx=context) for context in GPUS)
    with pytest.raises(ValueError, match=r"different devices \(gpu\(0\), gpu\(1\)\)"):
        x + y
    assert (x + y.as_in_context(gpu(0))).context == gpu(0)
