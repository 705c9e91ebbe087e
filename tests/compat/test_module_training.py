"""``mx.mod.Module``: training, scores and predictions, with the numbers of MXNet 1.9.1."""

import logging
from typing import Any

import numpy as np
import pytest

import mxnet as mx

X = np.random.RandomState(0).rand(10, 5).astype("f")
Y = (X.sum(1) * 3 % 3).astype(int).astype("f")
START = {
    "fc1_weight": mx.nd.array(np.sin(np.arange(20)).reshape(4, 5)),
    "fc1_bias": mx.nd.zeros(4),
    "fc2_weight": mx.nd.array(np.cos(np.arange(12)).reshape(3, 4)),
    "fc2_bias": mx.nd.zeros(3),
}
TWO = [mx.cpu(0), mx.cpu(1)]


def net(norm: bool = False) -> Any:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name="fc1")
    if norm:
        x = mx.sym.BatchNorm(x, name="bn")
    x = mx.sym.Activation(x, act_type="relu", name="r")
    return mx.sym.SoftmaxOutput(mx.sym.FullyConnected(x, num_hidden=3, name="fc2"), name="softmax")


def batches(size: int = 4) -> Any:
    return mx.io.NDArrayIter(X, Y, size)


MOMENTUM = {"learning_rate": 0.5, "momentum": 0.9}


def trained(context: Any = None, **options: Any) -> Any:
    module = mx.mod.Module(net(), context=context or mx.cpu())
    settings = {"num_epoch": 3, "optimizer_params": MOMENTUM, "initializer": None, **options}
    module.fit(batches(), arg_params=START, aux_params={}, **settings)
    return module


def sums(module: Any) -> dict[str, float]:
    return {name: float(array.asnumpy().sum()) for name, array in module.get_params()[0].items()}


SGD = {"fc1_weight": -8.610984, "fc1_bias": -3.5795846, "fc2_weight": -0.413022, "fc2_bias": 0}
ADAM = {
    "fc1_weight": -1.14440,
    "fc1_bias": -0.28385,
    "fc2_weight": -0.73629,
    "fc2_bias": 0.04190,
}


@pytest.mark.parametrize("context", [mx.cpu(), TWO, [mx.cpu()] * 3], ids=str)
@pytest.mark.parametrize("kvstore", [None, "local", "device"])
def test_weights_are_those_of_mxnet_on_any_number_of_devices(context: Any, kvstore: Any) -> None:
    assert sums(trained(context, kvstore=kvstore)) == pytest.approx(SGD, abs=2e-5)


@pytest.mark.parametrize("kvstore", [None, "local"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam", "rmsprop", "nag"])
def test_two_devices_give_the_weights_of_one(optimizer: str, kvstore: Any) -> None:
    settings = {"optimizer": optimizer, "optimizer_params": {"learning_rate": 0.05}}
    one = trained(**settings).get_params()[0]
    two = trained(TWO, kvstore=kvstore, **settings).get_params()[0]
    for name, array in one.items():
        np.testing.assert_allclose(two[name].asnumpy(), array.asnumpy(), rtol=1e-4, atol=1e-5)


def test_a_bias_learns_beside_a_fixed_weight() -> None:
    module = mx.mod.Module(net(), fixed_param_names=["fc2_weight"])
    module.fit(batches(), num_epoch=1, arg_params=START, optimizer_params=MOMENTUM)
    args = module.get_params()[0]
    np.testing.assert_array_equal(args["fc2_weight"].asnumpy(), START["fc2_weight"].asnumpy())
    assert abs(args["fc2_bias"].asnumpy()).max() > 0.01


def test_adam_gives_the_weights_of_mxnet() -> None:
    module = trained(optimizer="adam", optimizer_params=(("learning_rate", 0.05),))
    assert sums(module) == pytest.approx(ADAM, abs=2e-5)


class Recorded:
    """A store with what a store must have: it sums, and updates on its own."""

    type = "mine"

    def __init__(self, updates: bool) -> None:
        self.kept: dict[str, Any] = {}
        self.updater: Any = None
        if updates:
            self.set_optimizer = self._set_optimizer

    def _set_optimizer(self, optimizer: Any) -> None:
        self.updater = mx.optimizer.get_updater(optimizer)

    def init(self, key: str, value: Any) -> None:
        self.kept[key] = value.copy()

    def push(self, key: str, value: Any, priority: int) -> None:
        assert priority <= 0
        total = value[0]
        for array in value[1:]:
            total = total + array.as_in_context(total.context)
        if self.updater is None:
            self.kept[key] = total
        else:
            self.updater(key, total, self.kept[key])

    def pull(self, key: str, out: Any, priority: int) -> None:
        assert priority <= 0
        for target in out:
            self.kept[key].copyto(target)


@pytest.mark.parametrize("context", [mx.cpu(), TWO], ids=str)
@pytest.mark.parametrize("updates", [True, False])
def test_a_store_of_ones_own(context: Any, updates: bool) -> None:
    store = Recorded(updates)
    module = trained(context, kvstore=store)
    assert sums(module) == pytest.approx(SGD, abs=2e-5)
    assert module._kvstore is store
    assert module._update_on_kvstore is updates
    assert set(store.kept) == set(START)


@pytest.mark.parametrize("updates", [True, False])
def test_workers_begin_with_what_the_store_has(updates: bool) -> None:
    class Shared(Recorded):
        """As of another worker, which was there first."""

        type, num_workers = "dist_sync", 2

        def init(self, key: str, value: Any) -> None:
            self.kept[key] = value * 0 + 5

    module = mx.mod.Module(net())
    module.bind([("data", (4, 5))], [("softmax_label", (4,))])
    module.init_params(mx.init.One())
    module.init_optimizer(kvstore=Shared(updates))
    weights = module._exec_group.param_arrays
    assert {float(array.asnumpy().max()) for row in weights for array in row} == {5.0}
    assert module._optimizer is not None
    assert module._optimizer.rescale_grad == 1 / 8  # the batches of both


def test_means_of_several_devices() -> None:
    module = mx.mod.Module(net(norm=True), context=TWO, fixed_param_names=["fc1_weight"])
    module.fit(
        mx.io.NDArrayIter(X[:8], Y[:8], 4),
        num_epoch=2,
        arg_params=dict(START),
        allow_missing=True,
        initializer=mx.init.One(),
        optimizer_params={"learning_rate": 0.1},
    )
    args, states = module.get_params()
    np.testing.assert_array_equal(args["fc1_weight"].asnumpy(), START["fc1_weight"].asnumpy())
    expected = {
        "bn_beta": [0.1028, 0.0048, 0.0347, -0.0885],
        "fc2_bias": [0.0186, -0.0508, 0.0322],
        "bn_moving_mean": [0.2965, 0.2206, -0.1714, -0.3179],
        "bn_moving_var": [0.6774, 0.7064, 0.7258, 0.6642],
    }
    for name, values in expected.items():
        found = {**args, **states}[name].asnumpy()
        np.testing.assert_allclose(found, values, atol=1e-4, err_msg=name)
    assert module._exec_group.grad_req["fc1_weight"] == "null"


def test_scores() -> None:
    module = trained(optimizer="adam", optimizer_params={"learning_rate": 0.05})
    assert module.score(batches(), "acc") == [("accuracy", pytest.approx(0.5833333))]
    values = dict(module.score(batches(), ["acc", "ce"], num_batch=1))
    assert values == pytest.approx({"accuracy": 0.5, "cross-entropy": 0.7315039}, abs=1e-5)


def test_predictions() -> None:
    module = trained(optimizer="adam", optimizer_params={"learning_rate": 0.05})
    data = batches()
    joined = module.predict(data)
    assert joined.shape == (10, 3)
    np.testing.assert_allclose(joined.asnumpy()[-1], [0.23758, 0.45194, 0.31048], atol=1e-5)
    parts = module.predict(data, merge_batches=False)
    assert [[a.shape for a in part] for part in parts] == [[(4, 3)], [(4, 3)], [(2, 3)]]
    assert [a.shape for a in module.predict(data, num_batch=1, always_output_list=True)] == [(4, 3)]
    assert module.predict(X[:4]).shape == (4, 3)
    np.testing.assert_array_equal(
        module.predict(mx.nd.array(X[:3])).asnumpy(), module.predict(X[:3]).asnumpy()
    )
    rows = [(out[0].shape, n, batch.pad) for out, n, batch in module.iter_predict(data)]
    assert rows == [((4, 3), 0, 0), ((4, 3), 1, 0), ((2, 3), 2, 2)]
    with pytest.raises(mx.MXNetError, match="eval_data must be of type NDArray or DataIter"):
        module.predict(3)


def test_lines_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        trained(eval_data=batches(), num_epoch=2)
    lines = [line for line in caplog.messages if "Time cost" not in line]
    assert lines == [
        "Epoch[0] Train-accuracy=0.250000",
        "Epoch[0] Validation-accuracy=0.500000",
        "Epoch[1] Train-accuracy=0.416667",
        "Epoch[1] Validation-accuracy=0.416667",
    ]


def test_callbacks() -> None:
    seen: list[Any] = []
    module = trained(
        num_epoch=1,
        eval_data=batches(),
        eval_metric=["acc", "ce"],
        validation_metric="acc",
        epoch_end_callback=lambda *a: seen.append(("epoch", a[0], len(a))),
        batch_end_callback=[lambda p: seen.append(("batch", p.epoch, p.nbatch))],
        eval_end_callback=lambda p: seen.append(("eval", p.epoch, p.nbatch)),
        eval_batch_end_callback=lambda p: seen.append(("eval batch", p.epoch, p.nbatch)),
    )
    batch, evaluated = "batch", "eval batch"
    assert seen == [
        *((batch, 0, i) for i in range(3)),
        ("epoch", 0, 4),
        *((evaluated, 0, i) for i in range(3)),
        ("eval", 0, 3),
    ]
    local: list[Any] = []
    module.fit(batches(), num_epoch=1, force_init=True, batch_end_callback=local.append)
    for name in ("self", "train_data", "data_batch", "eval_metric", "nbatch", "kvstore"):
        assert name in local[0].locals


def test_fitting_again_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    module = trained(num_epoch=1)
    with pytest.warns(UserWarning, match="Parameters already initialized and force_init=False"):
        module.fit(batches(), num_epoch=1)
    assert "Already bound, ignoring bind()" in caplog.messages
    assert "optimizer already initialized, ignoring..." in caplog.messages


def test_a_monitor_sees_batches_of_all_sizes(caplog: pytest.LogCaptureFixture) -> None:
    module = trained(monitor=mx.mon.Monitor(1, pattern="fc2_output"), num_epoch=1)
    with caplog.at_level(logging.INFO):
        module.fit(
            batches(5),
            num_epoch=1,
            force_rebind=True,
            force_init=True,
            monitor=mx.mon.Monitor(1, pattern="fc2_output"),
        )
        module.forward(mx.io.DataBatch([mx.nd.array(X[:2])], [mx.nd.array(Y[:2])]))
    assert sum("fc2_output" in line for line in caplog.messages) == 2


def test_epochs_must_be_given() -> None:
    with pytest.raises(mx.MXNetError, match="please specify number of epochs"):
        mx.mod.Module(net()).fit(batches())


def test_gradients_that_add_up() -> None:
    module = mx.mod.Module(net())
    module.bind([("data", (4, 5))], [("softmax_label", (4,))], grad_req="add")
    module.init_params(mx.init.One())
    batch = mx.io.DataBatch([mx.nd.ones((4, 5))], [mx.nd.array([0, 1, 2, 0])])
    for _ in range(2):
        module.forward_backward(batch)
    found = module._exec_group.grad_arrays[3][0].asnumpy()
    np.testing.assert_allclose(found, [-1.333333, 0.666667, 0.666667], atol=1e-5)


def test_attributes_of_the_graph_reach_the_optimizer() -> None:
    with mx.AttrScope(__lr_mult__="0.0"):
        x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc")
    module = mx.mod.Module(mx.sym.SoftmaxOutput(x, name="softmax"))
    before = mx.nd.ones((3, 5))
    module.fit(
        batches(),
        num_epoch=1,
        arg_params={"fc_weight": before, "fc_bias": mx.nd.ones(3)},
        initializer=None,
    )
    np.testing.assert_array_equal(module.get_params()[0]["fc_weight"].asnumpy(), np.ones((3, 5)))


def test_slopes_and_weights_of_upsampling_begin_as_their_operators_say() -> None:
    enlarged = mx.sym.UpSampling(
        mx.sym.var("data"), scale=2, sample_type="bilinear", num_filter=2, name="up"
    )
    module = mx.mod.Module(
        mx.sym.LeakyReLU(enlarged, act_type="prelu", name="prelu"), label_names=None
    )
    module.bind([("data", (1, 2, 3, 3))])
    module.init_params(mx.init.Xavier())
    weights, _ = module.get_params()
    assert weights["prelu_gamma"].asnumpy().tolist() == [0.25, 0.25]
    row = np.array([0.25, 0.75, 0.75, 0.25])
    np.testing.assert_array_equal(weights["up_weight"].asnumpy(), [[np.outer(row, row)]] * 2)
    module.forward(mx.io.DataBatch([mx.nd.ones((1, 2, 3, 3))]), is_train=True)
    assert module.get_outputs()[0].asnumpy()[0, 0, 0, :3].tolist() == [0.5625, 0.75, 0.75]


def test_fit_refuses_data_that_are_used_up() -> None:
    """MXNet 1.9.1 raises StopIteration, too, where the data were read before."""
    data = batches()
    assert len(list(data)) == 3
    with pytest.raises(StopIteration, match="train_data have no batch left; call reset"):
        mx.mod.Module(net()).fit(data, num_epoch=1)
    data.reset()
    mx.mod.Module(net()).fit(data, num_epoch=1)
    assert len(list(data)) == 3


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("context", [mx.cpu(), [mx.cpu(0), mx.cpu(1)]])
def test_losses_need_no_head_gradients(context: Any, count: int) -> None:
    x = mx.sym.var("x")
    outputs = mx.sym.Group([x * 2, x * x * 3, mx.sym.MakeLoss(x * 5)])
    module = mx.mod.Module(outputs, data_names=["x"], label_names=[], context=context)
    module.bind([("x", (2,))], inputs_need_grad=True)
    module.init_params()
    module.forward(mx.io.DataBatch([mx.nd.array([1, 2])], []), is_train=True)
    heads = [mx.nd.array([1, 10]) * k for k in range(1, 5)]
    module.backward(heads[:count])
    assert module.get_input_grads()[0].asnumpy().tolist() == [19, 265]
    with pytest.raises(mx.base.MXNetError, match="is no loss, so its head gradient must be given"):
        module.backward(heads[:1])
