"""One net, one half of it written in Gluon and the other in PyTorch, trained by either of the two.

The digits of 8x8 pixels that ship inside scikit-learn. Needs PyTorch: ``pip install
'hy-kernels[torch]'``, then ``python -m examples.half_in_torch``.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sklearn.datasets import load_digits

import hy_gluon
from hy_gluon import nn
from hy_ndarray import autograd, nd, random

Floats = npt.NDArray[np.float32]
TEST = 360
"""How many of the digits are kept for the test."""
ENOUGH = 0.95
"""The accuracy on them that the example promises."""


def features() -> nn.HybridSequential:
    """Return Gluon's half of the net: ``[N, 1, 8, 8]`` to ``[N, 16, 3, 3]``."""
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(16, 3, in_channels=1),
        nn.BatchNorm(in_channels=16),
        nn.Activation("relu"),
        nn.MaxPool2D(),
    )
    net.initialize()
    return net


def classifier() -> Any:
    """PyTorch's half: ``[N, 16, 3, 3]`` to scores ``[N, 10]``."""
    return torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(144, 64), torch.nn.GELU(), torch.nn.Linear(64, 10)
    )


def digits() -> tuple[Floats, npt.NDArray[np.int64]]:
    """Images ``[1797, 1, 8, 8]`` with values from 0 to 1, shuffled, and their labels."""
    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.images))
    images = (data.images / 16).astype(np.float32)[:, None]
    return images[order], data.target.astype(np.int64)[order]


def batches(count: int, epochs: int, batch: int = 64) -> Iterator[npt.NDArray[np.intp]]:
    """Numbers of the items of each batch."""
    rng = np.random.default_rng(1)
    for _ in range(epochs):
        order = rng.permutation(count)
        for start in range(0, count - batch + 1, batch):
            yield order[start : start + batch]


def by_torch(x: Floats, labels: npt.NDArray[np.int64], epochs: int) -> Callable[[Floats], Any]:
    """Gluon's half as a module, both halves trained by PyTorch; gives what scores images."""
    net = torch.nn.Sequential(hy_gluon.to_torch(features()), classifier())
    optimizer = torch.optim.Adam(net.parameters(), lr=0.003)
    for indices in batches(len(x), epochs):
        scores = net(torch.from_numpy(x[indices]))
        loss = torch.nn.functional.cross_entropy(scores, torch.from_numpy(labels[indices]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    net.eval()
    return lambda images: net(torch.from_numpy(images)).detach().numpy()


def by_gluon(x: Floats, labels: npt.NDArray[np.int64], epochs: int) -> Callable[[Floats], Any]:
    """PyTorch's half as a block, both halves trained by Gluon; gives what scores images."""
    net = nn.Sequential()
    net.add(features(), hy_gluon.from_torch(classifier()))
    net.hybridize()  # Gluon's half
    trainer = hy_gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.003})
    loss_of = hy_gluon.loss.SoftmaxCrossEntropyLoss()
    for indices in batches(len(x), epochs):
        with autograd.record():
            loss = loss_of(net(nd.array(x[indices])), nd.array(labels[indices]))
        loss.backward()
        trainer.step(len(indices))
    return lambda images: net(nd.array(images)).asnumpy()


def main(epochs: int = 8) -> None:
    """Train the net in both ways, and measure it."""
    x, labels = digits()
    for name, train in (("torch.optim", by_torch), ("gluon.Trainer", by_gluon)):
        random.seed(1)
        torch.manual_seed(1)
        score = train(x[TEST:], labels[TEST:], epochs)
        right = float((score(x[:TEST]).argmax(axis=1) == labels[:TEST]).mean())
        print(f"trained by {name:14} test accuracy {right:.1%}")
        if right < ENOUGH:
            raise SystemExit(f"{name} did not reach {ENOUGH:.0%}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=8)
    main(parser.parse_args().epochs)
