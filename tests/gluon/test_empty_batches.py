"""A batch of nothing: every layer gives nothing of the right shape, and learns nothing from it."""

from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock
from hy_ndarray import NDArray, autograd, nd
from tests.gluon.layer_case import LayerCase
from tests.gluon.layer_cases import CASES as LAYER_CASES
from tests.gluon.rnn_cases import CASES as RNN_CASES

LAYERS = pytest.mark.parametrize("case", LAYER_CASES, ids=str)
RECURRENT = pytest.mark.parametrize("case", RNN_CASES, ids=str)
WAYS = pytest.mark.parametrize(
    "way",
    [None, {}, {"static_alloc": True, "static_shape": True}],
    ids=["eager", "hybrid", "static"],
)
MODES = pytest.mark.parametrize("is_train", [False, True], ids=["predict", "train"])


def made(case: LayerCase, way: dict[str, Any] | None) -> HybridBlock:
    block = case.make()
    block.initialize()
    if way is not None:
        block.hybridize(**way)
    return block


def empty(shape: tuple[int, ...], axis: int) -> NDArray:
    array = nd.empty([0 if i == axis else size for i, size in enumerate(shape)])
    array.attach_grad()
    return array


def learned(block: HybridBlock) -> dict[str, Any]:
    """The moving averages, and that no gradient is anything but 0."""
    states = {}
    for name, parameter in block.collect_params().items():
        if parameter.grad_req != "null":
            assert not parameter.grad().asnumpy().any(), name
        else:
            states[name] = parameter.data().asnumpy()
    return states


def run(block: HybridBlock, inputs: list[NDArray], *, is_train: bool) -> Any:
    with autograd.record(train_mode=is_train):
        y = block(*inputs)
    y.backward(train_mode=is_train)
    for x in inputs:
        assert x.grad is not None
        assert x.grad.shape == x.shape
    return y


@LAYERS
@WAYS
@MODES
def test_a_layer_takes_an_empty_batch(case: LayerCase, way: Any, is_train: bool) -> None:
    block = made(case, way)
    shapes = [shape for shape in case.shapes if shape is not None]
    whole = block(*map(nd.ones, shapes))
    before = learned(block)
    y = run(block, [empty(shape, 0) for shape in shapes], is_train=is_train)
    assert y.shape == (0, *whole.shape[1:])
    np.testing.assert_equal(learned(block), before)


@RECURRENT
@WAYS
def test_a_recurrent_layer_takes_an_empty_batch(case: LayerCase, way: Any) -> None:
    block = made(case, way)
    shapes = [shape for shape in case.shapes if shape is not None]
    step = case.name.startswith("step")
    first = 0 if step or "NTC" in case.name else 1
    if case.name.startswith("unroll") and "TNC" not in case.name:
        first = 0
    batched = [first, *(0 if step or len(shape) == 1 else 1 for shape in shapes[1:])]
    for _ in range(2):
        inputs = [empty(shape, axis) for shape, axis in zip(shapes, batched, strict=True)]
        assert run(block, inputs, is_train=True).shape == (0,)
    learned(block)


@WAYS
def test_an_empty_batch_tells_the_sizes_of_parameters(way: Any) -> None:
    block = made(LAYER_CASES[1], way)
    assert block(empty((3, 2, 2), 0)).shape == (0, 4)
    assert block(nd.ones((3, 2, 2))).shape == (3, 4)
