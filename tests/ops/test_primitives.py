"""A table with the kernels of primitives alone runs everything."""

import numpy as np
import pytest

from hy_gluon import Trainer, loss, nn
from hy_ndarray import (
    DTypeError,
    autograd,
    cpu,
    device_of,
    explain,
    invoke,
    nd,
    ops,
    random,
    use_kernels,
)
from hy_ndarray.ops.primitives import PRIMITIVES
from tests.kernels.tiny_table import TinyTable
from tests.ops.primitives_table import PrimitivesTable


def is_composed(op: ops.Operator) -> bool:
    return device_of(cpu()).kernels.is_composed(op.kernel)


def test_primitives_are_the_operators_that_are_not_composed_of_others() -> None:
    with use_kernels(TinyTable("none")):
        found = {op.kernel for op in ops.operators() if op.kernel and not is_composed(op)}
    assert found == set(PRIMITIVES)
    assert len(PRIMITIVES) <= 260


def test_each_has_a_reason() -> None:
    assert all(PRIMITIVES.values())


def test_compositions_end_in_primitives() -> None:
    with use_kernels(PrimitivesTable()):
        for op in filter(lambda op: op.kernel, ops.operators()):
            assert explain(op).table == ("composition" if is_composed(op) else "primitives")


NOT_OF_ALL = {
    "_np_same_sign",  # of nan: a gradient, which is nan or 0
    "_relu_backward",  # of negative results, which ReLU does not give
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of inf - inf
def test_compositions_of_elements_take_infinity_and_nan_as_kernels_do() -> None:
    special = np.array(
        [np.inf, -np.inf, np.nan, 0, -0.0, 3e38, -3e38, 1e-42, 1e30, 89, -104, 1, -0.5], np.float32
    )
    second = [np.full_like(special, y) for y in (-2, 0, np.inf, np.nan)]
    tested = 0
    for op in ops.operators():
        required = op.params.keys() - op.defaults.keys()
        params = {**op.defaults, **dict.fromkeys(required, 2.0)}
        if not op.traits.pointwise or op.composition is None or not required <= {"scalar"}:
            continue
        if op.variadic or op.name in NOT_OF_ALL or len(op.active_inputs(params)) > 2:
            continue
        for y in [None] if len(op.active_inputs(params)) == 1 else second:
            arrays = [nd.array(x) for x in (special, y) if x is not None]
            try:
                wanted = invoke(op, arrays, params).asnumpy()
            except DTypeError:  # of whole numbers alone
                continue
            with use_kernels(PrimitivesTable()):
                found = invoke(op, arrays, params).asnumpy()
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-6, err_msg=op.name)
            tested += 1
    assert tested > 100


def trained(hybrid: bool) -> list[float]:
    """Losses of a small LeNet, the same net and data each time."""
    random.seed(3)
    rng = np.random.default_rng(3)
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 5, activation="tanh"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(6, 3, activation="tanh"),
        nn.AvgPool2D(2, 2),
        nn.Flatten(),
        nn.Dense(16, activation="relu"),
        nn.Dense(4),
    )
    net.initialize()
    if hybrid:
        net.hybridize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    criterion = loss.SoftmaxCrossEntropyLoss()
    losses = []
    for _ in range(4):
        x = nd.array(rng.standard_normal((8, 1, 20, 20)), dtype="float32")
        label = nd.array(rng.integers(0, 4, 8), dtype="float32")
        with autograd.record():
            value = criterion(net(x), label)
        value.backward()
        trainer.step(8)
        losses.append(float(value.mean().asscalar()))
    return losses


def test_lenet_trains_on_primitives_as_on_the_numpy_table() -> None:
    with use_kernels("numpy"):
        expected = trained(hybrid=True)
    with use_kernels(PrimitivesTable()):
        np.testing.assert_allclose(trained(hybrid=True), expected, rtol=1e-4)
        np.testing.assert_allclose(trained(hybrid=False), expected, rtol=1e-4)
