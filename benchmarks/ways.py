"""The same nets as they are called by default: eagerly, by plain ``hybridize()``, by executors.

Beside the rows of ``static_alloc=True, static_shape=True``, which are to be no faster.
"""

import os
import tempfile
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import mxnet as mx
from benchmarks.nets import lenet
from mxnet import autograd, gluon, nd

Call: TypeAlias = Callable[[], Any]


def _net(name: str) -> Any:
    net = getattr(gluon.model_zoo.vision, name)(classes=1000)
    net.initialize(mx.init.Xavier())
    return net


def _images(count: int, size: int = 224) -> Any:
    values = np.random.RandomState(0).standard_normal((count, 3, size, size))
    return nd.array(values.astype("float32"))


def _prediction(name: str, count: int = 1, *, hybrid: bool = False) -> Call:
    net, x = _net(name), _images(count)
    if hybrid:
        net.hybridize()
    net(x)
    return lambda: net(x).wait_to_read()


def resnet18_eager() -> Call:
    """ResNet-18 on one image of 224x224, not hybridized."""
    return _prediction("resnet18_v1")


def resnet18_plain() -> Call:
    """The same after ``hybridize()`` without flags."""
    return _prediction("resnet18_v1", hybrid=True)


def resnet50_eager() -> Call:
    """ResNet-50 on one image of 224x224, not hybridized."""
    return _prediction("resnet50_v1")


def resnet50_plain() -> Call:
    """The same after ``hybridize()`` without flags."""
    return _prediction("resnet50_v1", hybrid=True)


def mobilenet_eager() -> Call:
    """MobileNet 1.0 on one image of 224x224, not hybridized."""
    return _prediction("mobilenet1_0")


def mobilenet_plain() -> Call:
    """The same after ``hybridize()`` without flags."""
    return _prediction("mobilenet1_0", hybrid=True)


def resnet18_plain_b16() -> Call:
    """ResNet-18 on 16 images of 224x224 after ``hybridize()`` without flags."""
    return _prediction("resnet18_v1", 16, hybrid=True)


def _exported(folder: str) -> tuple[str, str]:
    net = _net("resnet18_v1")
    net.hybridize()
    net(_images(1))
    path = os.path.join(folder, "net")  # noqa: PTH118  # MXNet takes text alone
    net.export(path)
    return f"{path}-symbol.json", f"{path}-0000.params"


def resnet18_imported() -> Call:
    """ResNet-18 on one image as a ``SymbolBlock``, not hybridized, of an export."""
    with tempfile.TemporaryDirectory() as folder:
        symbol, params = _exported(folder)
        net = gluon.SymbolBlock.imports(symbol, ["data"], params)
    x = _images(1)
    net(x)
    return lambda: net(x).wait_to_read()


def resnet18_module() -> Call:
    """ResNet-18 on one image by ``Module.forward`` of an export."""
    with tempfile.TemporaryDirectory() as folder:
        symbol, _ = _exported(folder)
        graph, arguments, states = mx.model.load_checkpoint(symbol.removesuffix("-symbol.json"), 0)
    module = mx.mod.Module(graph, label_names=None)
    module.bind([("data", (1, 3, 224, 224))], for_training=False)
    module.set_params(arguments, states)
    batch = mx.io.DataBatch([_images(1)])

    def call() -> Any:
        module.forward(batch, is_train=False)
        module.get_outputs()[0].wait_to_read()

    return call


def _training(net: Any, x: Any, y: Any, *, hybrid: bool) -> Call:
    net.initialize(mx.init.Xavier())
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    if hybrid:
        net.hybridize()
        loss_of.hybridize()
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})

    def call() -> Any:
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        nd.waitall()

    return call


def lenet_training_eager() -> Call:
    """A training step of LeNet on 64 images, not hybridized."""
    x = nd.array(np.random.RandomState(0).standard_normal((64, 1, 28, 28)).astype("float32"))
    return _training(lenet(), x, nd.array(np.arange(64) % 10), hybrid=False)


def _resnet_training(*, hybrid: bool) -> Call:
    net = gluon.model_zoo.vision.resnet18_v1(classes=10)
    return _training(net, _images(16, 64), nd.array(np.arange(16) % 10), hybrid=hybrid)


def resnet18_training_eager() -> Call:
    """A training step of ResNet-18 on 16 images of 64x64, not hybridized."""
    return _resnet_training(hybrid=False)


def resnet18_training_plain() -> Call:
    """The same after ``hybridize()`` without flags."""
    return _resnet_training(hybrid=True)


def executor_chain() -> Call:
    """A bound chain of 10,000 pointwise operators on 16 numbers."""
    x = mx.sym.var("x")
    y = x
    for _ in range(5000):
        y = mx.sym.relu(y + 1)
    executor = y.simple_bind(mx.cpu(), grad_req="null", x=(16,))
    executor.forward()

    def call() -> Any:
        executor.forward()[0].wait_to_read()

    return call


WAYS = (
    resnet18_eager,
    resnet18_plain,
    resnet18_plain_b16,
    resnet18_imported,
    resnet18_module,
    resnet50_eager,
    resnet50_plain,
    mobilenet_eager,
    mobilenet_plain,
    lenet_training_eager,
    resnet18_training_eager,
    resnet18_training_plain,
    executor_chain,
)
