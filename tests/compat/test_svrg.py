"""``mx.contrib.svrg_optimization``: the gradients of Johnson and Zhang (2013), in numbers."""

import doctest
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet.contrib.svrg_optimization import svrg_module, svrg_optimizer

X = np.random.RandomState(0).rand(24, 4).astype("f")
Y = (X @ np.array([1, 2, 3, 4.0])).astype("f")
START = {"fc_weight": mx.nd.array([[0.1, 0.2, 0.3, 0.4]]), "fc_bias": mx.nd.zeros(1)}


def net() -> Any:
    x = mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=1, name="fc")
    return mx.sym.LinearRegressionOutput(x, mx.sym.var("lin_label"), name="lin")


def batches() -> Any:
    return mx.io.NDArrayIter(X, Y, 6, label_name="lin_label")


def made(**options: Any) -> Any:
    settings = {"label_names": ["lin_label"], "update_freq": 2, **options}
    return svrg_module.SVRGModule(net(), **settings)


def values(module: Any) -> list[float]:
    args = module.get_params()[0]
    return [*args["fc_weight"].asnumpy().ravel().tolist(), float(args["fc_bias"].asscalar())]


def ready() -> Any:
    module = made()
    data = batches()
    module.bind(data.provide_data, data.provide_label)
    module.init_params(arg_params=START, initializer=None)
    module.init_optimizer(optimizer_params={"learning_rate": 0.1})
    return module


def test_the_full_gradient_and_a_step_are_those_of_mxnet() -> None:
    module = ready()
    for _ in range(2):  # the second is that of the same weights, so the same
        module.update_full_grads(batches())
    (full,) = module._param_dict
    expected = [[-13.100639, -13.585787, -12.872072, -12.871456]]
    np.testing.assert_allclose(full["fc_weight"].asnumpy(), expected, rtol=1e-6)
    assert float(full["fc_bias"].asscalar()) == pytest.approx(-25.041897)
    module.forward_backward(next(batches()))
    module.update()
    expected_step = [0.318344, 0.42643, 0.514535, 0.614524, 0.417365]
    assert values(module) == pytest.approx(expected_step, abs=1e-6)


def test_the_modules_optimizer_wraps_the_one_that_updates() -> None:
    module = ready()
    optimizer = module._optimizer
    assert type(optimizer) is svrg_optimizer._SVRGOptimizer
    assert type(optimizer.default_opt) is mx.optimizer.SGD
    assert optimizer.rescale_grad == optimizer.default_opt.rescale_grad == 1 / 6
    optimizer.set_learning_rate(0.5)
    optimizer.set_lr_mult({"fc_weight": 2.0})
    assert optimizer.default_opt.learning_rate == 0.5
    assert optimizer.default_opt.lr_mult == {"fc_weight": 2.0}


def test_gradients_of_all_batches_have_the_full_gradient_as_their_mean() -> None:
    module = ready()
    module.update_full_grads(batches())
    for array in module._exec_group.param_arrays:
        array[0][:] = array[0] + 0.05  # not where the full gradient was taken
    total = []
    for batch in batches():
        module.forward_backward(batch)
        total.append(module._exec_group.grad_arrays[0][0].asnumpy().copy())
    module._param_dict = None
    plain = []
    for batch in batches():
        module.forward_backward(batch)
        plain.append(module._exec_group.grad_arrays[0][0].asnumpy().copy())
    np.testing.assert_allclose(np.mean(total, axis=0), np.mean(plain, axis=0), rtol=1e-4)
    assert np.var(total, axis=0).sum() < np.var(plain, axis=0).sum()


@pytest.mark.parametrize("kvstore", [None, "local"])
@pytest.mark.parametrize("context", [mx.cpu(), [mx.cpu(0), mx.cpu(1)]], ids=str)
def test_two_devices_train_the_weights_of_one(context: Any, kvstore: Any) -> None:
    module = made(context=context)
    module.fit(
        batches(),
        eval_metric="mse",
        num_epoch=2,
        kvstore=kvstore,
        optimizer="adam",
        optimizer_params={"learning_rate": 0.1},
        arg_params=START,
        initializer=None,
    )
    in_mxnet = [0.879351, 0.979659, 1.080779, 1.182137, 0.780321]
    assert values(module) == pytest.approx(in_mxnet, abs=2e-5)


def test_other_shapes_reach_both_nets() -> None:
    module = ready()
    module.reshape([("data", (3, 4))], [("lin_label", (3,))])
    assert module._mod_aux.data_shapes[0].shape == (3, 4)


@pytest.mark.parametrize("freq", [0, -1, 1.5, "a", None, True])
def test_frequencies_that_cannot_be(freq: Any) -> None:
    with pytest.raises(mx.MXNetError, match="update_freq in SVRGModule must be a positive integer"):
        made(update_freq=freq)


def test_an_optimizer_that_assigns_full_gradients() -> None:
    names = {0: "w", 1: "w_full"}
    optimizer = mx.optimizer.create(
        "_SVRGOptimizer", default_optimizer="sgd", learning_rate=0.5, param_idx2name=names
    )
    assert isinstance(optimizer, svrg_optimizer._SVRGOptimizer)
    updater = mx.optimizer.get_updater(optimizer)
    weight, full = mx.nd.ones(2), mx.nd.ones(2)
    updater(0, mx.nd.ones(2) * 3, weight)
    updater(1, mx.nd.ones(2) * 3, full)
    assert weight.asnumpy().tolist() == [-0.5, -0.5]
    assert full.asnumpy().tolist() == [3, 3]


def test_the_example_runs() -> None:
    result = doctest.testmod(svrg_module)
    assert result.attempted > 0
    assert result.failed == 0
