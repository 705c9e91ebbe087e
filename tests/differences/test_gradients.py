"""Gradients that differ from MXNet's on purpose: what docs/differences.md says of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import autograd, gluon, nd


def gradient(function: Callable[..., Any], *values: Any) -> list[Any]:
    """Return the gradients of the sum of a function's result."""
    variables: list[Any] = [nd.array(value) for value in values]
    for variable in variables:
        variable.attach_grad()
    with autograd.record():
        y = function(*variables)
    y.backward()
    return [variable.grad.asnumpy().tolist() for variable in variables]


def test_keys_have_a_gradient_where_queries_want_none() -> None:
    queries = nd.ones((2, 1, 4))
    both: Any = nd.ones((2, 1, 8))
    both.attach_grad()
    with autograd.record():
        y = nd.contrib.interleaved_matmul_encdec_qk(queries, both, heads=1)
    y.backward()
    assert both.grad.asnumpy()[0, 0].tolist() == [1, 1, 1, 1, 0, 0, 0, 0]  # 2 queries / sqrt(4)


def test_an_array_from_outside_of_a_loop_gathers_the_gradients_of_all_steps() -> None:
    class Loop(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, data: Any, bias: Any) -> Any:
            def step(x: Any, state: Any) -> Any:
                return x + bias, state

            return F.contrib.foreach(step, data, [F.zeros((1,))])[0]

    net = Loop()
    net.hybridize()
    bias: Any = nd.zeros((2,))
    bias.attach_grad()
    with autograd.record():
        y = net(nd.ones((3, 2)), bias)
    y.backward()
    assert bias.grad.asnumpy().tolist() == [3, 3]


def test_softmax_output_multiplies_by_the_head_gradient() -> None:
    x: Any = nd.zeros((1, 2))
    label = nd.array([0.0])
    x.attach_grad()
    with autograd.record():
        y = nd.SoftmaxOutput(x, label, out_grad=True)
    y.backward(nd.array([[4.0, 4.0]]))
    assert x.grad.asnumpy().tolist() == [[-2, 2]]


@pytest.mark.parametrize(
    "layer",
    [
        gluon.nn.Conv2D(1, 2, in_channels=1),
        gluon.nn.Dense(2, in_units=9),
        gluon.nn.LayerNorm(in_channels=3),
    ],
    ids=["convolution", "dense", "norm"],
)
def test_layers_have_second_derivatives(layer: gluon.Block) -> None:
    layer.initialize(mx.init.One())
    x: Any = nd.arange(9).reshape((1, 1, 3, 3)) / 9
    x.attach_grad()
    with autograd.record():
        (slope,) = autograd.grad((layer(x) ** 2).sum(), x, create_graph=True)
    slope.backward()
    assert np.isfinite(x.grad.asnumpy()).all()


def test_binary_operators_have_second_derivatives() -> None:
    x: Any = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        (slope,) = autograd.grad(nd.broadcast_power(x, nd.array([3.0])), x, create_graph=True)
    slope.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [12], rtol=1e-6)  # 6 x


def test_derivatives_where_mxnets_are_wrong_or_nan() -> None:
    (slope,) = gradient(lambda x: nd.LeakyReLU(x, act_type="selu"), [-1.0])
    np.testing.assert_allclose(slope, [1.0507 * 1.67326 * np.exp(-1)], rtol=1e-4)
    assert gradient(nd.prod, [0.0, 3.0, 2.0]) == [[6, 0, 0]]
    assert gradient(nd.nanprod, [0.0, 3.0, 2.0]) == [[6, 0, 0]]
    assert gradient(nd.norm, [0.0, 0.0]) == [[0, 0]]
    assert gradient(nd.linalg.det, [[1.0, 0.0], [0.0, 0.0]]) == [[[0, 0], [0, 1]]]


def test_average_pooling_that_passes_the_edge() -> None:
    def pool(x: Any) -> Any:
        return nd.Pooling(
            x,
            kernel=2,
            stride=2,
            pool_type="avg",
            pooling_convention="full",
            count_include_pad=True,
        )

    # The last window holds one element: its mean counts no element behind the edge.
    y = pool(nd.array([[[2.0, 4.0, 6.0]]])).asnumpy().ravel().tolist()
    (slope,) = gradient(pool, [[[2.0, 4.0, 6.0]]])
    assert slope == [[[0.5, 0.5, y[1] / 6]]]


def test_operators_that_mxnet_does_not_differentiate() -> None:
    x = [[3.0, 1.0], [2.0, 4.0]]
    index = nd.array([1, 0], dtype="int32")
    assert gradient(lambda x: nd.batch_take(x, index), x) == [[[0, 1], [1, 0]]]
    weights = nd.array([[1.0, 2.0], [3.0, 4.0]])
    assert gradient(lambda x: nd.sort(x) * weights, x) == [[[2, 1], [3, 4]]]
    assert gradient(lambda x: nd.argmax_channel(x) + 0 * x[:, 0], x) == [[[0, 0], [0, 0]]]


def test_assigned_slices_have_gradients() -> None:
    def assigned(x: Any, y: Any) -> Any:
        return nd._internal._slice_assign(x, y, begin=(0,), end=(2,))

    assert gradient(assigned, [1.0, 2.0, 3.0], [4.0, 5.0]) == [[0, 0, 1], [1, 1]]


def test_random_colours_refuse_a_gradient() -> None:
    image: Any = nd.ones((2, 2, 3))
    image.attach_grad()
    with autograd.record():
        y = nd.image.random_brightness(image, 0.5, 1.5)
    with pytest.raises(mx.MXNetError, match="random_brightness"):
        y.backward()


def test_visible_mean_and_variance_have_gradients() -> None:
    def mean(x: Any) -> Any:
        return nd.LayerNorm(x, nd.ones(2), nd.zeros(2), output_mean_var=True)[1]

    assert gradient(mean, [[1.0, 3.0]]) == [[[0.5, 0.5]]]


def test_gradients_of_a_function_are_added() -> None:
    class Twice(autograd.Function):
        def forward(self, x: Any) -> Any:
            return 2 * x

        def backward(self, dy: Any) -> Any:
            return 2 * dy

    x: Any = nd.array([1.0])
    x.attach_grad(grad_req="add")
    for _ in range(3):
        with autograd.record():
            y = Twice()(x)
        y.backward()
    assert x.grad.asnumpy().tolist() == [6]


def test_absolute_regression_is_flat_at_its_label() -> None:
    label = nd.array([1.0, 0.0])
    assert gradient(lambda x: nd.MAERegressionOutput(x, label), [1.0, 3.0]) == [[0, 1]]


def test_batch_norm_is_differentiated_in_the_mode_it_ran_in() -> None:
    norm = gluon.nn.BatchNorm(in_channels=1)
    norm.initialize()
    x: Any = nd.array([[1.0], [3.0]])
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = norm(x)
    y.backward()  # in the mode of training
    np.testing.assert_allclose(x.grad.asnumpy(), [[1], [1]], rtol=1e-4)  # y = x / sqrt(1 + 1e-5)


def test_variables_without_influence_get_zeros() -> None:
    x: Any = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
    y.backward()
    with autograd.record():
        y = nd.zeros_like(x) + 1
    y.backward()
    assert x.grad.asnumpy().tolist() == [0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.copy(),
        lambda x: x.copyto(mx.cpu(1)),
        lambda x: x.as_in_context(mx.cpu(1)),
        lambda x: x.astype("float64"),
        lambda x: nd.linalg.gemm2(x, x),
        lambda x: nd.LinearRegressionOutput(x, nd.ones((2, 2))),
        lambda x: nd.LogisticRegressionOutput(x, nd.ones((2, 2))),
        lambda x: nd.MAERegressionOutput(x, nd.ones((2, 2))),
        lambda x: nd.clip(x, -9, 9),
        lambda x: nd.reverse(x, axis=0),
        nd.cumsum,
        lambda x: nd.amp_cast(x, dtype="float32"),
        nd.mean,
        lambda x: nd.moments(x, axes=0)[0],
        lambda x: nd.split_v2(x, 2)[0],
        lambda x: nd.Crop(x.reshape((1, 1, 2, 2)), h_w=(2, 2), num_args=1),
        nd.linalg.inverse,
        lambda x: nd.SoftmaxOutput(x, nd.array([0, 1])),
        lambda x: nd.SVMOutput(x, nd.array([0, 1])),
        lambda x: nd.image.flip_left_right(x.reshape((2, 2, 1))),
        lambda x: mx.np.diff(x.as_np_ndarray()),
        lambda x: mx.np.trace(x.as_np_ndarray()),
        lambda x: mx.np.split(x.as_np_ndarray(), 2)[0],
        lambda x: mx.np.rot90(x.as_np_ndarray(), 2),
    ],
)
def test_gradients_of_every_operator_are_added(function: Callable[..., Any]) -> None:
    values = [[2.0, 0.0], [1.0, 4.0]]
    (once,) = gradient(function, values)
    x: Any = nd.array(values)
    x.attach_grad("add")
    x.grad[:] = 10
    with autograd.record():
        y = function(x)
    y.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), np.array(once) + 10, rtol=1e-6)


def test_the_softmax_of_images_has_its_derivative() -> None:
    values = np.array([[[0.0, 1.0], [2.0, 4.0]]])
    weights = nd.array([[[1.0, 3.0], [-2.0, 5.0]]])
    (found,) = gradient(lambda x: nd.SoftmaxActivation(x) * weights, values)
    e = np.exp(values)
    p = e / e.sum(-1, keepdims=True)
    w = weights.asnumpy()
    np.testing.assert_allclose(found, p * (w - (p * w).sum(-1, keepdims=True)), rtol=1e-5)
