"""Workloads of `benchmarks.workloads` for PyTorch: same names, same nets.

Runs under an interpreter that has ``torch``; by ``torch.compile`` after :func:`compile_nets`. What
PyTorch has no counterpart of is left out: boxes, control flow as an operator, calls that are waited
for later.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import nn
from torch.nn import functional

Call: TypeAlias = Callable[[], Any]
_is_compiled = False


def _values(*shape: int) -> Any:
    return torch.from_numpy(np.random.RandomState(0).standard_normal(shape).astype("float32"))


def _inference(net: Any, x: Any) -> Call:
    net.eval()
    torch.set_grad_enabled(False)
    run = torch.compile(net) if _is_compiled else net
    return lambda: run(x)


def _training(net: Any, x: Any, y: Any) -> Call:
    """Steps of stochastic gradient descent on scores ``[..., classes]`` of the net."""
    net.train()
    run = torch.compile(net) if _is_compiled else net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

    def call() -> None:
        optimizer.zero_grad()
        loss: Any = functional.cross_entropy(run(x).flatten(0, -2), y.flatten())
        loss.backward()
        optimizer.step()

    return call


def add_10x10() -> Call:
    """Sum of two 10x10 arrays."""
    a, b = _values(10, 10), _values(10, 10)
    return lambda: a + b


def chain_64() -> Call:
    """Product, relu and softmax of 64x64."""
    a, w = _values(64, 64), _values(64, 64)
    return lambda: torch.softmax(torch.relu(a @ w), -1)


def mlp() -> Any:
    """The MLP 512-256-128-2."""
    return nn.Sequential(
        *(nn.Linear(512, 256), nn.ReLU()),
        *(nn.Linear(256, 128), nn.ReLU()),
        nn.Linear(128, 2),
    )


def mlp_eager() -> Call:
    """The MLP 512-256-128-2, batch 1."""
    return _inference(mlp(), _values(1, 512))


def mlp_static() -> Call:
    """The same: without compilation there is one way."""
    return mlp_eager()


def mlp_static_asnumpy() -> Call:
    """The same, with the result as numpy's."""
    call = mlp_eager()
    return lambda: call().numpy()


def mlp_training() -> Call:
    """A training step of the MLP, batch 64."""
    return _training(mlp(), _values(64, 512), torch.arange(64) % 2)


def lenet() -> Any:
    """LeNet, for images of 28x28."""
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2)),
        nn.Flatten(),
        *(nn.Linear(256, 120), nn.ReLU()),
        *(nn.Linear(120, 84), nn.ReLU()),
        nn.Linear(84, 10),
    )


def lenet_inference() -> Call:
    """LeNet on 16 images of 28x28."""
    return _inference(lenet(), _values(16, 1, 28, 28))


def lenet_training() -> Call:
    """A training step of LeNet on 64 images of 28x28."""
    return _training(lenet(), _values(64, 1, 28, 28), torch.arange(64) % 10)


def lstm_operator() -> Call:
    """Two LSTM layers of 200, 35 steps of 20 sequences, forward and backward."""
    lstm = nn.LSTM(200, 200, num_layers=2)
    data, states = _values(35, 20, 200), (_values(2, 20, 200), _values(2, 20, 200))

    def call() -> None:
        lstm.zero_grad()
        y, _ = lstm(data, states)
        y.sum().backward()

    return call


def ctc_loss() -> Call:
    """CTC of 32 sequences of 100 steps, 30 classes, labels of 20, forward and backward."""
    data = _values(100, 32, 30).requires_grad_()
    label = torch.from_numpy(np.random.RandomState(1).randint(1, 30, (32, 20)))
    steps, lengths = torch.full((32,), 100), torch.full((32,), 20)

    def call() -> None:
        data.grad = None
        scores = functional.log_softmax(data, -1)
        loss: Any = functional.ctc_loss(scores, label, steps, lengths, reduction="sum")
        loss.backward()

    return call


def _normalized(before: int, after: int, kernel: int, stride: int = 1, **kwargs: Any) -> list[Any]:
    convolution = nn.Conv2d(before, after, kernel, stride, kernel // 2, **kwargs)
    return [convolution, nn.BatchNorm2d(after)]


class Residual(nn.Module):
    """Adds the input to what the body makes of it.

    Args:
        body: What is in between.
        shortcut: Brings the input to the size and the channels that go out.
    """

    def __init__(self, body: Any, shortcut: Any) -> None:
        super().__init__()
        self.body = body
        self.shortcut = shortcut

    def forward(self, x: Any) -> Any:
        """Apply the block to ``x``."""
        return torch.relu(self.body(x) + self.shortcut(x))


def _basic(before: int, after: int, stride: int) -> list[Any]:
    return [
        *(*_normalized(before, after, 3, stride, bias=False), nn.ReLU()),
        *_normalized(after, after, 3, bias=False),
    ]


def _bottleneck(before: int, after: int, stride: int) -> list[Any]:
    inner = after // 4
    return [
        *(*_normalized(before, inner, 1, stride), nn.ReLU()),
        *(*_normalized(inner, inner, 3, bias=False), nn.ReLU()),
        *_normalized(inner, after, 1),
    ]


def _resnet(body: Any, counts: list[int], channels: list[int], classes: int) -> Any:
    """The first version, as in Gluon's zoo: bottlenecks stride in their first convolution."""
    layers = [*_normalized(3, 64, 7, 2, bias=False), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for stage, (count, after) in enumerate(zip(counts, channels, strict=True)):
        for index in range(count):
            stride = 2 if stage and not index else 1
            shortcut: Any = nn.Identity()
            if before != after:
                shortcut = nn.Sequential(*_normalized(before, after, 1, stride, bias=False))
            layers += [Residual(nn.Sequential(*body(before, after, stride)), shortcut)]
            before = after
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, classes)]
    return nn.Sequential(*layers, *head)


def resnet18(classes: int = 1000) -> Any:
    """ResNet-18."""
    return _resnet(_basic, [2, 2, 2, 2], [64, 128, 256, 512], classes)


def resnet50() -> Any:
    """ResNet-50 of 1,000 classes."""
    return _resnet(_bottleneck, [3, 4, 6, 3], [256, 512, 1024, 2048], classes=1000)


def resnet18_b1() -> Call:
    """ResNet-18 on one image of 224x224."""
    return _inference(resnet18(), _values(1, 3, 224, 224))


def resnet18_b16() -> Call:
    """ResNet-18 on 16 images of 224x224."""
    return _inference(resnet18(), _values(16, 3, 224, 224))


def resnet50_b1() -> Call:
    """ResNet-50 on one image of 224x224."""
    return _inference(resnet50(), _values(1, 3, 224, 224))


def _mobilenet() -> Any:
    layers = [*_normalized(3, 32, 3, 2, bias=False), nn.ReLU()]
    before = 32
    pairs = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5]
    for after, stride in [*pairs, (1024, 2), (1024, 1)]:
        layers += [*_normalized(before, before, 3, stride, groups=before, bias=False), nn.ReLU()]
        layers += [*_normalized(before, after, 1, bias=False), nn.ReLU()]
        before = after
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 1000)]
    return nn.Sequential(*layers, *head)


def mobilenet_b1() -> Call:
    """MobileNet 1.0 on one image of 224x224."""
    return _inference(_mobilenet(), _values(1, 3, 224, 224))


def resnet50_64() -> Call:
    """ResNet-50 on one image of 64x64."""
    return _inference(resnet50(), _values(1, 3, 64, 64))


def resnet50_112() -> Call:
    """ResNet-50 on one image of 112x112."""
    return _inference(resnet50(), _values(1, 3, 112, 112))


def mobilenet_64() -> Call:
    """MobileNet 1.0 on one image of 64x64."""
    return _inference(_mobilenet(), _values(1, 3, 64, 64))


def mobilenet_112() -> Call:
    """MobileNet 1.0 on one image of 112x112."""
    return _inference(_mobilenet(), _values(1, 3, 112, 112))


def resnet50_64_training() -> Call:
    """A training step of ResNet-50 on one image of 64x64."""
    return _training(resnet50(), _values(1, 3, 64, 64), torch.zeros(1, dtype=torch.int64))


def resnet50_112_training() -> Call:
    """A training step of ResNet-50 on one image of 112x112."""
    return _training(resnet50(), _values(1, 3, 112, 112), torch.zeros(1, dtype=torch.int64))


def mobilenet_64_training() -> Call:
    """A training step of MobileNet 1.0 on one image of 64x64."""
    return _training(_mobilenet(), _values(1, 3, 64, 64), torch.zeros(1, dtype=torch.int64))


def mobilenet_112_training() -> Call:
    """A training step of MobileNet 1.0 on one image of 112x112."""
    return _training(_mobilenet(), _values(1, 3, 112, 112), torch.zeros(1, dtype=torch.int64))


def resnet18_training() -> Call:
    """A training step of ResNet-18 on 16 images of 64x64."""
    return _training(resnet18(10), _values(16, 3, 64, 64), torch.arange(16) % 10)


class LanguageModel(nn.Module):
    """Scores of the word that comes next.

    Args:
        vocabulary: How many words there are.
        size: Length of all vectors.
    """

    def __init__(self, vocabulary: int, size: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size)
        self.lstm = nn.LSTM(size, size, num_layers=2)
        self.decoder = nn.Linear(size, vocabulary)

    def forward(self, words: Any) -> Any:
        """Scores ``[steps, batch, vocabulary]`` of words ``[steps, batch]``."""
        hidden, _ = self.lstm(self.embedding(words))
        return self.decoder(hidden)


def lstm_language_model() -> Call:
    """A training step of a language model: 2 LSTM layers of 200, 35 words of 20 texts."""
    draw = np.random.RandomState(0)
    words, following = (torch.from_numpy(draw.randint(0, 10000, (35, 20))) for _ in range(2))
    return _training(LanguageModel(10000, 200), words, following)


class EncoderLayer(nn.Module):
    """Self-attention and two dense layers, each normalized with its input added.

    Args:
        units: Length of a vector.
        heads: Parts of the vectors that are attended to on their own.
    """

    def __init__(self, units: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(units, 3 * units)
        self.proj = nn.Linear(units, units)
        self.first = nn.Linear(units, 4 * units)
        self.second = nn.Linear(4 * units, units)
        self.norm1, self.norm2 = nn.LayerNorm(units), nn.LayerNorm(units)

    def forward(self, x: Any) -> Any:
        """Apply the layer to ``[length, batch, units]``."""
        length, batch, units = x.shape
        mixed = self.qkv(x).view(length, batch, self.heads, 3, units // self.heads)
        query, key, value = mixed.permute(3, 1, 2, 0, 4)  # each (batch, heads, length, size)
        attended = functional.scaled_dot_product_attention(query, key, value)
        attended = attended.permute(2, 0, 1, 3).reshape(length, batch, units)
        x = self.norm1(x + self.proj(attended))
        return self.norm2(x + self.second(functional.gelu(self.first(x))))


def transformer_layer() -> Call:
    """One encoder layer, 12 heads, on 8 sequences of 128 vectors of 768."""
    return _inference(EncoderLayer(768, 12), _values(128, 8, 768))


def transformer_training() -> Call:
    """A training step of that layer, with 768 classes for each vector."""
    classes = torch.arange(1024).view(128, 8) % 768
    return _training(EncoderLayer(768, 12), _values(128, 8, 768), classes)


def _sparse() -> tuple[Any, Any]:
    """A matrix of 1000 x 100,000 with 50 elements in a row, and a matrix of 64 columns."""
    random = np.random.RandomState(0)
    columns = np.concatenate([np.sort(random.choice(100_000, 50, replace=False))] * 1000)
    positions = np.stack([np.repeat(np.arange(1000), 50), columns])
    a = torch.sparse_coo_tensor(torch.from_numpy(positions), _values(50_000), (1000, 100_000))
    return a, _values(100_000, 64)


def sparse_dot() -> Call:
    """A csr matrix by a dense one."""
    a, b = _sparse()
    csr = a.to_sparse_csr()
    return lambda: csr @ b


def sparse_dot_gradient() -> Call:
    """Its transpose by a dense one."""
    a, _ = _sparse()
    csr, dy = a.t().to_sparse_csr(), _values(1000, 64)
    return lambda: csr @ dy


def _steps(make_optimizer: Callable[..., Any]) -> Call:
    """Training of an embedding of a million words by a thousand of them."""
    net = nn.Embedding(1_000_000, 64, sparse=True)
    optimizer = make_optimizer(net.parameters(), lr=0.01)
    words = torch.from_numpy(np.random.RandomState(2).choice(1_000_000, 1000, replace=False))

    def call() -> None:
        optimizer.zero_grad()
        net(words).sum().backward()
        optimizer.step()

    return call


def sparse_sgd() -> Call:
    """Steps of SGD."""
    return _steps(torch.optim.SGD)


def sparse_adam() -> Call:
    """Steps of SparseAdam."""
    return _steps(torch.optim.SparseAdam)


WORKLOADS = {
    f.__name__: f
    for f in (
        add_10x10,
        chain_64,
        mlp_eager,
        mlp_static,
        mlp_static_asnumpy,
        mlp_training,
        lenet_inference,
        lenet_training,
        lstm_operator,
        ctc_loss,
        resnet18_b1,
        resnet18_b16,
        resnet50_b1,
        mobilenet_b1,
        resnet50_64,
        resnet50_112,
        mobilenet_64,
        mobilenet_112,
        resnet50_64_training,
        resnet50_112_training,
        mobilenet_64_training,
        mobilenet_112_training,
        resnet18_training,
        lstm_language_model,
        transformer_layer,
        transformer_training,
        sparse_dot,
        sparse_dot_gradient,
        sparse_sgd,
        sparse_adam,
    )
}


def compile_nets() -> None:
    """Let the nets of workloads that are prepared from now on be compiled."""
    global _is_compiled  # noqa: PLW0603  # of this process, which measures one workload
    _is_compiled = True


def seed() -> None:
    """Make parameters the same in every process."""
    torch.manual_seed(0)


def wait() -> None:
    """Nothing: on the CPU calls return when they are done."""
