"""Timed workloads, for any interpreter that has an ``mxnet``: hy's or MXNet's own.

Each function prepares a workload and returns what is called again and again. Calls wait for their
results, which MXNet computes in threads of its own, except where a name ends in ``_queued``.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import mxnet as mx
from benchmarks.epochs import EPOCHS
from benchmarks.first_calls import FIRST_CALLS
from benchmarks.nets import EncoderLayer, LanguageModel, lenet, mlp
from benchmarks.small_images import SMALL_IMAGES
from benchmarks.sparse import SPARSE
from benchmarks.ways import WAYS
from mxnet import autograd, gluon, nd

Call: TypeAlias = Callable[[], Any]


def _values(*shape: int) -> Any:
    return nd.array(np.random.RandomState(0).standard_normal(shape).astype("float32"))


def _ready(net: Any) -> Any:
    net.initialize()
    return net


def add_10x10() -> Call:
    """Eager sum of two 10x10 arrays."""
    a, b = _values(10, 10), _values(10, 10)

    def call() -> None:
        (a + b).wait_to_read()

    return call


def add_10x10_queued() -> Call:
    """The same, waited for after many calls."""
    a, b = _values(10, 10), _values(10, 10)
    return lambda: a + b


def chain_64() -> Call:
    """Eager dot, relu and softmax of 64x64."""
    a, w = _values(64, 64), _values(64, 64)
    return lambda: nd.softmax(nd.relu(nd.dot(a, w))).wait_to_read()


def mlp_eager() -> Call:
    """The MLP 512-256-128-2 of the Symbol tutorial, batch 1, operator by operator."""
    net, x = _ready(mlp()), _values(1, 512)
    net(x)
    return lambda: net(x).wait_to_read()


def mlp_static() -> Call:
    """The same, hybridized with static_alloc and static_shape."""
    net, x = _staticmlp()
    return lambda: net(x).wait_to_read()


def mlp_static_queued() -> Call:
    """The same, waited for after many calls."""
    net, x = _staticmlp()
    return lambda: net(x)


def mlp_static_asnumpy() -> Call:
    """The same, with the result fetched in every call."""
    net, x = _staticmlp()
    return lambda: net(x).asnumpy()


def _staticmlp() -> tuple[Any, Any]:
    net, x = _ready(mlp()), _values(1, 512)
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    return net, x


def mlp_training() -> Call:
    """A training step of the MLP, batch 64."""
    net, x = _ready(mlp()), _values(64, 512)
    y = nd.array(np.arange(64) % 2)
    return _training(net, x, y)


def lenet_inference() -> Call:
    """LeNet on 16 images of 28x28, hybridized."""
    net, x = _ready(lenet()), _values(16, 1, 28, 28)
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    return lambda: net(x).wait_to_read()


def lenet_training() -> Call:
    """A training step of LeNet on 64 images of 28x28, hybridized."""
    return _training(_ready(lenet()), _values(64, 1, 28, 28), nd.array(np.arange(64) % 10))


def lstm_operator() -> Call:
    """Two LSTM layers of 200, 35 steps of 20 sequences, forward and backward: a loop in time."""
    steps, batch, size = 35, 20, 200
    count = 2 * 4 * size * (size + size + 2)
    data, states = _values(steps, batch, size), [_values(2, batch, size) for _ in range(2)]
    parameters = _values(count) * 0.05
    parameters.attach_grad()

    def call() -> Any:
        with autograd.record():
            y = nd.RNN(data, parameters, *states, state_size=size, num_layers=2, mode="lstm")
        y.backward()
        nd.waitall()

    return call


def ctc_loss() -> Call:
    """CTC of 32 sequences of 100 steps, 30 classes, labels of 20, forward and backward."""
    data = _values(100, 32, 30)
    label = nd.array(np.random.RandomState(1).randint(1, 30, (32, 20)).astype("float32"))
    data.attach_grad()

    def call() -> Any:
        with autograd.record():
            loss = nd.ctc_loss(data, label)
        loss.backward()
        nd.waitall()

    return call


def box_nms() -> Call:
    """Non-maximum suppression of 8 images with 400 boxes each: a loop over boxes kept."""
    draw = np.random.RandomState(2)
    corners = draw.uniform(0, 90, (8, 400, 2))
    boxes = np.concatenate(
        [draw.uniform(0, 1, (8, 400, 1)), corners, corners + draw.uniform(5, 20, (8, 400, 2))], 2
    )
    data = nd.array(boxes)

    def call() -> Any:
        y = nd.contrib.box_nms(data, overlap_thresh=0.5, coord_start=1, score_index=0)
        y.wait_to_read()

    return call


def foreach_loop() -> Call:
    """A loop of 50 steps on 32x64 arrays, eager."""
    data, state = _values(50, 32, 64), _values(32, 64)

    def step(x: Any, s: Any) -> Any:
        s = nd.tanh(x + s)
        return s, s

    def call() -> Any:
        _, last = nd.contrib.foreach(step, data, state)
        last.wait_to_read()

    return call


def _zoo(name: str, *shape: int) -> Call:
    net = getattr(gluon.model_zoo.vision, name)(classes=1000)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    x = _values(*shape)
    net(x)
    return lambda: net(x).wait_to_read()


def resnet18_b1() -> Call:
    """ResNet-18 on one image of 224x224."""
    return _zoo("resnet18_v1", 1, 3, 224, 224)


def resnet18_b16() -> Call:
    """ResNet-18 on 16 images of 224x224."""
    return _zoo("resnet18_v1", 16, 3, 224, 224)


def resnet50_b1() -> Call:
    """ResNet-50 on one image of 224x224."""
    return _zoo("resnet50_v1", 1, 3, 224, 224)


def mobilenet_b1() -> Call:
    """MobileNet 1.0 on one image of 224x224."""
    return _zoo("mobilenet1_0", 1, 3, 224, 224)


def resnet18_training() -> Call:
    """A training step of ResNet-18 on 16 images of 64x64."""
    net = gluon.model_zoo.vision.resnet18_v1(classes=10)
    net.initialize(mx.init.Xavier())
    return _training(net, _values(16, 3, 64, 64), nd.array(np.arange(16) % 10))


def lstm_language_model() -> Call:
    """A training step of a language model: 2 LSTM layers of 200, 35 words of 20 texts."""
    vocabulary, steps, batch = 10000, 35, 20
    model = LanguageModel(vocabulary, 200)
    draw = np.random.RandomState(0)
    words = nd.array(draw.randint(0, vocabulary, (steps, batch)))
    model.initialize(mx.init.Xavier())
    return _training(model, words, nd.array(draw.randint(0, vocabulary, (steps, batch))))


def transformer_layer() -> Call:
    """One encoder layer, 12 heads, on 8 sequences of 128 vectors of 768."""
    net = EncoderLayer(768, 12)
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    x = _values(128, 8, 768)
    net(x)
    return lambda: net(x).wait_to_read()


def transformer_training() -> Call:
    """A training step of that layer, with 768 classes for each vector."""
    net = EncoderLayer(768, 12)
    net.initialize(mx.init.Xavier())
    return _training(net, _values(128, 8, 768), nd.array(np.arange(1024).reshape(128, 8) % 768))


def _chain() -> tuple[Any, Any]:
    class Chain(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            for _ in range(1000):
                x = F.relu(x + 1)
            return x

    net, x = Chain(), nd.ones((1,))
    net.hybridize(static_alloc=True, static_shape=True)
    return net, x


def chain_2000() -> Call:
    """A hybridized chain of 2,000 operators on one number: what a step costs."""
    net, x = _chain()
    net(x)
    return lambda: net(x).wait_to_read()


def chain_2000_first() -> Call:
    """Tracing, planning and running that chain for the first time."""

    def call() -> Any:
        net, x = _chain()
        net(x).wait_to_read()

    return call


def chain_2000_kernels() -> Call:
    """The kernels of that chain alone; with MXNet the operators, called eagerly."""
    x = nd.ones((1,))
    try:
        from hy_ndarray import kernel_table  # noqa: PLC0415  # MXNet has none
    except ImportError:

        def operators() -> Any:
            y = x
            for _ in range(1000):
                y = nd.relu(y + 1)
            y.wait_to_read()

        return operators
    plus, relu = (kernel_table("numpy").find(name) for name in ("plus_scalar", "relu"))
    assert plus is not None
    assert relu is not None

    def kernels() -> Any:
        y = x.asnumpy()
        for _ in range(1000):
            y = relu.function(plus.function(y, scalar=1.0, is_int=True))

    return kernels


def _training(net: Any, x: Any, y: Any) -> Call:
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize(static_alloc=True, static_shape=True)

    def call() -> Any:
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        nd.waitall()

    return call


WORKLOADS = {
    f.__name__: f
    for f in (
        add_10x10,
        add_10x10_queued,
        chain_64,
        mlp_eager,
        mlp_static,
        mlp_static_queued,
        mlp_static_asnumpy,
        mlp_training,
        lenet_inference,
        lenet_training,
        lstm_operator,
        ctc_loss,
        box_nms,
        foreach_loop,
        resnet18_b1,
        resnet18_b16,
        resnet50_b1,
        mobilenet_b1,
        resnet18_training,
        lstm_language_model,
        transformer_layer,
        transformer_training,
        chain_2000,
        chain_2000_first,
        chain_2000_kernels,
        *EPOCHS,
        *FIRST_CALLS,
        *SPARSE,
        *SMALL_IMAGES,
        *WAYS,
    )
}


def seed() -> None:
    """Make parameters the same in every process."""
    mx.random.seed(0)


def wait() -> None:
    """Wait for all that was called."""
    nd.waitall()
