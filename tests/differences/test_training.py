"""Training that differs from MXNet's on purpose: what docs/differences.md says of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd


def updated(optimizer: mx.optimizer.Optimizer, *slopes: float, count: int = 1) -> list[float]:
    """Return ``count`` weights of 1 after a step for each of the slopes."""
    updater = mx.optimizer.get_updater(optimizer)
    weights = [nd.array([1.0]) for _ in range(count)]
    for slope in slopes:
        for index, weight in enumerate(weights):
            updater(index, nd.array([slope]), weight)
    return [weight.asscalar() for weight in weights]


def test_the_velocity_of_nag_uses_the_weight_before_the_step() -> None:
    nag = mx.optimizer.NAG(learning_rate=0.1, momentum=0.9, wd=0.5)
    step = 0.1 * (1 + 0.5)
    np.testing.assert_allclose(updated(nag, 1.0), [1 - 0.9 * step - step], rtol=1e-6)


@pytest.mark.parametrize("name", ["nadam", "lars", "lbsgd"])
def test_equal_weights_stay_equal(name: str) -> None:
    more: dict[str, Any] = {} if name == "nadam" else {"momentum": 0.9}

    def optimizer() -> mx.optimizer.Optimizer:
        schedule = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=0.1)
        return mx.optimizer.create(name, learning_rate=0.1, lr_scheduler=schedule, **more)

    one = updated(optimizer(), 0.5, 0.25, 0.5)
    assert updated(optimizer(), 0.5, 0.25, 0.5, count=3) == one * 3


def test_adamax_without_a_gradient_so_far() -> None:
    assert updated(mx.optimizer.Adamax(learning_rate=0.1), 0.0, 0.0) == [1]


@pytest.mark.parametrize(
    "name", ["nadam", "adamax", "adagrad", "adadelta", "dcasgd", "groupadagrad", "sgld"]
)
def test_bounds_of_gradients_that_are_not_above_0_have_no_effect(name: str) -> None:
    def trained(bound: float | None) -> float:
        mx.random.seed(3)
        updater = mx.optimizer.get_updater(mx.optimizer.create(name, clip_gradient=bound))
        weight = nd.array([[1.0]])
        for slope in (0.5, -0.25):
            updater(0, nd.array([[slope]]), weight)
        value: float = weight.asnumpy().item()
        return value

    assert trained(0) == trained(-1) == trained(None) != trained(0.1)


def test_operators_that_optimizers_call_are_not_cast() -> None:
    with mx.amp.autocast("float16"):
        small = updated(mx.optimizer.SGD(learning_rate=1.0), 1e-6)
    np.testing.assert_allclose(small, [1 - 1e-6], rtol=0, atol=6e-8)  # float16 would leave 1


def test_devices_of_a_module_without_a_store_stay_alike() -> None:
    data = mx.sym.var("data")
    net = mx.sym.LinearRegressionOutput(
        mx.sym.FullyConnected(data, num_hidden=1, no_bias=True, name="fc"), mx.sym.var("label")
    )
    weights = []
    for contexts in [mx.cpu(0)], [mx.cpu(0), mx.cpu(1)]:
        module = mx.mod.Module(net, label_names=["label"], context=contexts)
        module.bind([("data", (2, 1))], [("label", (2, 1))])
        module.init_params(mx.init.One())
        module.init_optimizer(kvstore=None, optimizer_params={"learning_rate": 0.1})
        batch = mx.io.DataBatch([nd.array([[1.0], [2.0]])], [nd.array([[0.0], [0.0]])])
        module.forward_backward(batch)
        module.update()
        weights.append(module.get_params()[0]["fc_weight"].asscalar())
    assert weights[0] == pytest.approx(weights[1])


def test_updates_on_a_store_that_is_not_there() -> None:
    net = gluon.nn.Dense(1, in_units=1, use_bias=False)
    net.initialize(mx.init.One())
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.5}, kvstore=None, update_on_kvstore=True
    )
    with autograd.record():
        loss = net(nd.ones((1, 1)))
    loss.backward()
    trainer.step(1)
    assert net.weight.data().asscalar() == 0.5


def test_imported_blocks_have_nested_arguments_and_results(tmp_path: Path) -> None:
    class Nested(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, pair: Any) -> Any:
            return x + pair[0], [x * pair[1], x]

    net = Nested()
    net.hybridize()
    one, two, three = nd.array([1.0]), nd.array([2.0]), nd.array([3.0])
    net(one, [two, three])
    graph, _ = net.export(str(tmp_path / "net"))
    names = mx.sym.load(str(graph)).list_inputs()
    block = gluon.SymbolBlock.imports(str(graph), names)
    total, (product, same) = block(one, [two, three])
    assert [y.asscalar() for y in (total, product, same)] == [3, 3, 1]
    flat = block(one, two, three)
    assert [flat[0].asscalar(), flat[1][0].asscalar()] == [3, 3]


def test_a_weight_read_by_several_sparse_embeddings() -> None:
    class Both(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.first = gluon.nn.Embedding(4, 1, sparse_grad=True)
            self.second = gluon.nn.Embedding(4, 1, sparse_grad=True, params=self.first.params)

        def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
            return self.first(x) + 2 * self.second(y)

    net = Both()
    net.initialize()
    net.hybridize()
    with autograd.record():
        loss = net(nd.array([1]), nd.array([3]))
    loss.backward()
    slope = net.first.weight.grad()
    assert slope.stype == "row_sparse"
    assert slope.asnumpy().ravel().tolist() == [0, 1, 0, 2]


def test_sparse_gradients_are_converted_to_the_storage_of_the_weight() -> None:
    weight: Any = nd.ones((3, 1))
    weight.attach_grad()  # dense
    with autograd.record():
        y = nd.Embedding(nd.array([2]), weight, input_dim=3, output_dim=1, sparse_grad=True)
    y.backward()
    assert weight.grad.stype == "default"
    assert weight.grad.asnumpy().ravel().tolist() == [0, 0, 1]


def test_rows_out_of_range_of_a_sparse_embedding() -> None:
    net = gluon.nn.Embedding(3, 1, sparse_grad=True)
    net.initialize(mx.init.One())
    with autograd.record():
        y = net(nd.array([7]))
    y.backward()
    assert net.weight.grad().asnumpy().ravel().tolist() == [0, 0, 1]


def test_sparse_arrays_of_lists() -> None:
    matrix = nd.sparse.csr_matrix(([1, 2], ([0, 1], [1, 0])))
    assert matrix.dtype == np.float32
    assert matrix.asnumpy().tolist() == [[0, 1], [2, 0]]
    rows = nd.sparse.row_sparse_array(([[1], [2]], [2, 0]))
    assert rows.shape == (3, 1)
    assert rows.asnumpy().tolist() == [[2], [0], [1]]
    with pytest.raises(ValueError, match="must hold integers"):
        nd.sparse.csr_matrix(([1.0], [0.5], [0, 1]), shape=(1, 2))


def test_hooks_of_hybridized_blocks_fire(recwarn: pytest.WarningsRecorder) -> None:
    seen = []
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(1, in_units=1))
    net.initialize()
    net[0].register_forward_hook(lambda block, given, result: seen.append(block))
    net.hybridize()
    for _ in range(2):
        net(nd.ones((1, 1)))
    assert seen == [net[0], net[0]]
    assert not recwarn.list


def test_the_end_of_a_short_batch_is_zeros() -> None:
    loader = gluon.data.DataLoader(
        gluon.data.ArrayDataset(np.ones((3, 1), np.float32), np.ones(3, np.float32)), 2
    )
    batches = [
        batch.data[0].asnumpy().ravel().tolist() for batch in mx.contrib.io.DataLoaderIter(loader)
    ]
    assert batches == [[1, 1], [1, 0]]
