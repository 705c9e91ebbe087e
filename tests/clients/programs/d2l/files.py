"""Chapters 5 and 12: arrays, parameters and graphs in files; graphs of networks."""

import contextlib
import io
from pathlib import Path
from typing import Any

from d2l import mxnet as d2l

import mxnet as mx
from mxnet import autograd, gluon, np, npx
from mxnet.gluon import nn
from tests.clients.exchange import exchanged
from tests.clients.forms import in_all_forms
from tests.clients.formula import filled
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, ids


def checks(side: str) -> Checks:
    """Every form of the networks that the book hybridizes."""
    return {
        "layers in turn": layers,
        "a block of one's own": own_block,
        "residual network of Kaggle's pictures": residual,
    } | exchanged(side, written, read, resumed)


def perceptron() -> Any:
    """Three dense layers."""
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(6, activation="relu"), nn.Dense(2))
    return net


def layers() -> Any:
    """The net of the chapter on hybridizing, timed by its clock."""
    net = filled(perceptron())
    with contextlib.redirect_stdout(io.StringIO()), d2l.Benchmark("with a graph"):
        return in_all_forms(net, array("x", 2, 5))


class OwnBlock(nn.HybridBlock):
    """A block with a ``hybrid_forward``."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.output = nn.Dense(4), nn.Dense(2)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Two layers by functions of `F`."""
        return self.output(F.npx.relu(self.hidden(x)))


def own_block() -> Any:
    """In every form."""
    return in_all_forms(filled(OwnBlock()), array("x", 1, 3))


class Residual(nn.HybridBlock):
    """The residual block of the competitions, which are hybridized."""

    def __init__(self, channels: int, strides: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(channels, kernel_size=3, padding=1, strides=strides)
        self.conv2 = nn.Conv2D(channels, kernel_size=3, padding=1)
        self.beside = nn.Conv2D(channels, kernel_size=1, strides=strides) if strides > 1 else None
        self.bn1, self.bn2 = nn.BatchNorm(), nn.BatchNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The sum of two ways."""
        y = self.bn2(self.conv2(F.npx.relu(self.bn1(self.conv1(x)))))
        return F.npx.relu(y + (x if self.beside is None else self.beside(x)))


def residual() -> Any:
    """In every form."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(8, kernel_size=3, padding=1), nn.BatchNorm(), nn.Activation("relu"),
        Residual(8), Residual(12, strides=2), nn.GlobalAvgPool2D(), nn.Dense(4),
    )  # fmt: skip
    return in_all_forms(filled(net), array("x", 2, 3, 8, 8))


def step(net: Any, trainer: Any) -> Any:
    """Towards three labels."""
    with autograd.record():
        value = gluon.loss.SoftmaxCrossEntropyLoss()(net(array("x", 3, 5)), ids("y", 3, count=2))
    value.backward()
    trainer.step(3)
    return value


def adam(net: Any) -> Any:
    """What trains."""
    return gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})


def written(folder: Path) -> Any:
    """Arrays alone, in a list and by name; parameters, their trainer's states, a graph."""
    x, y = array("saved", 4), np.zeros((2, 0, 3))
    npx.save(str(folder / "x-file"), x)
    npx.save(str(folder / "x-files"), [x, y])
    npx.save(str(folder / "mydict"), {"x": x, "y": y})
    net = filled(perceptron())
    net.hybridize()
    trainer = adam(net)
    values = [step(net, trainer) for _ in range(2)]
    net.save_parameters(str(folder / "mlp.params"))
    trainer.save_states(str(folder / "mlp.states"))
    net.export(str(folder / "my_mlp"))
    return [*values, net(array("x", 3, 5))]


def read(folder: Path) -> Any:
    """The arrays, and what the net gives."""
    net = perceptron()
    net.load_parameters(str(folder / "mlp.params"), ctx=mx.cpu())
    imported = gluon.SymbolBlock.imports(
        str(folder / "my_mlp-symbol.json"), ["data"], str(folder / "my_mlp-0000.params")
    )
    x = array("x", 3, 5)
    arrays = [npx.load(str(folder / name)) for name in ("x-file", "x-files", "mydict")]
    return [net(x), imported(x), arrays]


def resumed(folder: Path) -> Any:
    """The next step."""
    net = perceptron()
    net.load_parameters(str(folder / "mlp.params"), ctx=mx.cpu())
    trainer = adam(net)
    trainer.load_states(str(folder / "mlp.states"))
    return [step(net, trainer), net(array("x", 3, 5))]
